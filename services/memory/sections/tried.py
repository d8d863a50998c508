"""Actions as a list that is short to read: what begins alike is said once (`ask gnome about: torch, hat`)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

_TALK = re.compile(r"((?:ask|tell) .+? about|ask .+? for) (.+)")
_MOST = 400
"""Actions that are listed at most, the newest."""
_FEWER = 0.9


def folded(actions: Iterable[tuple[str, int]], length: int) -> str:
    """The newest actions that fit into so many characters; each comes with how often it was tried.

    `actions`: the newest first. The list begins with the group of the newest one.
    """
    newest = list(islice(actions, _MOST + 1))
    more, shown = len(newest) > _MOST, newest[:_MOST]
    while len(text := _listed(shown, more)) > length and shown:
        more, shown = True, shown[: int(len(shown) * _FEWER)]
    return text


def _listed(actions: Iterable[tuple[str, int]], more: bool) -> str:
    groups: dict[str, list[str]] = {}
    for action, times in actions:
        beginning, rest = _parts(action)
        groups.setdefault(beginning, []).append(rest + (f" (x{times})" if times > 1 else ""))
    told = (_group(beginning, rests) for beginning, rests in groups.items())
    return "; ".join((*told, *(("and older ones",) if more else ())))


def _group(beginning: str, rests: list[str]) -> str:
    if not beginning:
        return ", ".join(rests)
    return f"{beginning}: {', '.join(rests)}" if len(rests) > 1 else f"{beginning} {rests[0]}"


def _parts(action: str) -> tuple[str, str]:
    """The beginning that an action shares with others like it, and the rest; single words share none."""
    if talk := _TALK.fullmatch(action):
        return talk[1], talk[2]
    verb, _, rest = action.partition(" ")
    return (verb, rest) if rest else ("", verb)
