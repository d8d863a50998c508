"""A service that asks a language model."""

from __future__ import annotations

from language_model.ledger import Ledger
from language_model.model import Model, NoModel
from language_model.recorded import Conversation
from mesh.bus import Bus


class AsksModel:
    """To be derived from, beside a service's other base: `class Poet(AsksModel, FragmentService[...])`.

    Whoever puts the mesh together gives the model to those who have none; a replay gives one that is silent,
    so that only the record replies.
    """

    model: Model | None = None
    bus: Bus
    _ledger: Ledger | None = None

    def about(self, session: str, step: int) -> Conversation:
        """The model, to be asked while one step is answered, as long as the session's budget lasts."""
        if self._ledger is None or self._ledger.bus is not self.bus:
            self._ledger = Ledger(self.bus)
        return Conversation(self.model or NoModel(), self.bus, session, step, self._ledger)
