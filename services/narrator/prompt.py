"""What the narrator asks a language model, and what it takes from the reply."""

from __future__ import annotations

import re
from collections.abc import Mapping

from folds.attempts import Attempt
from language_model.model import Prompt, PromptPart, Reply, Role
from language_model.prompting.attempts import ACTION_SHOWN, effect_of
from language_model.prompting.quoting import DATA, listed, named, place, plain_line, quoted
from language_model.prompting.replies import UnfitReply
from services.narrator.story import EVERY, Chapter

TOKENS = 250
"""Of the reply, at most (text-adventure agent, narrator)."""

LENGTH = 1_500
"""Characters of a summary: what so many tokens rarely exceed."""

TEXT_LENGTH, RESULT_LENGTH, PATH = 600, 160, 8

_END = re.compile(r"[.!?](?=\s|$)")

_SYSTEM = f"""\
You keep the log of a text adventure for its player, who reads your summary every {EVERY} steps and \
otherwise sees only the last few of them. Write 4 to 6 plain sentences, in this order: where the player \
is; what is held, and which things were found or used; what stands in the way; what has worked; what has \
failed, so that what was tried again and again is summed up with how often and what came of it; what the \
next sensible step is. Say only what the record shows. Name rooms, things and actions as they are named \
there. No heading, no list, no preface. {DATA}"""


def prompt_of(chapter: Chapter) -> Prompt:
    """What is asked when a summary is due."""
    step = chapter.step
    score = "unknown" if step.score is None else str(step.score)
    most = f" of {chapter.max_score}" if chapter.max_score else ""
    lines = (
        f"Step {step.step}, episode {step.episode}, room {place(step.room)}, score {score}{most}",
        f"Rooms known: {chapter.rooms_known}",
        f"Held: {named(step.inventory)}",
        f"Seen here: {named(step.objects)}",
        f"Ways that were blocked here: {listed(chapter.blocked)}",
        f"The nearest unexplored way: {_path(chapter)}",
        f"The game says: {quoted(step.observation, TEXT_LENGTH)}",
        *(("The game is over; it can only be restarted.",) if step.done else ()),
        *_record(chapter),
    )
    said = PromptPart(role=Role.USER, text="\n".join(lines))
    return Prompt(system=_SYSTEM, parts=(said,), max_tokens=TOKENS)


def summary_in(reply: Reply) -> str:
    """The summary that a reply is, in one line of bounded length.

    Raises:
        UnfitReply: it has no words, or was cut off before its first sentence had ended.
    """
    text = plain_line(_finished(reply.text) if reply.truncated else reply.text, LENGTH)
    if not any(map(str.isalpha, text)):
        raise UnfitReply("The model's reply is no summary: it has no words.")
    return text


def _finished(text: str) -> str:
    """A text without the sentence that was cut off."""
    *_, end = (0, *(found.end() for found in _END.finditer(text)))
    return text[:end]


def _path(chapter: Chapter) -> str:
    more = " and so on" if len(chapter.way) > PATH else ""
    return " then ".join(quoted(action, ACTION_SHOWN) for action in chapter.way[:PATH]) + more or "none known"


def _record(chapter: Chapter) -> tuple[str, ...]:
    if not chapter.entries:
        return ("Nothing has been done yet.",)
    rooms, is_anew = dict(chapter.rooms), any(entry.ended for entry in chapter.entries[:-1])
    told = (_told(entry, rooms) for entry in chapter.entries)
    anew = ("After an end the game was restarted: what had been gained was gone.",) if is_anew else ()
    return (f"The last {len(chapter.entries)} actions, oldest first:", *told, *anew)


def _told(entry: Attempt, rooms: Mapping[str, str]) -> str:
    action, result = quoted(entry.action, ACTION_SHOWN), quoted(entry.result, RESULT_LENGTH)
    return f"{entry.step}. {action} | {effect_of(entry, rooms)} | {result}"
