"""Words that a player types to the program, not to the story."""

from __future__ import annotations

from functools import cache

FORBIDDEN_WORDS = frozenset(
    (
        "restart",
        "quit",
        "q",
        "die",
        "save",
        "restore",
        "undo",
        "script",
        "noscript",
        "unscript",
        "transcript",
        "recording",
        "unrecord",
        "replay",
        "$verify",
        "$ve",
        "#record",
        "#reco",
        "#command",
        "#comm",
        "#random",
    )
)
"""Words that end, rewind or write files: not the player's to type."""

MENUS = frozenset(
    (
        "help",
        "about",
        "menu",
        "menus",
        "hint",
        "hints",
        "info",
        "information",
        "credits",
        "credit",
        "instructions",
        "instruct",
        "manual",
        "tutorial",
        "license",
        "licence",
        "copyright",
        "walkthrough",
        "walkthru",
        "clue",
        "clues",
        "invisiclues",
        "author",
        "authors",
    )
)
"""Words that open menus of keys in many games, out of which no action leads."""


@cache
def truncated(words: frozenset[str], length: int) -> frozenset[str]:
    """The words as a parser compares them."""
    return frozenset(word[:length] for word in words)
