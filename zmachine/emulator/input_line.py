"""What is typed at a game's prompt, cleaned to what the emulator bears."""

from __future__ import annotations

import unicodedata

LONGEST = 150
"""Characters; Frotz cuts at 198 bytes."""

NOTHING = "look"
"""What an empty action means: a game would only beg our pardon, and the player sees where they are."""


def cleaned(action: str) -> str:
    """One line of at most 150 printable ASCII characters; blanks squeezed; empty becomes `look`.

    Accents are taken off letters, typographic quotes made plain, and everything else dropped: a NUL
    kills the emulator, a newline shifts every later observation by one, a backslash is an escape.
    """
    plain = action.translate(QUOTES)
    plain = "".join(" " if c.isspace() else c for c in unicodedata.normalize("NFKD", plain))
    printable = "".join(c for c in plain if " " <= c <= "~" and c != "\\")
    return " ".join(printable.split())[:LONGEST].rstrip() or NOTHING


QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-"})
