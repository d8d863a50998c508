"""A story file's header (Standard 1.1, section 11): is this a story that the emulator may be given?

The emulator's C code ends the process on a bad file, so everything that it relies on is checked here first.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from zmachine.ztext import word

HEADER = 64
VERSIONS = (1, 2, 3, 4, 5, 7, 8)
SCALE = {1: 2, 2: 2, 3: 2, 4: 4, 5: 4, 7: 8, 8: 8}
"""Bytes for each unit of the length that the header tells (section 11.1.6)."""
VARIABLES = 2 * 240
"""Bytes of the global variables (section 6.2)."""
LARGEST = (512 + 16) * 1024
"""Bytes. No story of any version is longer (section 1.1.4) but for padding by some disk blocks."""


@dataclass(frozen=True, slots=True)
class StoryFile:
    """A story file in which `fault_in` has found nothing."""

    md5: str
    suffix: str
    """By the version in the header, whatever the file was called: `.z3`, `.z5`, …"""
    version: int
    data: bytes = field(repr=False)


def story_of(data: bytes) -> StoryFile:
    """The story in a file's bytes, in which `fault_in` has found nothing."""
    digest = hashlib.md5(data, usedforsecurity=False).hexdigest()
    return StoryFile(md5=digest, suffix=f".z{data[0]}", version=data[0], data=data)


def fault_in(data: bytes) -> str:
    """Why a file's bytes are no story that the emulator may be given; empty: nothing found."""
    checks = (foreign_format, wrong_version, wrong_length, wrong_addresses)
    return next((why for check in checks if (why := check(data))), "")


def foreign_format(data: bytes) -> str:
    """Something else than a Z-machine story."""
    if not data:
        return "the file is empty"
    if data[:4] == b"Glul":
        return "it is a Glulx story, which needs another emulator"
    if data[:4] == b"FORM" and data[8:12] == b"IFRS":
        return "it is a Blorb package, from which the Z-code must be taken out first"
    if looks_like_text(data[:HEADER]):
        return "it is a text file"
    if len(data) < HEADER:
        return f"it is {len(data)} bytes long, shorter than a story's header of {HEADER}"
    if len(data) > LARGEST:
        return f"its {len(data)} bytes are more than the {LARGEST} of the largest story"
    return ""


def looks_like_text(head: bytes) -> bool:
    """Whether no byte is a control character; a story's header has many."""
    return all(byte in (9, 10, 13) or 32 <= byte <= 126 or byte >= 128 for byte in head)


def wrong_version(data: bytes) -> str:
    """A version that the emulator does not run."""
    version = data[0]
    if version == 6:
        return "it is of Z-machine version 6, whose graphics the emulator cannot show"
    if version not in VERSIONS:
        return f"its first byte, {version}, is no version of the Z-machine"
    return ""


def wrong_length(data: bytes) -> str:
    """Another length than the header tells; padding at the end is usual."""
    version = data[0]
    length = word(data, 0x1A) * SCALE[version]
    if length > len(data):
        return f"it is cut short: {len(data)} bytes of {length}"
    return ""


def wrong_addresses(data: bytes) -> str:
    """Dynamic, static and high memory and the tables must lie in the file, in their order (section 1.1)."""
    high, dictionary, objects, variables, static = (word(data, at) for at in (0x04, 0x08, 0x0A, 0x0C, 0x0E))
    if not HEADER <= static <= len(data):
        return f"its static memory begins at {static}, outside the file"
    if not HEADER <= high <= len(data):
        return f"its high memory begins at {high}, outside the file"
    tables = {"object table": objects, "table of global variables": variables}
    for table, address in tables.items():
        if not HEADER <= address < static:
            return f"its {table} is at {address}, outside the dynamic memory"
    if not HEADER <= dictionary < len(data):
        return f"its dictionary is at {dictionary}, outside the file"
    if variables + VARIABLES > len(data):
        return "its global variables do not fit into the file"
    return ""
