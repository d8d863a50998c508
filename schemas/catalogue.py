"""Every message of the mesh with its subject, its publishers and its consumers.

The JSON Schemas (`schemas/json/`), the AsyncAPI document and `docs/messages.md` are generated from here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel

from schemas.actor import (
    ActionProposed,
    AdviceAnswer,
    AskAdvice,
    ControlsAnswer,
    ControlsTaken,
    TakeControls,
    TypeAction,
)
from schemas.base import Kind, Message
from schemas.critic import ActionJudged, AskOpinion, OpinionAnswer
from schemas.experience import AskExperience, ExperienceAnswer, ExperienceForgotten, ForgetExperience
from schemas.fragment import FragmentGiven
from schemas.game import (
    PaceAnswer,
    PaceSession,
    ResumeSession,
    SessionAnswer,
    SessionEnded,
    SessionStarted,
    StartSession,
    StepTaken,
    StopSession,
)
from schemas.language_model import ModelAsked
from schemas.lookahead import LookedAhead
from schemas.memory import (
    AskExits,
    AskInventory,
    AskMemory,
    AskNearestUnexplored,
    AskRoute,
    AskTried,
    AskWhatHappened,
    AskWhereAmI,
    AskWhereIs,
    EventsAnswer,
    ExitsAnswer,
    InventoryAnswer,
    LocationAnswer,
    MemoryAnswer,
    RoomAnswer,
    RouteAnswer,
    TriedAnswer,
)
from schemas.mesh import (
    DeadLetter,
    MessageRecalled,
    OfferAnswer,
    OfferMessage,
    RecallMessage,
    RetryAnswer,
    RetryDeadLetter,
    ServiceAlive,
)

RECORDED: tuple[type[Message], ...] = (
    SessionStarted,
    StepTaken,
    FragmentGiven,
    ActionProposed,
    ActionJudged,
    ModelAsked,
    LookedAhead,
    ControlsTaken,
    SessionEnded,
)
"""The messages of a session's record, each in an envelope."""

PARTIES = ("actor", "critic", "game", "hint", "lantern", "memory", "narrator", "npc_tracker", "planner")
"""Our own services, and the command line."""

MESSAGE_OF: Mapping[Kind, type[Message]] = {message.kind: message for message in RECORDED}


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """One line of the catalogue."""

    message: type[BaseModel]
    subject: str
    answer: type[BaseModel] | None = None

    @property
    def recorded(self) -> bool:
        """Whether the message lives in a session's record (in an envelope)."""
        return issubclass(self.message, Message)

    @property
    def publishers(self) -> tuple[str, ...]:
        """The services that publish it (or ask), from the docstring."""
        return _named(self.message, "Published by") or _named(self.message, "Asked by")

    @property
    def consumers(self) -> tuple[str, ...]:
        """The services that consume it (or answer), from the docstring."""
        return _named(self.message, "Consumed by") or _named(self.message, "Answered by")


def _recorded(message: type[Message]) -> CatalogueEntry:
    tail = ".{service}" * message.by_service + ".{call}" * message.numbered
    return CatalogueEntry(message, f"lantern.{{cell}}.{{session}}.{message.kind}.{{step}}{tail}")


CATALOGUE: tuple[CatalogueEntry, ...] = (
    *map(_recorded, RECORDED),
    CatalogueEntry(DeadLetter, "lantern.{cell}.{session}.dead.{service}.{sequence}"),
    CatalogueEntry(ServiceAlive, "lantern.{cell}.live.{service}.{instance}"),
    CatalogueEntry(StartSession, "lantern.{cell}.ask.game.start", SessionAnswer),
    CatalogueEntry(ResumeSession, "lantern.{cell}.ask.game.resume", SessionAnswer),
    CatalogueEntry(StopSession, "lantern.{cell}.ask.game.stop", SessionAnswer),
    CatalogueEntry(PaceSession, "lantern.{cell}.ask.game.pace", PaceAnswer),
    CatalogueEntry(TakeControls, "lantern.{cell}.ask.game.controls", ControlsAnswer),
    CatalogueEntry(TypeAction, "lantern.{cell}.ask.actor.act", ControlsAnswer),
    CatalogueEntry(AskAdvice, "lantern.{cell}.ask.actor.advise", AdviceAnswer),
    CatalogueEntry(AskOpinion, "lantern.{cell}.ask.critic.opinion", OpinionAnswer),
    CatalogueEntry(RecallMessage, "lantern.{cell}.ask.game.recall", MessageRecalled),
    CatalogueEntry(OfferMessage, "lantern.{cell}.offer.{session}.{agent}", OfferAnswer),
    CatalogueEntry(AskMemory, "lantern.{cell}.ask.memory.search", MemoryAnswer),
    CatalogueEntry(AskWhereAmI, "lantern.{cell}.ask.memory.where_am_i", RoomAnswer),
    CatalogueEntry(AskInventory, "lantern.{cell}.ask.memory.inventory", InventoryAnswer),
    CatalogueEntry(AskExits, "lantern.{cell}.ask.memory.exits", ExitsAnswer),
    CatalogueEntry(AskNearestUnexplored, "lantern.{cell}.ask.memory.nearest_unexplored", RouteAnswer),
    CatalogueEntry(AskWhereIs, "lantern.{cell}.ask.memory.where_is", LocationAnswer),
    CatalogueEntry(AskWhatHappened, "lantern.{cell}.ask.memory.happened", EventsAnswer),
    CatalogueEntry(AskRoute, "lantern.{cell}.ask.memory.route", RouteAnswer),
    CatalogueEntry(AskTried, "lantern.{cell}.ask.memory.tried", TriedAnswer),
    CatalogueEntry(AskExperience, "lantern.{cell}.ask.memory.experience", ExperienceAnswer),
    CatalogueEntry(ForgetExperience, "lantern.{cell}.ask.memory.forget", ExperienceForgotten),
    CatalogueEntry(RetryDeadLetter, "lantern.{cell}.ask.{service}.retry", RetryAnswer),
)


def summary_of(documented: type) -> str:
    """The first line of a docstring; without a docstring, the name."""
    return (documented.__doc__ or documented.__name__).strip().splitlines()[0]


def _named(message: type[BaseModel], label: str) -> tuple[str, ...]:
    """The services that the docstring's line names, `every service` included."""
    line = re.search(rf"{label}: (.+?)(?:\n\s*\n|\n\s*[A-Z]|$)", message.__doc__ or "", re.S)
    if line is None:
        return ()
    words = " ".join(line[1].split())
    return ("every service",) if words.startswith("every service") else _parties_in(words)


def _parties_in(words: str) -> tuple[str, ...]:
    return tuple(word for word in re.findall(r"[a-z_]+", words) if word in PARTIES)
