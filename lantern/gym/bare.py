"""A game played by the emulator alone: nothing is recorded, and no service takes part."""

from __future__ import annotations

import msgspec

from lantern.evaluation.plan import Regime
from lantern.gym.game import GameMoment
from mesh.errors import InputError
from search.remote.client import RemoteEnvironment
from search.remote.protocol import INVENTORY, ROOM, VALID_ACTIONS, RemoteMoment, RemotePosition
from services.game.actions import FAULTY, lantern_command_in, refusal
from zmachine.emulator.input_line import cleaned
from zmachine.reading import scores
from zmachine.story_file import StoryFile

NOT_A_COMMAND = "[The environment's reset, save and restore do that. Nothing has changed.]"

_ENCODER = msgspec.msgpack.Encoder()


class SavedBareGame(msgspec.Struct, frozen=True):
    """A position with the text that led to it."""

    story: str
    """The story's MD5."""
    position: RemotePosition
    text: str


class BareGame:
    """The emulator in a process of its own, which is started by the first episode."""

    def __init__(self, story: StoryFile, regime: Regime, seed: int, *, scene: bool) -> None:
        """`scene`: whether moments tell room and inventory, which costs time."""
        self._story, self._regime, self._seed = story, regime, seed
        told = (ROOM, INVENTORY) if scene and not regime.text_only else ()
        self._facts = (*told, VALID_ACTIONS) if regime.valid_actions else told
        self._environment: RemoteEnvironment | None = None
        self._score = 0
        self._text = ""
        self._last_facts: dict[str, object] = {}
        self._played: dict[str, tuple[str, str | None]] = {}

    def begin(self, seed: int | None) -> GameMoment:
        """The opening; another seed needs another emulator."""
        if self._environment is not None and seed in (None, self._seed):
            return self._told(self._environment.restart(), gained=False)
        self.close()
        self._seed = seed or self._seed
        self._environment = RemoteEnvironment(self._story, self._seed, self._facts)
        return self._told(self._environment.opening, gained=False)

    def play(self, action: str) -> GameMoment:
        """Play an action; one that would harm the emulator is answered in square brackets."""
        typed, refused = self._passed_on(action)
        if refused is not None:
            return GameMoment(refused, facts=self._last_facts)
        return self._told(self._running.step(typed))

    def save(self) -> bytes:
        """The emulator's memory."""
        return _ENCODER.encode(SavedBareGame(self._story.md5, self._running.save(), self._text))

    def restore(self, saved: bytes) -> GameMoment:
        """Go back there.

        Raises:
            InputError: it is no position of this story.
        """
        try:
            game = msgspec.msgpack.decode(saved, type=SavedBareGame)
        except msgspec.DecodeError as error:
            raise InputError(f"This is no saved game ({error}). Give what save() has returned.") from error
        if game.story != self._story.md5:
            raise InputError(
                "This game was saved in another story. Give what save() has returned in this one."
            )
        moment = self._running.restore(game.position)
        return self._told(msgspec.structs.replace(moment, text=game.text), gained=False)

    def close(self) -> None:
        """End the emulator."""
        if self._environment is not None:
            self._environment.close()
            self._environment = None

    @property
    def _running(self) -> RemoteEnvironment:
        if self._environment is None:
            raise InputError("The environment is closed, or has not begun. Call reset() first.")
        return self._environment

    def _told(self, moment: RemoteMoment, *, gained: bool = True) -> GameMoment:
        text = FAULTY if moment.refused else moment.text
        reward = scores.announced(text) if self._regime.text_only else moment.score - self._score
        self._score, self._text = moment.score, text
        self._last_facts = {} if self._regime.text_only else _facts(moment)
        if moment.valid_actions is not None and not self._regime.text_only:
            self._last_facts["admissible_commands"] = list(moment.valid_actions)
        return GameMoment(
            text, float(reward) if gained else 0.0, moment.done, moment.victory, dict(self._last_facts)
        )

    def _passed_on(self, action: str) -> tuple[str, str | None]:
        """What the emulator is given, and why it is not; kept, because actions come again and again."""
        if action not in self._played:
            if len(self._played) > MOST_KEPT:
                self._played.clear()
            typed = cleaned(action)
            known = NOT_A_COMMAND if lantern_command_in(typed) else refusal(typed)
            self._played[action] = typed, known
        return self._played[action]


MOST_KEPT = 10_000


def _facts(moment: RemoteMoment) -> dict[str, object]:
    """What is known; what is not, is left out, for arrays of several environments bear no None."""
    known = {
        "score": moment.score,
        "max_score": moment.max_score,
        "moves": moment.moves,
        "room": moment.room,
        "inventory": None if moment.inventory is None else list(moment.inventory),
    }
    return {name: value for name, value in known.items() if value is not None}
