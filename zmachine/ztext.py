"""Z-strings: the text encoding of the Z-machine (Standard 1.1, section 3)."""

from __future__ import annotations

from dataclasses import dataclass, field

A0 = "abcdefghijklmnopqrstuvwxyz"
A1 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
A2 = " \n0123456789.,!?_#'\"/\\-:()"
A2_VERSION_1 = " 0123456789.,!?_#'\"/\\<-:()"

UNICODE_EXTRA = (
    "äöüÄÖÜß»«ëïÿËÏáéíóúýÁÉÍÓÚÝàèìòùÀÈÌÒÙâêîôûÂÊÎÔÛåÅøØãñõÃÑÕæÆçÇþðÞÐ£œŒ¡¿"  # ZSCII 155 and on (table 1)
)
LONGEST = 4096
"""Z-characters read at most: a damaged story may lack the end mark."""


def word(memory: bytes, address: int) -> int:
    """The two bytes at an address, most significant first; 0 outside the memory."""
    if not 0 <= address < len(memory) - 1:
        return 0
    return memory[address] << 8 | memory[address + 1]


def zscii(code: int) -> str:
    """One ZSCII character as text; what cannot be printed is dropped."""
    if code == 13:
        return "\n"
    if 32 <= code <= 126:
        return chr(code)
    if 155 <= code < 155 + len(UNICODE_EXTRA):
        return UNICODE_EXTRA[code - 155]
    return ""


def alphabets(memory: bytes) -> tuple[str, str, str]:
    """The three alphabets of a story, its own table (versions 5 and on) included."""
    version = memory[0]
    if version == 1:
        return A0, A1, A2_VERSION_1
    table = word(memory, 0x34) if version >= 5 else 0
    if not table or table + 78 > len(memory):
        return A0, A1, A2
    own = [zscii(code) or " " for code in memory[table : table + 78]]
    return "".join(own[:26]), "".join(own[26:52]), " \n" + "".join(own[54:])


def z_characters(memory: bytes, address: int) -> list[int]:
    """The five-bit characters from an address to the end mark."""
    found: list[int] = []
    while address + 1 < len(memory) and len(found) < LONGEST:
        pair = memory[address] << 8 | memory[address + 1]
        found += [pair >> 10 & 31, pair >> 5 & 31, pair & 31]
        if pair & 0x8000:
            break
        address += 2
    return found


@dataclass(slots=True)
class Decoder:
    """Reads the Z-strings of one story."""

    memory: bytes
    rows: tuple[str, str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.rows = alphabets(self.memory)

    def text(self, address: int, *, within_abbreviation: bool = False) -> str:
        """The text at a byte address; an abbreviation within an abbreviation is left out."""
        characters = z_characters(self.memory, address)
        return self._decode(characters, allow_abbreviations=not within_abbreviation)

    def _decode(self, characters: list[int], *, allow_abbreviations: bool) -> str:
        written: list[str] = []
        row = lock = 0
        position = 0
        version = self.memory[0]
        while position < len(characters):
            code = characters[position]
            position += 1
            if code >= 6:
                if row == 2 and code == 6:
                    written.append(self._escaped(characters[position : position + 2]))
                    position += 2
                else:
                    written.append(self.rows[row][code - 6])
                row = lock
            elif self._is_abbreviation(code):
                if allow_abbreviations and position < len(characters):
                    written.append(self._abbreviation(code, characters[position]))
                position += 1
                row = lock
            elif code == 0:
                written.append(" ")
                row = lock
            elif code == 1:
                written.append("\n")
            else:
                row, lock = shifted(code, row, lock, version)
        return "".join(written)

    def _is_abbreviation(self, code: int) -> bool:
        version = self.memory[0]
        return (version >= 3 and 1 <= code <= 3) or (version == 2 and code == 1)

    def _abbreviation(self, code: int, index: int) -> str:
        entry = word(self.memory, 0x18) + 2 * (32 * (code - 1) + index)
        return self.text(2 * word(self.memory, entry), within_abbreviation=True)

    @staticmethod
    def _escaped(pair: list[int]) -> str:
        return zscii(pair[0] << 5 | pair[1]) if len(pair) == 2 else ""


def shifted(code: int, row: int, lock: int, version: int) -> tuple[int, int]:
    """The alphabet for the next character and the locked one, after a shift character."""
    if version >= 3:
        return code - 3, 0
    target = (lock + (1 if code in (2, 4) else 2)) % 3
    return (target, lock) if code <= 3 else (target, target)
