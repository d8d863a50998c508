"""What earlier sessions of a story have taught: asked of the memory before a session starts."""

from __future__ import annotations

from lantern.play.session_options import PlayOptions
from lantern.play.watching import SessionView
from mesh.printable import counted, one_line
from mesh.record.bus import Bus
from schemas.experience import AskExperience, ExperienceAnswer, StoryExperience

PATIENCE = 60.0
"""Seconds for the memory's answer: it may have to open a file, and to wait for another session that does."""


async def experience_of(
    options: PlayOptions, story_md5: str, bus: Bus, view: SessionView
) -> StoryExperience | None:
    """What is known of the story, which the view is told; None: the session is played without experience.

    Raises:
        NobodyAnswers: no memory does.
    """
    if options.taught is not None or not options.experience:
        return options.taught
    asked = AskExperience(story_md5=story_md5, text_only=options.text_only)
    ask = bus.requests.ask
    answer = await ask(
        "memory", "experience", asked, ExperienceAnswer, session=options.session, timeout=PATIENCE
    )
    if answer.fault:
        view.show_notice(one_line(answer.fault))
    view.show_notice(f"experience: {summary_of_experience(answer.experience)}")
    return answer.experience


def summary_of_experience(known: StoryExperience) -> str:
    """An experience in a line."""
    if not known.sessions:
        return "no session of this story has left any yet"
    best = f"best score {known.best_score}" if known.best_score is not None else f"{known.best_points} points"
    return ", ".join(
        (
            counted(known.sessions, "session"),
            best,
            counted(len(known.rooms), "room"),
            counted(known.deaths, "death"),
            f"a route of {counted(len(known.best_route), 'action')}",
        )
    )
