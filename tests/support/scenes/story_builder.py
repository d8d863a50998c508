"""Story files in memory, as small as a header and two tables."""

import struct

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def a_story(*, version: int = 5, length: int = 2048, **header: int) -> bytes:
    """A story file whose header passes every check; `header` overrides its addresses and its length."""
    fields = {"high": 1024, "dictionary": 1100, "objects": 64, "variables": 256, "static": 1024} | header
    scale = {1: 2, 2: 2, 3: 2, 4: 4, 5: 4, 7: 8, 8: 8}.get(version, 4)
    data = bytearray(length)
    data[0] = version
    for name, at in {"high": 4, "dictionary": 8, "objects": 10, "variables": 12, "static": 14}.items():
        struct.pack_into(">H", data, at, fields[name])
    struct.pack_into(">H", data, 0x1A, fields.get("told", length // scale))
    return bytes(data)


def z_string(text: str, *, length: int = 0) -> bytes:
    """Lower-case letters and blanks, encoded; cut or padded to a length in characters."""
    codes = [0 if letter == " " else LETTERS.index(letter) + 6 for letter in text]
    return z_characters(*[*codes, *[5] * length][:length] if length else codes)


def z_characters(*codes: int) -> bytes:
    """Five-bit characters, padded, three in two bytes, the last two marked."""
    padded = [*codes, *[5] * (-len(codes) % 3)]
    words = [a << 10 | b << 5 | c for a, b, c in zip(padded[::3], padded[1::3], padded[2::3], strict=True)]
    words[-1] |= 0x8000
    return b"".join(struct.pack(">H", word) for word in words)


def with_objects(story: bytes, *objects: tuple[str, int, int, int]) -> bytes:
    """The story with these objects: name, parent, sibling, child."""
    data = bytearray(story)
    small = story[0] <= 3
    defaults, size, links = (62, 9, ">4xBBBH") if small else (126, 14, ">6xHHHH")
    start = int.from_bytes(story[10:12], "big") + defaults
    table = start + size * len(objects)
    for number, (name, parent, sibling, child) in enumerate(objects):
        struct.pack_into(links, data, start + number * size, parent, sibling, child, table)
        text = z_string(name) if name else b""
        data[table : table + 2 + len(text)] = bytes([len(text) // 2]) + text + b"\0"
        table += 2 + len(text)
    return bytes(data)


def with_dictionary(story: bytes, words: dict[str, int]) -> bytes:
    """The story with these words, each with its flags."""
    data = bytearray(story)
    encoded = 4 if story[0] <= 3 else 6
    entries = [
        z_string(word, length=encoded // 2 * 3) + bytes([flags, 0, 0]) for word, flags in words.items()
    ]
    table = b"\0" + bytes([encoded + 3]) + struct.pack(">h", len(entries)) + b"".join(entries)
    at = int.from_bytes(story[8:10], "big")
    data[at : at + len(table)] = table
    return bytes(data)
