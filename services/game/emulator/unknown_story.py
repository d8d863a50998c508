"""Score, moves, end and hash of a story that Jericho does not know, from its text and its memory."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from schemas.sources import Source, TextKind
from services.game.emulator.frotz import Frotz
from services.game.emulator.probes import Player, Probe, wanderers_in
from services.game.emulator.readers import SILENT_END, Learnt, Reading, Told, usual_place, working_marks
from services.game.reading import prompts, scores, texts
from services.game.reading.scores import Fraction, Status
from services.game.reading.sources import known
from services.game.story.story_tables import StoryTables
from services.game.story.world_hash import LARGE, SMALL, hasher
from services.game.story.ztext import word

QUESTIONS = 16
"""How often a game that has not told its score yet is asked for it, at most."""


class UnknownStory:
    """Any other story: what its text and the Z-machine's rules tell."""

    asks: ClassVar[bool] = True
    player: int | None = None

    def __init__(self, frotz: Frotz, tables: StoryTables, player: Player | None) -> None:
        """`player`: as found at the opening."""
        self._frotz = frotz
        self._tables = tables
        self._place = usual_place(frotz)
        self._fraction: Fraction | None = None
        self.learnt = Learnt()
        self._learn()
        entry = SMALL if tables.version <= 3 else LARGE
        self._hasher = hasher(
            entry,
            tables.layout.count,
            working_marks(frotz, entry, self._area),
            wanderers_in(Probe(frotz, tables).waiting()) - {player.number if player else 0},
        )

    def _learn(self) -> None:
        """From the opening: does the game answer `score`, and what are the numbers of its status line?"""
        asked = self._asked()
        before = self._frotz.state()
        looked, waited = (texts.parted(self._frotz.step(action))[1] for action in ("look", "wait"))
        self._frotz.restore(before)
        self._fraction = scores.fraction_of(looked, waited, asked.score)
        self._keep(scores.status_in(waited, self._fraction), Source.STATUS_LINE)

    def _area(self) -> bytes:
        return self._frotz.memory(self._tables.layout.start, self._tables.layout.length)

    def world(self) -> str:
        return self._hasher.hash(self._area())

    def surface(self) -> bytes:
        return self._area()

    def score(self, text: str) -> int | None:
        if self._tables.version <= 3 and not self._tables.time_game:
            return self._counted("")[0].value
        return scores.status_in(texts.parted(text)[1], self._fraction).score

    def read(self, text: str, *, closely: bool = True) -> Reading:
        observation, line = texts.parted(text)
        aside = self._frotz.place() != self._place
        done = self._frotz.has_quit() or prompts.ended(observation, aside=aside)
        score, moves = self._counted(line)
        if done and (final := scores.score_answer(observation)).score is not None:
            score = told(final.score, Source.TEXT)
            moves = moves if final.moves is None else told(final.moves, Source.TEXT)
        if closely and (score.value is None or moves.value is None):
            answer = self._latest(may_ask=not done and not aside)
            score = score if score.value is not None else told(answer.score, Source.TEXT)
            moves = moves if moves.value is not None else told(answer.moves, Source.TEXT)
        gained = scores.announced(observation)
        if closely and gained:
            self.learnt = replace(self.learnt, announced=(self.learnt.announced or 0) + gained)
        if score.value is None and self.learnt.announced is not None:
            score = Told(self.learnt.announced, Source.TEXT)
        full = score.value is not None and score.value == self.learnt.max_score.value
        return Reading(
            observation=observation or SILENT_END * self._frotz.has_quit(),
            score=score.value,
            moves=moves.value,
            done=done,
            victory=done and prompts.won(observation, full_score=full),
            kind=TextKind.ENDED if done else prompts.kind_of(observation, aside=aside),
            gained=gained,
            place=texts.place_in_status(line),
            score_source=score.source,
            moves_source=moves.source,
            end_source=Source.MEMORY if self._frotz.has_quit() else Source.TEXT,
        )

    def _counted(self, line: str) -> tuple[Told, Told]:
        """Score and moves: by specification in versions 1 to 3 (section 8.2.2), else by the status line."""
        if self._tables.version <= 3 and not self._tables.time_game:
            variables = self._frotz.memory(self._tables.variables + 2, 4)
            points = int.from_bytes(variables[:2], "big", signed=True)
            return told(points, Source.MEMORY), told(word(variables, 2), Source.MEMORY)
        shown = scores.status_in(line, self._fraction)
        self._keep(shown, Source.STATUS_LINE)
        return told(shown.score, Source.STATUS_LINE), told(shown.moves, Source.STATUS_LINE)

    def _latest(self, *, may_ask: bool) -> Status:
        """What the game answers to `score` now, or (while it asks something itself) answered last."""
        if may_ask and (self.learnt.answers or self.learnt.asked < QUESTIONS):
            return self._asked()
        return self.learnt.latest

    def _asked(self) -> Status:
        """What the game answers to `score`; the question is taken back."""
        before = self._frotz.state()
        answer = scores.score_answer(texts.parted(self._frotz.step("score"))[0])
        self._frotz.restore(before)
        answers = self.learnt.answers or answer.score is not None
        self.learnt = replace(self.learnt, asked=self.learnt.asked + 1, answers=answers, latest=answer)
        self._keep(answer, Source.TEXT)
        return answer

    def _keep(self, told: Status, source: Source) -> None:
        if told.max_score is not None and self.learnt.max_score.value is None:
            self.learnt = replace(self.learnt, max_score=Told(told.max_score, source))


def told(value: int | None, source: Source) -> Told:
    return Told(value, known(value, source))
