"""What a human reads in the status line: in versions 1 to 3 the interpreter draws it (section 8.2)."""

from __future__ import annotations

from services.game.emulator.protocol import StatusLine
from zmachine.emulator.frotz import Frotz
from zmachine.emulator.probes import room_in_globals
from zmachine.reading import scores, texts
from zmachine.reading.scores import Fraction
from zmachine.story_tables import StoryTables
from zmachine.ztext import word


def status_line_of(
    frotz: Frotz, tables: StoryTables, line: str, fraction: Fraction | None
) -> StatusLine | None:
    """The status line of this moment; None: there is none. `line`: what the story itself has drawn."""
    if tables.version <= 3:
        return _drawn_by_interpreter(frotz, tables)
    if not line:
        return None
    shown = scores.status_in(line, fraction)
    return StatusLine(texts.place_in_status(line), shown.score, shown.moves)


def _drawn_by_interpreter(frotz: Frotz, tables: StoryTables) -> StatusLine | None:
    """The name of the object in the first global variable, and score and moves from the next two."""
    room = room_in_globals(frotz, tables)
    if room is None:
        return None
    if tables.time_game:
        return StatusLine(tables.names[room])
    variables = frotz.memory(tables.variables + 2, 4)
    return StatusLine(
        tables.names[room], int.from_bytes(variables[:2], "big", signed=True), word(variables, 2)
    )
