"""A recorded session as a text to read: Markdown, an HTML page, or JSON.

Texts of stories, agents and models are data: Markdown shows them in code blocks, the page escapes them.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from pydantic import ValidationError

from language_model.model import Prompt, PromptPart, Reply, ToolCall
from lantern.views.plan_lines import plan_lines
from mesh.printable import one_line, printable
from mesh.record.step_messages import StepMessages
from schemas.actor import ActionProposed
from schemas.critic import ActionJudged
from schemas.envelope import Envelope
from schemas.fragment import FragmentGiven
from schemas.game import SessionEnded, SessionStarted, StepTaken
from schemas.language_model import ModelAsked

STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:50em;margin:2em auto;padding:0 1em}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f4f4f4;padding:.6em}"
    "h3{margin:.8em 0 .2em;font-size:1em;color:#555}"
)


@dataclass(frozen=True, slots=True)
class Passage:
    """What somebody said: the game, an agent, or a model with its prompt."""

    who: str
    text: str


@dataclass(frozen=True, slots=True)
class TranscriptStep:
    """A step with everything that was said about it."""

    step: int
    heading: str
    passages: tuple[Passage, ...]


def chapter_of(moment: StepMessages, *, models: bool) -> TranscriptStep:
    """A step's chapter; `models`: with every prompt and reply."""
    bodies = [message.body for message in moment.messages]
    step = next((body for body in bodies if isinstance(body, StepTaken)), None)
    said = (passage for message in moment.messages for passage in _passages(message, models=models))
    return TranscriptStep(moment.number, _heading(moment.number, step), tuple(said))


def markdown(session: str, chapters: list[TranscriptStep]) -> Iterator[str]:
    """The lines of the Markdown."""
    yield f"# {session}"
    for chapter in chapters:
        yield f"\n## {_plain(chapter.heading)}"
        for passage in chapter.passages:
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", passage.text)), default=0))
            yield f"\n### {_plain(passage.who)}\n\n{fence}text\n{printable(passage.text)}\n{fence}"


def page(session: str, chapters: list[TranscriptStep]) -> Iterator[str]:
    """The lines of a page that loads nothing and runs nothing."""
    name = html.escape(session)
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    yield f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{name}</title>'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}"><style>{STYLE}</style></head>'
    yield f"<body><h1>{name}</h1>"
    for chapter in chapters:
        yield f'<section id="step-{chapter.step}"><h2>{html.escape(one_line(chapter.heading))}</h2>'
        for passage in chapter.passages:
            yield f"<h3>{html.escape(one_line(passage.who))}</h3>"
            yield f"<pre>{html.escape(printable(passage.text))}</pre>"
        yield "</section>"
    yield "</body></html>"


def as_json(session: str, chapters: list[TranscriptStep]) -> str:
    """One object with the steps."""
    return json.dumps({"session": session, "steps": [asdict(chapter) for chapter in chapters]})


def _heading(number: int, step: StepTaken | None) -> str:
    if step is None:
        return f"Step {number}"
    room = f", {step.room.name}" if step.room else ""
    score = "" if step.score is None else f", score {step.score}"
    return f"Step {number}: {step.action or 'the opening'}{room}{score}"


def _passages(message: Envelope, *, models: bool) -> Iterator[Passage]:
    """What a message says; nothing, if it repeats what was said or only approves."""
    match message.body:
        case SessionStarted(resumed=True) as started:
            yield Passage("session", f"goes on after step {started.step}, up to {started.steps}")
        case SessionStarted() as started:
            yield Passage("session", f"{started.game}, policy {started.policy}, seed {started.seed}")
        case StepTaken() as step:
            yield Passage("game", step.observation.strip())
        case FragmentGiven(unchanged=False) as given:
            texts = [section.text for section in given.sections]
            tried = [f"Worth trying: {'; '.join(given.suggestions)}"] if given.suggestions else []
            rule = [f"(by rule: {given.degraded})"] if given.degraded else []
            if said := "\n\n".join([*texts, *tried, *rule]):
                yield Passage(message.service.name, said)
        case ActionProposed() as proposal:
            notices = "".join(f"! {notice}\n" for notice in proposal.notices)
            rule_note = f"\n(by rule: {proposal.degraded})" if proposal.degraded else ""
            aim = "".join(f"\n{line}" for line in plan_lines(proposal.mind))
            yield Passage("actor", f"{notices}> {proposal.action}\n{proposal.reason}{aim}{rule_note}")
        case ActionJudged() as verdict:
            yield Passage(verdict.by, f"{verdict.decision.value}: {verdict.action}\n{verdict.reason}")
        case ModelAsked() as asked if models:
            yield Passage(f"prompt of {message.service.name} to {asked.model}", prompt_text(asked.prompt))
            yield Passage(f"reply to {message.service.name}", asked.error or reply_text(asked.reply))
        case SessionEnded() as ended:
            yield Passage("session", f"ended: {ended.reason.value} {ended.detail}".strip())
        case _:
            return


def prompt_text(text: str) -> str:
    """A recorded prompt as a person reads it."""
    try:
        prompt = Prompt.model_validate_json(text)
    except ValidationError:
        return text
    parts = [f"[{part.role.value}]\n{_part(part)}" for part in prompt.parts]
    tools = [f"[tools] {', '.join(tool.name for tool in prompt.tools)}"] if prompt.tools else []
    return "\n\n".join([*([f"[system]\n{prompt.system}"] if prompt.system else []), *parts, *tools])


def _part(part: PromptPart) -> str:
    return "\n".join(filter(None, (part.text, _call(part.call) if part.call else "")))


def _call(call: ToolCall) -> str:
    return "\n".join([f"[calls {call.name}]", *(f"{name}: {it}" for name, it in call.arguments.items())])


def reply_text(text: str) -> str:
    """A recorded reply as a person reads it."""
    try:
        reply = Reply.model_validate_json(text)
    except ValidationError:
        return text
    return "\n\n".join([*([reply.text] if reply.text else []), *map(_call, reply.calls)])


def _plain(text: str) -> str:
    """A text in a heading, without what Markdown would take for markup."""
    return re.sub(r"([\\`*_{}\[\]<>#|!~&])", r"\\\1", one_line(text))
