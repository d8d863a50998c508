"""Where a step's values come from: the emulator's child and the bus name the same values."""

from msgspec.structs import fields

from schemas import game
from schemas.sources import Source
from zmachine.reading import sources


def test_both_sides_have_the_same_values() -> None:
    assert [field.name for field in fields(sources.ValueSources)] == [*game.Sources.model_fields]


def test_what_is_not_said_is_unknown() -> None:
    assert set(game.Sources().model_dump().values()) == {"unknown"}
    assert sources.known(None, Source.TEXT) is Source.UNKNOWN
    assert sources.known(0, Source.TEXT) is Source.TEXT
