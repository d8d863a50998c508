"""What is in reach, and what an action does, asked of an emulator that answers from a table."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import cast

from search.valid_actions.action_search import Trial
from search.valid_actions.reach import Reach
from tests.support.scenes.story_builder import a_story, with_dictionary, with_objects
from zmachine.dictionary import NOUN
from zmachine.emulator.frotz import Frotz
from zmachine.emulator.readers import Reader, Reading
from zmachine.grammar.patterns import SceneNouns
from zmachine.object_table import Words
from zmachine.story_tables import tables_of

ABSENT, PLAIN, WHICH = "You can't see any such thing.", "You see nothing special.", "Which do you mean?"
PLAYER, ROOM, COMPASS, VAULT = 1, 2, 3, 4
STORY = with_objects(
    with_dictionary(
        a_story(length=8192, dictionary=4096),
        dict.fromkeys(("examine", "north", "east", "west"), 0)
        | dict.fromkeys(("lamp", "ball", "wall", "crown", "orb", "throne"), NOUN),
    ),
    ("me", ROOM, 5, 0),
    ("hall", 0, 0, PLAYER),
    ("compass", 0, 0, 8),
    ("vault", 0, 0, 11),
    ("lamp", ROOM, 6, 0),
    ("ball", ROOM, 7, 0),
    ("ball", ROOM, 0, 0),
    *(("wall", COMPASS, 9, 0), ("wall", COMPASS, 10, 0), ("wall", COMPASS, 0, 0)),
    *(("crown", VAULT, 12, 0), ("orb", VAULT, 0, 0)),
)
WORDS: Words = {
    **{5: ("lamp",), 6: ("ball",), 7: ("ball",), 11: ("crown",), 12: ("orb",)},
    **{8: ("wall", "north"), 9: ("wall", "east"), 10: ("wall", "west")},
}


@dataclass
class TableFrotz:
    """Answers each line from a table, and can be saved and restored."""

    answers: dict[str, str]
    typed: list[str] = field(default_factory=list)

    def step(self, action: str) -> str:
        self.typed.append(action)
        return self.answers.get(action, PLAIN)

    def place(self) -> tuple[int, ...]:
        return (int(bool(self.typed) and self.step_asked()),)

    def step_asked(self) -> bool:
        return self.answers.get(self.typed[-1]) == WHICH

    def state(self) -> list[str]:
        return list(self.typed)

    def restore(self, state: list[str]) -> None:
        self.typed = list(state)

    def memory(self, start: int, length: int) -> bytes:
        return STORY[start : start + length]

    def halted(self) -> bool:
        return False

    def has_quit(self) -> bool:
        return False

    def awaits_key(self) -> bool:
        return self.typed[-1:] == ["enter stage"]


@dataclass
class TypedReader:
    """A world that consists of the keys pressed."""

    frotz: TableFrotz

    def world(self) -> str:
        return str(self.frotz.typed.count(" "))

    def surface(self) -> bytes:
        return self.world().encode()

    def score(self, text: str) -> int | None:
        return None

    def read(self, text: str, *, closely: bool = True) -> Reading:
        return Reading(text)


def nouns_here(answers: dict[str, str]) -> SceneNouns:
    tables = replace(tables_of(STORY), words=WORDS, things=frozenset({"lamp", "ball", "throne"}))
    absent = {"examine crown": ABSENT, "examine orb": ABSENT, "examine throne": ABSENT, "examine wall": WHICH}
    return Reach(cast(Frotz, TableFrotz(absent | answers)), tables, PLAYER, ROOM).nouns()


def test_how_an_absent_thing_is_answered_is_not_learned_from_walls_that_are_everywhere() -> None:
    found = nouns_here({"look": "A lamp hangs here. A picture shows a throne.", "examine lamp": "It is lit."})

    assert "lamp" in found.seen
    assert "throne" not in found.mentioned


def test_a_name_for_a_thing_and_for_another_without_a_name_of_its_own_is_shared() -> None:
    found = nouns_here({"look": "A lamp and two balls."})

    assert found.seen == ("lamp", "ball")
    assert found.shared == {"ball"}


def test_what_an_action_does_behind_a_pause_counts() -> None:
    frotz = TableFrotz({"enter stage": "The music stops. [Press SPACE]", " ": "You are on the stage."})
    trial = Trial(cast(Frotz, frotz), cast(Reader, TypedReader(frotz)))

    trial.attempt("enter stage")

    assert trial.found(()) == ("enter stage",)
