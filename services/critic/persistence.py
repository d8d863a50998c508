"""What may be done again although it has earned nothing: a fight, digging, what the text says to repeat."""

from __future__ import annotations

import re
from collections.abc import Sequence

from folds.attempts import Attempt
from folds.text.phrases import is_fruitless, is_refused
from folds.vocabulary.verbs import ActionKind, action_kind_of

MOST_TIMES = 8
"""Times that an action may be done in one state of the world because it seems to get on."""

_DIGGING = frozenset({"dig", "excavate", "burrow"})
_ASKS_FOR_MORE = re.compile(
    r"\b(again|once more|one more|(try|push|pull|hit|dig|look) harder|keep (at it|on|trying|going|\w+ing))\b",
    re.I,
)


def reason_to_repeat(attempt: Attempt, answers: Sequence[str]) -> str:
    """Why an action that earned nothing may be done once more; empty: nothing speaks for it.

    `attempt`: the latest. `answers`: what the game has answered to the action in this room, the newest last.
    """
    if attempt.ended or attempt.times >= MOST_TIMES:
        return ""
    if _ASKS_FOR_MORE.search(attempt.result) and not is_refused(attempt.result):
        return "the text says to go on"
    if attempt.blocked or is_fruitless(attempt.result):
        return ""
    if len(answers) > 1 and answers[-1] != answers[-2]:
        return "its answer is another each time"
    return "it may take several tries" if _takes_several_tries(attempt) else ""


def _takes_several_tries(attempt: Attempt) -> bool:
    """Digging always may; a blow may if it is the first: of later ones the answers must change."""
    is_first_blow = action_kind_of(attempt.action) is ActionKind.ATTACK and attempt.times == 1
    return is_first_blow or attempt.action.partition(" ")[0] in _DIGGING
