"""Prompts as texts that a reviewer reads, kept in `tests/golden`.

`LANTERN_GOLDEN=write pytest` writes them anew, where a wording was changed on purpose.
"""

import json
import os
from pathlib import Path

from language_model.model import Prompt

GOLDEN = Path(__file__).parents[2] / "golden"


def rendered(prompt: Prompt) -> str:
    """A prompt with all that a model gets of it."""
    parts = [f"== system\n{prompt.system}"]
    parts += [f"== {said.role}\n{said.text}" for said in prompt.parts]
    for tool in prompt.tools:
        told = json.dumps(dict(tool.parameters), indent=2)
        parts.append(f"== tool {tool.name}\n{tool.description}\n{told}")
    call = ", one call of a tool" if prompt.must_call else ""
    return "\n\n".join((*parts, f"== reply\nat most {prompt.max_tokens} tokens{call}\n"))


def assert_golden(name: str, prompt: Prompt) -> None:
    """The prompt is, letter for letter, the one in the file."""
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("LANTERN_GOLDEN") == "write":
        path.write_text(rendered(prompt))
    assert rendered(prompt) == path.read_text()
