"""A model whose replies are written down beforehand: for tests, and for showing how things work."""

from __future__ import annotations

from collections.abc import Callable

from language_model.model import Prompt, Reply


class ScriptedModel:
    """Replies what a function of the prompt says; it may raise ModelError."""

    name = "scripted"

    def __init__(self, script: Callable[[Prompt], Reply]) -> None:
        self.script = script
        self.prompts: list[Prompt] = []
        """What it was asked, in order."""

    async def ask(self, prompt: Prompt) -> Reply:
        """What the script says."""
        self.prompts.append(prompt)
        return self.script(prompt)
