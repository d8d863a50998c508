"""Score, moves, end and hash of a story that Jericho does not know, from its text and its memory."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from schemas.sources import Source, TextKind
from zmachine.emulator.frotz import Frotz
from zmachine.emulator.probes import PlayerObject, Probe, wanderers_in
from zmachine.emulator.readers import (
    SILENT_END,
    Reading,
    ScoreKnowledge,
    SourcedValue,
    told_score,
    usual_place,
    working_marks,
)
from zmachine.printed_names import printed_names
from zmachine.reading import prompts, scores, texts
from zmachine.reading.scores import Fraction, Status
from zmachine.reading.sources import known
from zmachine.story_tables import StoryTables
from zmachine.world_hash import LARGE, SMALL, hasher
from zmachine.ztext import word

QUESTIONS = 16
"""How often at most a game is asked for its score while it has never answered with one."""


class UnknownStory:
    """A story that Jericho does not know: its text and the Z-machine's rules are all there is to read."""

    asks: ClassVar[bool] = True
    player: int | None = None

    def __init__(self, frotz: Frotz, tables: StoryTables, player: PlayerObject | None) -> None:
        """`player`: as found at the opening."""
        self._frotz = frotz
        self._tables = tables
        self._place = usual_place(frotz)
        self._numbered: tuple[str, ...] = ()
        """Names that end in a digit; they run into the numbers of the status line."""
        self.fraction: Fraction | None = None
        self.scoring = ScoreKnowledge()
        self._learn()
        entry = SMALL if tables.version <= 3 else LARGE
        self._hasher = hasher(
            entry,
            tables.layout.count,
            working_marks(frotz, entry, self._area),
            wanderers_in(Probe(frotz, tables.layout).waiting()) - {player.number if player else 0},
        )

    def _learn(self) -> None:
        """From the opening: does the game answer `score`, and what are the numbers of its status line?"""
        asked = self._asked()
        before = self._frotz.state()
        looked = self._frotz.step("look")
        self._numbered = self._names_that_end_in_digits(looked)
        opening, waited = (self._split(text)[1] for text in (looked, self._frotz.step("wait")))
        self._frotz.restore(before)
        self.fraction = scores.fraction_of(opening, waited, asked.score)
        self._learn_max_score(scores.status_in(waited, self.fraction), Source.STATUS_LINE)

    def _names_that_end_in_digits(self, looked: str) -> tuple[str, ...]:
        """Of all objects, where the status line has numbers; `looked`: what tells how the room is called."""
        observation, line = texts.split_status_line(looked)
        if not scores.FRACTION_IN_STATUS.search(line):
            return ()
        memory, layout, room = self._frotz.story(), self._tables.layout, texts.heading_in(observation)
        named = (printed_names(memory, layout, number, room) for number in range(1, layout.count + 1))
        names = (*self._tables.shown, *next(filter(None, named), {}).values())
        return tuple(name for name in names if name[-1:].isdigit())

    def _split(self, text: str) -> tuple[str, str]:
        """A text without its status line, and that line."""
        observation, line = texts.split_status_line(text)
        return observation, texts.with_numbers_apart(line, self._numbered)

    def _area(self) -> bytes:
        return self._frotz.memory(self._tables.layout.start, self._tables.layout.length)

    def world(self) -> str:
        return self._hasher.hash(self._area())

    def surface(self) -> bytes:
        return self._area()

    def score(self, text: str) -> int | None:
        if self._tables.version <= 3 and not self._tables.time_game:
            return self._counted("")[0].value
        return scores.status_in(self._split(text)[1], self.fraction).score

    def read(self, text: str, *, closely: bool = True) -> Reading:
        observation, line = self._split(text)
        aside = self._frotz.place() != self._place
        done = self._frotz.has_quit() or prompts.ended(observation, aside=aside)
        score, moves = self._counted(line)
        if done and (final := scores.score_answer(observation)).score is not None:
            score = sourced(final.score, Source.TEXT)
            moves = moves if final.moves is None else sourced(final.moves, Source.TEXT)
        if closely and (score.value is None or moves.value is None):
            answer = self._latest(may_ask=not done and not aside)
            score = score if score.value is not None else sourced(answer.score, Source.TEXT)
            moves = moves if moves.value is not None else sourced(answer.moves, Source.TEXT)
        gained = scores.announced(observation)
        if closely and gained:
            self.scoring = replace(self.scoring, announced=(self.scoring.announced or 0) + gained)
        if score.value is None and self.scoring.announced is not None:
            score = SourcedValue(self.scoring.announced, Source.TEXT)
        full = score.value is not None and score.value == self.scoring.max_score.value
        return Reading(
            observation=observation or SILENT_END * self._frotz.has_quit(),
            score=score.value,
            moves=moves.value,
            done=done,
            victory=done and prompts.won(observation, full_score=full),
            kind=TextKind.ENDED if done else prompts.kind_of(observation, aside=aside),
            gained=gained,
            place=texts.place_in_status(line),
            line=line,
            score_source=score.source,
            moves_source=moves.source,
            end_source=Source.MEMORY if self._frotz.has_quit() else Source.TEXT,
        )

    def _counted(self, line: str) -> tuple[SourcedValue, SourcedValue]:
        """Score and moves: by specification in versions 1 to 3 (section 8.2.2), else by the status line."""
        if self._tables.version <= 3 and not self._tables.time_game:
            variables = self._frotz.memory(self._tables.variables + 2, 4)
            points = int.from_bytes(variables[:2], "big", signed=True)
            return sourced(points, Source.MEMORY), sourced(word(variables, 2), Source.MEMORY)
        shown = scores.status_in(line, self.fraction)
        self._learn_max_score(shown, Source.STATUS_LINE)
        return sourced(shown.score, Source.STATUS_LINE), sourced(shown.moves, Source.STATUS_LINE)

    def _latest(self, *, may_ask: bool) -> Status:
        """What the game answers to `score` now, or (while it asks something itself) answered last."""
        if may_ask and (self.scoring.answers or self.scoring.asked < QUESTIONS):
            return self._asked()
        return self.scoring.latest

    def _asked(self) -> Status:
        """What the game answers to `score`, which is remembered."""
        answer = told_score(self._frotz)
        answers = self.scoring.answers or answer.score is not None
        self.scoring = replace(self.scoring, asked=self.scoring.asked + 1, answers=answers, latest=answer)
        self._learn_max_score(answer, Source.TEXT)
        return answer

    def _learn_max_score(self, status: Status, source: Source) -> None:
        if status.max_score is not None and self.scoring.max_score.value is None:
            self.scoring = replace(self.scoring, max_score=SourcedValue(status.max_score, source))


def sourced(value: int | None, source: Source) -> SourcedValue:
    return SourcedValue(value, known(value, source))
