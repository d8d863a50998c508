"""Plays actions for the tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lantern.mcp.answers import CriticOpinion, Hint, PlayedStep
from lantern.mcp.games import Games
from lantern.play.interactive.played_session import ClientStep
from schemas.critic import ActionJudged, Decision
from schemas.fragment import Fragment
from schemas.memory import NamedRoom

QUIET_SERVICE = "memory"
"""It has tools of its own, which tell more."""


async def play_action(games: Games, action: str, session: str | None) -> PlayedStep:
    """Play an action, and tell what came of it; empty: only tell how the game stands.

    Raises:
        LanternError: it cannot be played.
    """
    game, begins = await games.game(session)
    opening = None
    if action and begins:
        opening = (await game.look()).step.observation
    seen = await (game.act(action) if action else game.look())
    return _told(game.session, seen, action, opening)


def _told(session: str, seen: ClientStep, action: str, opening: str | None) -> PlayedStep:
    step = seen.step
    ended = seen.summary.ended if seen.summary else None
    return PlayedStep(
        session=session,
        step=step.step,
        steps_left=max(0, seen.started.steps - step.step),
        action=step.action,
        substituted=bool(action) and step.action != action.strip(),
        observation=step.observation,
        opening=opening,
        room=NamedRoom(id=step.room.id, name=step.room.name) if step.room else None,
        score=step.score,
        max_score=seen.started.max_score,
        reward=step.reward,
        moves=step.moves,
        done=step.done,
        victory=step.victory,
        episode=step.episode,
        valid_actions=step.valid_actions.actions if step.valid_actions else None,
        critic=_opinion(seen.opinion) if seen.opinion else None,
        hints=tuple(_hints(seen.fragments)),
        notices=seen.notices,
        ended=(ended.detail or ended.reason.value) if ended else ("stopped" if seen.summary else None),
    )


def _opinion(verdict: ActionJudged) -> CriticOpinion:
    instead = verdict.action if verdict.decision is Decision.SUBSTITUTE else None
    return CriticOpinion(score=verdict.score, reason=verdict.reason, instead=instead)


def _hints(fragments: Mapping[str, Fragment]) -> Iterator[Hint]:
    for service, fragment in fragments.items():
        text = "\n\n".join(section.text for section in fragment.sections if section.text)
        if service != QUIET_SERVICE and (text or fragment.suggestions):
            yield Hint(service=service, text=text, suggestions=fragment.suggestions)
