"""What a parser has asked back: `Which do you mean, the red box or the blue box?`, `Dig it with what?`"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

from folds.text.questions import end_of
from folds.text.rooms import room_of
from folds.vocabulary.actions import normal
from schemas.game import StepTaken

_WHICH = re.compile(r"which (?:one )?(?:do|did) you mean,? (?:the |your )?(.+?)\?", re.I | re.S)
_EITHER = re.compile(r"\bmean\b[^?:,]*[,:] (?:the |your )?([^?]+? or [^?]+)\?\s*>?\s*$", re.I | re.S)
_BETWEEN = re.compile(r",? or |, ")
_PARTICLES = frozenset("off on in up down at to under behind through over".split())
"""Of two-word verbs: `take off`, `look at`."""
_WITH_WHAT = re.compile(
    r"^\W*what do you (?:want|wish) to [^?\n]+ (?P<link>with|to|in|into|on|onto|at|through)\?\s*>?\s*$",
    re.I,
)
_ARTICLE = re.compile(r"^(?:the|your|an?) ")


class Ambiguities:
    """By room, the whole commands between which the parser could not choose."""

    def __init__(self) -> None:
        self._commands: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
        """By room and command, all that the parser could not choose between when it was asked of this one."""
        self._unfinished: dict[str, dict[str, None]] = defaultdict(dict)
        self._things: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
        """By room and word, the things that it names there."""
        self._anywhere: dict[str, tuple[str, ...]] = {}
        """The same of the last room where a word named several."""
        self._unnamable: dict[str, set[str]] = defaultdict(set)
        """By room, what was typed in full and asked for all the same: a door, beside a cellar door."""

    def after(self, step: StepTaken) -> None:
        """Fold one step, its room known. A repeat adds nothing."""
        meant = commands_meant_by(step)
        self._commands[room_of(step)].update(dict.fromkeys(meant, meant))
        asked, action = _WITH_WHAT.search(step.observation.strip()), normal(step.action or "")
        self._note_things(room_of(step), action, things_meant_in(step.observation))
        if asked and " " in action:
            self._unfinished[room_of(step)][f"{action} {asked['link'].lower()}"] = None

    def told_apart(self, action: str, room: str, held: frozenset[str] = frozenset()) -> tuple[str, ...]:
        """An action with each of the things that its noun names in a room, in full; itself, where that is
        plain; nothing, where the parser asks whatever is typed.

        `held`: the words of what is in hand, and has the same names in every room.
        """
        if any(_names(thing, action) for thing in self._unnamable.get(room, ())):
            return ()
        words, shared = action.split()[1:], self._anywhere.items() if held else ()
        in_hand = {
            word: things
            for word, things in shared
            if word in words and held.issuperset(" ".join(things).split())
        }
        for word, things in (in_hand | self._things.get(room, {})).items():
            if word in words and not any(_names(thing, action) for thing in things):
                namable = [thing for thing in things if thing not in self._unnamable.get(room, ())]
                return tuple(command for thing in namable for command in _with(thing, action)) or (action,)
        return (action,)

    def _note_things(self, room: str, action: str, things: tuple[str, ...]) -> None:
        self._unnamable[room].update(thing for thing in things if " " in thing and _names(thing, action))
        shared = [word for word in action.split()[1:] if all(word in thing.split() for thing in things)]
        if len(things) > 1 and shared and shared[-1] not in things:
            self._things[room][shared[-1]] = self._anywhere[shared[-1]] = things

    def commands_in(self, room: str) -> tuple[str, ...]:
        """The commands of a room, oldest first."""
        return tuple(self._commands.get(room, ()))

    def others_meant(self, command: str, room: str) -> tuple[str, ...]:
        """The other commands that the parser took to be as likely as this one."""
        return tuple(each for each in self._commands.get(room, {}).get(command, ()) if each != command)

    def unfinished_in(self, room: str) -> tuple[str, ...]:
        """The beginnings of commands for which the parser has asked for another thing: `dig ground with`."""
        return tuple(self._unfinished.get(room, ()))


@lru_cache(maxsize=128)
def things_meant_in(text: str) -> tuple[str, ...]:
    """The things between which a text asks the player to choose; none: it does not ask."""
    end = end_of(text)
    asked = _WHICH.search(end) or _EITHER.search(end)
    if not asked:
        return ()
    things = (_ARTICLE.sub("", each.strip().lower()) for each in _BETWEEN.split(asked[1]))
    return tuple(thing for thing in things if thing)


def commands_meant_by(step: StepTaken) -> tuple[str, ...]:
    """The action of a step with each of the things that it may have meant: `open red box`."""
    action = normal(step.action or "")
    return tuple(command for thing in things_meant_in(step.observation) for command in _with(thing, action))


def _with(thing: str, action: str) -> Iterator[str]:
    """An action that names a thing in full, where it is plain which of its words stood for the thing."""
    words, noun = action.split(), thing.split()[-1]
    if _names(thing, action) or len(words) < 2:
        return
    if noun in words[1:]:
        at = begin = words.index(noun, 1)
        while begin > 1 and words[begin - 1] in thing.split():
            begin -= 1
        yield normal(" ".join((*words[:begin], thing, *words[at + 1 :])))
    elif len(words) == 2 or (len(words) == 3 and words[1] in _PARTICLES):
        yield normal(f"{' '.join(words[:-1])} {thing}")


def _names(thing: str, action: str) -> bool:
    return f" {thing} " in f" {action} "
