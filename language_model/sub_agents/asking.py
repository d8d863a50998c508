"""A service that asks a language model."""

from __future__ import annotations

from language_model.budget.budget import UnderWay
from language_model.budget.budget_tracker import Budgeted, BudgetTracker
from language_model.model import Model, NoModel
from language_model.recorded import RecordedModel
from mesh.nats.subjects import shadow_cell
from mesh.record.bus import Bus


class AsksModels:
    """To be derived from, beside a service's other base: `class Poet(AsksModels, FragmentService[...])`.

    Whoever puts the mesh together gives the model to those who have none; a replay gives one that is silent,
    so that only the record replies.
    """

    model: Model | None = None
    is_shadow: bool = False
    """Whether its calls are kept beside the record, as a shadow's are, and have a budget of their own."""
    under_way: UnderWay | None = None
    """The calls under way of all services that share a budget in this process; None: of this one alone."""
    bus: Bus
    _ledger: BudgetTracker | None = None

    def model_for(self, session: str, step: int) -> RecordedModel:
        """The model, to be asked while one step is answered, as long as the session's budget lasts."""
        budget_tracker = self._kept_ledger()
        model = self.model or NoModel()
        if not isinstance(model, NoModel):
            model = Budgeted(model, budget_tracker, session)
        return RecordedModel(model, budget_tracker.bus, session, step, budget_tracker)

    def _kept_ledger(self) -> BudgetTracker:
        if self._ledger is None or self._ledger.live is not self.bus:
            beside = self.bus.in_cell(shadow_cell(self.bus.cell.name)) if self.is_shadow else self.bus
            self._ledger = BudgetTracker(beside, self.bus, self.under_way)
        return self._ledger
