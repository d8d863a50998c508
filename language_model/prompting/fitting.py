"""Texts that share a budget of tokens: whole where all fit, else each shortened where it is least useful."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from language_model.prompting.tokens import cut, tokens

_ITEM = re.compile(r"- |\d+\. ")
_SENTENCE = re.compile(r"[.!?][\"')]*$")
_MORE = " … "
_LEAST = 4
"""Tokens below which a line is left out rather than cut."""
_HEAD = 4
"""The part of a shortened sentence that is its beginning is one in so many; the rest is its end."""


def shares(needs: Sequence[int], weights: Sequence[int], available: int) -> list[int]:
    """What each gets of what is available: no more than it needs, and in proportion to its weight."""
    got = [0] * len(needs)
    wanting = [number for number, need in enumerate(needs) if need]
    while wanting:
        total = sum(weights[number] for number in wanting)
        content = [number for number in wanting if needs[number] * total <= available * weights[number]]
        if not content:
            for number in wanting:
                got[number] = available * weights[number] // total
            break
        for number in content:
            got[number] = needs[number]
            available -= needs[number]
        wanting = [number for number in wanting if number not in content]
    return got


def shortened(text: str, most: int) -> str:
    """A text in at most `most` tokens: whole, or each of its lines cut where it is least useful.

    Of items (`- ` or `1. `) the first ones stay, so they must begin with the newest or the best; likewise
    of a list in one line. Prose loses its middle, because it ends with what comes next.
    """
    if tokens(text) <= most:
        return text
    blocks = list(_blocks(text.splitlines()))
    needs = [tokens(block) + 1 for block in blocks]
    fitting = shares(needs, [1] * len(blocks), most)
    short = (_block(block, share - 1) for block, share in zip(blocks, fitting, strict=True))
    return "\n".join(filter(None, short))


def without_middle(text: str, most: int) -> str:
    """The beginning and the end of a text, as much as takes no more than `most` tokens."""
    if tokens(text) <= most:
        return text
    head = cut(text, max(2, most // _HEAD)).removesuffix("…").rpartition(" ")[0]
    low, high = 0, len(text) - len(head)
    while low < high:
        middle = (low + high + 1) // 2
        if tokens(head + _MORE + text[len(text) - middle :]) <= most:
            low = middle
        else:
            high = middle - 1
    end = text[len(text) - low :]
    return f"{head}{_MORE}{end.partition(' ')[2] or end}".strip()


def _blocks(lines: Iterable[str]) -> Iterator[str]:
    """Items in a row as one block, and every other line as one of its own."""
    for is_item, run in groupby(lines, key=lambda line: _ITEM.match(line) is not None):
        if is_item:
            yield "\n".join(run)
        else:
            yield from run


def _block(block: str, most: int) -> str:
    if tokens(block) <= most:
        return block
    if most < _LEAST:
        return ""
    if _ITEM.match(block):
        return _first_items(block.splitlines(), most) or cut(block.splitlines()[0], most)
    return without_middle(block, most) if _SENTENCE.search(block) else cut(block, most)


def _first_items(items: Iterable[str], most: int) -> str:
    kept: list[str] = []
    for item in items:
        most -= tokens(item) + 1
        if most < 0:
            break
        kept.append(item)
    return "\n".join(kept)
