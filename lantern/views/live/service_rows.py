"""What each service has to say at a step, for the live view."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.text import Text

from lantern.views.live.step_scene import SessionHistory, StepScene
from lantern.views.plan_lines import plan_lines
from lantern.views.text_view import one_line, printable
from schemas.actor import ActionProposed
from schemas.critic import ActionJudged, Decision
from schemas.fragment import FragmentGiven

PATIENCE = 1.0
"""Seconds after which a service that is still at work is said to be."""


@dataclass(frozen=True, slots=True)
class ServiceRow:
    """A service, and its words: lines that may be wrapped, or cut with an ellipsis where room is short."""

    name: str
    words: Text
    whole: str = ""
    """Everything that it said, with the names of its sections."""


def service_rows(history: SessionHistory, scene: StepScene, waited: float | None) -> list[ServiceRow]:
    """The sub-agents, then the actor and the critic.

    `waited`: seconds since the last message, where the step is the one under way; None: it is over.
    """
    before = history.at(scene.number - 1) if scene.number > history.oldest else None
    busy = services_at_work(history, scene) if waited is not None else ()
    rows = [_fragment_row(name, scene) for name in sorted(scene.said)]
    rows += [_actor_row(scene, before), _critic_row(scene, before)]
    known = {row.name for row in rows}
    rows = [ServiceRow(name, Text("")) for name in busy if name not in known] + rows
    return [_with_work(row, history, waited or 0.0) if row.name in busy else row for row in rows]


def services_at_work(history: SessionHistory, scene: StepScene) -> tuple[str, ...]:
    """The services whose answer is awaited, as far as the record tells."""
    if scene.verdict is not None or history.ended is not None:
        return ()
    if scene.proposal is not None:
        return ("critic",)
    awaited = {*scene.said, *history.asking} - {"actor", "critic"} - scene.answered
    return tuple(sorted(awaited)) or ("actor",)


def thinks(name: str, history: SessionHistory) -> bool:
    """Whether a service that is at work probably asks a language model."""
    asks = history.started is not None and history.started.asks_models
    return name in history.asking or (asks and name == "actor")


def _with_work(row: ServiceRow, history: SessionHistory, waited: float) -> ServiceRow:
    """At once where a model is asked, which takes long; else only what takes longer than usual."""
    model = thinks(row.name, history)
    if waited < PATIENCE and not model:
        return row
    what = "thinking" if model else "at work"
    told = Text(f"{what}, {waited:.0f} s" if waited >= PATIENCE else what, style="yellow")
    said = Text.assemble("  ", row.words, style="dim") if row.words else Text()
    return ServiceRow(row.name, told + said, row.whole)


def _fragment_row(name: str, scene: StepScene) -> ServiceRow:
    given = scene.said[name]
    words = Text()
    if error := scene.errors.get(name):
        words.append(f"no reply of the model: {error}  ", style="yellow")
    if given.degraded:
        words.append(f"by rule: {one_line(given.degraded)}  ", style="yellow")
    words.append(_short(given) or "nothing to say")
    return ServiceRow(name, words, _whole(given))


def _short(given: FragmentGiven) -> str:
    """Its suggestions, and its sections without line ends."""
    suggested = f"try: {'; '.join(map(one_line, given.suggestions))}" if given.suggestions else ""
    told = " ".join(" ".join(printable(section.text).split()) for section in given.sections)
    return "  ".join(filter(None, (suggested, told)))


def _whole(given: FragmentGiven) -> str:
    blocks = [f"[{section.name}]\n{printable(section.text).strip()}" for section in given.sections]
    suggested = [f"[suggestions]\n{'; '.join(map(one_line, given.suggestions))}"] if given.suggestions else []
    return "\n".join([*blocks, *suggested])


def _actor_row(scene: StepScene, before: StepScene | None) -> ServiceRow:
    """Until it has decided, what it decided before, which is the step's action."""
    if scene.proposal is not None:
        return ServiceRow("actor", Text("\n").join(_decision(scene.proposal, scene.errors.get("actor", ""))))
    held = before.proposal if before else None
    return ServiceRow("actor", Text(one_line(held.action), style="dim") if held else Text(""))


def _decision(proposal: ActionProposed, error: str) -> Iterator[Text]:
    yield Text.assemble((one_line(proposal.action), "bold"), "  ", one_line(proposal.reason))
    yield from (Text(line, style="green") for line in plan_lines(proposal.mind))
    if proposal.degraded:
        yield Text(f"by rule: {one_line(proposal.degraded)}", style="yellow")
    elif error:
        yield Text(f"no reply of the model: {error}", style="yellow")
    for notice in proposal.notices[:1]:
        yield Text(one_line(notice), style="yellow")
    if proposal.missing:
        yield Text(f"without {', '.join(proposal.missing)}", style="yellow")


def _critic_row(scene: StepScene, before: StepScene | None) -> ServiceRow:
    if scene.verdict is not None:
        return ServiceRow("critic", _verdict(scene.verdict))
    held = before.verdict if before else None
    words = _verdict(held) if held else Text("")
    words.stylize("dim")
    return ServiceRow("critic", words)


def _verdict(verdict: ActionJudged) -> Text:
    instead = verdict.decision is Decision.SUBSTITUTE
    by = "" if verdict.by == "critic" else f"{one_line(verdict.by)}: "
    return Text.assemble(
        by,
        ("substitutes " if instead else "approves ", "yellow" if instead else "green"),
        (one_line(verdict.action), "bold"),
        f"  {one_line(verdict.reason)}",
    )
