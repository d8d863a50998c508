"""How likely a model is to write given replies, where its server can tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from language_model.model import ModelError, Prompt, Usage
from schemas.language_model import Fault

LIKELIHOODS = "/v1/messages/likelihoods"
"""The page of Lantern's own model server that tells it. The Messages API has none."""


@dataclass(frozen=True, slots=True)
class Likelihoods:
    """The logarithms of the probabilities of some replies, in their order."""

    log_probabilities: tuple[float, ...]
    usage: Usage = field(default_factory=Usage)


class LikelihoodsUnsupported(ModelError):
    """The model's server does not tell how likely a reply is; it can only be asked in words."""

    def __init__(self) -> None:
        super().__init__("The model's server tells no likelihoods of replies.", Fault.REFUSED)


@runtime_checkable
class LikelihoodModel(Protocol):
    """A model whose server may tell how likely a reply is."""

    async def likelihoods(self, prompt: Prompt, replies: Sequence[str]) -> Likelihoods:
        """The likelihood of each of these replies to a prompt.

        Raises:
            LikelihoodsUnsupported: the server tells none, to any prompt.
            ModelError: it tells none now.
        """
