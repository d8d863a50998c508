"""What may be typed at a game's prompt without harm, and Lantern's own commands and texts."""

from __future__ import annotations

from enum import StrEnum

from zmachine.grammar.program_words import FORBIDDEN_WORDS, MENUS, truncated


class LanternCommand(StrEnum):
    """Commands that Lantern itself carries out, for any story, if the whole action is that word."""

    RESTART = "restart"
    QUIT = "quit"
    SAVE = "save"
    RESTORE = "restore"
    UNDO = "undo"


SAVED = "[Lantern keeps this position. `restore` returns to it.]"
RESTORED = "[Lantern has returned to the position that was saved.]"
NOT_SAVED = "[Lantern has no position to return to: nothing was saved. Nothing has changed.]"
RETURNED = "[Lantern has returned to the position after step {}.]"
NO_SUCH_STEP = "[Lantern has no step {} to return to; the last one is {}. Nothing has changed.]"
OVER_THERE = "[Lantern does not return to step {}: the game was over there. Nothing has changed.]"
TAKEN_BACK = "[Lantern has taken the last action back.]"
NOT_TAKEN_BACK = "[Lantern has no action to take back: it keeps the last one only. Nothing has changed.]"
LEFT = "[Lantern has ended the episode. The next action begins another.]"
UNDONE = "[Lantern took this action back: the game answers it with a menu of keys, or with nothing at all.]"
FAULTY = "[Lantern took this action back: the game stops with an error at it. The world is as it was before.]"
GIVEN_UP = (
    "[Lantern gave up on this action: the game did not come back from it. The world is as it was before.]"
)


def lantern_command_in(action: str) -> LanternCommand | None:
    """The word of Lantern's own that an action is; None: it is another."""
    word = action.lower().rstrip(".! ")
    if word == "q":
        return LanternCommand.QUIT
    return LanternCommand(word) if word in tuple(LanternCommand) else None


def refusal(action: str, length: int = 9) -> str | None:
    """The observation instead of an action that never reaches the game; None: it may pass.

    `length`: how many letters of a word the game's parser compares. A game reads several commands in
    one line, so each one's first word counts; a menu's word counts only where it stands alone.
    """
    for command in commands_in(action):
        words = command.split()
        if words[0][:length] in truncated(FORBIDDEN_WORDS, length):
            return f'[Lantern does not pass "{words[0]}" on to the game. Nothing has changed.]'
        if len(words) == 1 and words[0][:length] in truncated(MENUS, length):
            return f'[Lantern does not pass "{words[0]}" on: it opens a menu of keys. Nothing has changed.]'
    return None


def is_reply(action: str) -> bool:
    """Whether an action answers a question; a game may take a `no` without a word."""
    return action.lower().strip(" .!") in ("yes", "no", "y", "n")


def commands_in(action: str) -> list[str]:
    """The single commands of a line: `take lamp. quit then look` has three."""
    parted = action.lower().translate(SEPARATORS).replace(" then ", ".")
    return [command for command in parted.split(".") if command.split()]


SEPARATORS = str.maketrans(dict.fromkeys(";!?", "."))
