"""Recognizes text that is not the story's: the parser's questions, menus, the end, offers in an opening."""

from __future__ import annotations

import re

from schemas.sources import TextKind

ENDING = re.compile(r"\*\*\*\s*(?P<words>\S[^*\n]*?)\s*\*\*\*")
CHOICE = (
    r"\b(?:RESTART|START (?:OVER|AGAIN))\b.*\b(?:RESTORE|QUIT|UNDO|END)\b|\bRESTORE\b.*\b(?:QUIT|UNDO|END)\b"
)
QUESTION = re.compile(CHOICE, re.IGNORECASE | re.DOTALL)
VICTORY = re.compile(r"\byou(?:'ve| have)? w[oi]n\b|\bvictory\b|\bcongratulations\b", re.IGNORECASE)
DEFEAT = re.compile(r"\b(?:died|dead|killed|lost|failed|defeated?|death)\b", re.IGNORECASE)
AGAIN = re.compile(
    r"\b(?:another (?:game|go|try|attempt|adventure)|(?:play|try|start|begin) (?:it |(?:the|this) game )?"
    r"(?:again|over|anew))\b[^.!?]*\?\W*(?:y\w*\W+n\w*)?\W*$",
    re.IGNORECASE,
)
"""What an older story asks at the end: `Another game?`"""
OVER = re.compile(r"\byou(?:'ve| have)? scored\b|\bscore of\b|\bgame (?:is )?over\b", re.IGNORECASE)
TAIL = 400
"""The number of characters at the end of a text in which a question is looked for."""

PARSER = re.compile(
    r"^[\"'(\[]?(?:which (?:do|did|one|of)\b|who do you (?:mean|want)\b|what do you want to\b|"
    r"(?:do|did) you mean\b|please (?:answer|enter|type|give)\b|(?:are|do) you (?:really |sure )|"
    r"you'?ll have to say which\b|be (?:more )?specific\b)",
    re.IGNORECASE,
)
OPTION = re.compile(r"^\s*[\[(]?\d{1,2}[\]).:-]+\s*\S", re.MULTILINE)
YES_OR_NO = re.compile(r"\by(?:es)?\s*(?:/|or|,)\s*n(?:o)?\b|\bis affirmative\b", re.IGNORECASE)
OUT_OF_GAME = re.compile(
    r"\b(?:restor|saved?\b|instruction|introduction|help\b|hint|tutorial|transcript|colou?r|graphics)",
    re.IGNORECASE,
)


def ended(text: str, *, aside: bool = False) -> bool:
    """Whether the game is over: `*** You have died ***`, and whether to restart, restore or quit.

    `aside`: the story reads elsewhere than where it reads its player's actions; then the question is enough,
    or that after another game, with a word of a score or a death.
    """
    if ending := ENDING.search(text):
        return QUESTION.search(text, ending.end()) is not None
    if not aside:
        return False
    tail = text[-TAIL:]
    is_told = any(pattern.search(tail) for pattern in (OVER, VICTORY, DEFEAT))
    return (is_told and AGAIN.search(tail) is not None) or (QUESTION.search(tail) is not None and asks(text))


def won(text: str, *, full_score: bool = False) -> bool:
    """Whether a game that is over is won: `*** You have won ***`, or every point without a death."""
    ending = ENDING.search(text)
    words = ending["words"] if ending else text[-2 * TAIL :]
    return bool(VICTORY.search(words)) or (full_score and not DEFEAT.search(words))


def asks(text: str) -> bool:
    """Whether a text ends with a question or another prompt for an answer."""
    return text.rstrip(" \n>")[-1:] in ("?", ":") or text.rstrip(" \n>")[-2:] in ("?)", ":)", ".)", "?]")


def kind_of(text: str, *, aside: bool) -> TextKind:
    """The kind of an observation of a game that is not over."""
    lines = [line for line in text.split("\n") if line.strip()]
    if aside and len(OPTION.findall(text)) > 1:
        return TextKind.MENU
    if aside and asks(text):
        return TextKind.QUESTION
    if lines and asks(text) and PARSER.search(lines[-1].strip()):
        return TextKind.QUESTION
    return TextKind.STORY


def declines(text: str) -> bool:
    """Whether an opening ends with an offer outside the story, to restore or to explain, which we decline."""
    tail = text.rstrip(" \n>")[-TAIL:]
    sentence = re.split(r"\n\n|(?<=[.!])\s", tail)[-1] if asks(tail) else tail[-TAIL // 4 :]
    offered = OUT_OF_GAME.search(tail) is not None
    return offered and (
        bool(YES_OR_NO.search(sentence)) or (asks(tail) and bool(OUT_OF_GAME.search(sentence)))
    )
