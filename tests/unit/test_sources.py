"""The emulator's words for sources and kinds of text are those of the bus."""

import dataclasses

from schemas import game
from services.game import sources


def test_both_sides_say_the_same() -> None:
    assert [*sources.Source] == [*game.Source]
    assert [*sources.TextKind] == [*game.TextKind]
    assert [field.name for field in dataclasses.fields(sources.Sources)] == [*game.Sources.model_fields]


def test_what_is_not_said_is_unknown() -> None:
    assert set(game.Sources().model_dump().values()) == {"unknown"}
    assert sources.known(None, sources.Source.TEXT) is sources.Source.UNKNOWN
    assert sources.known(0, sources.Source.TEXT) is sources.Source.TEXT
