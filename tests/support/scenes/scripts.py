"""What scripted models reply."""

from __future__ import annotations

import re

from language_model.model import Prompt, Reply, ToolCall

ADVICE = "Do not walk north from the cellar without a light."
_STEP = re.compile(r"^\[(\d+)\]", re.MULTILINE)


def call(tool: str, **arguments: object) -> Reply:
    """A reply that calls one tool."""
    return Reply(model="scripted", calls=(ToolCall(name=tool, arguments=arguments),))


def playing(
    action: str, *, reflection: str = "It is time.", objective: str = "See all there is to see."
) -> Reply:
    return call("play_action", action=action, reflection=reflection, objective=objective)


def asking(question: str) -> Reply:
    return call("ask_memory", question=question, reflection="I forgot.", objective="Find it.")


def going(room: str, *, objective: str = "Be there.") -> Reply:
    return call("go_to", room=room, reflection="It is far.", objective=objective)


def advising(sentence: str = ADVICE) -> Reply:
    return call("advise", sentence=sentence)


def wants_advice(prompt: Prompt) -> bool:
    return [tool.name for tool in prompt.tools] == ["advise"]


def step_in(prompt: Prompt) -> int:
    """The step that a prompt is about."""
    found = [told for said in prompt.parts for told in _STEP.finditer(said.text)]
    return int(found[-1][1])
