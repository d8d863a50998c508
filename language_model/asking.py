"""A service that asks a language model."""

from __future__ import annotations

from language_model.model import Model, NoModel
from language_model.recorded import Conversation
from mesh.bus import Bus


class AsksModel:
    """To be derived from, beside a service's other base: `class Poet(AsksModel, FragmentService[...])`.

    Whoever puts the mesh together sets `model`; a replay leaves it at none, so that only the record replies.
    """

    model: Model = NoModel()
    bus: Bus

    def about(self, session: str, step: int) -> Conversation:
        """The model, to be asked while one step is answered."""
        return Conversation(self.model, self.bus, session, step)
