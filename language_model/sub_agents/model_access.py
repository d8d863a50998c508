"""A service that asks a language model."""

from __future__ import annotations

from language_model.budget.budget import UncountedCalls
from language_model.budget.budget_tracker import Budgeted, BudgetTracker
from language_model.model import Model, NoModel
from language_model.recorded import RecordedModel
from mesh.nats.subjects import shadow_cell
from mesh.record.bus import Bus


class ModelAccess:
    """A second base class of a service that asks a model: `class Poet(ModelAccess, FragmentService[...])`.

    The composition sets the model of services that have none. A replay sets `NoModel`, so that every reply
    comes from the record.
    """

    model: Model | None = None
    is_shadow: bool = False
    """Whether the service is a shadow: its calls are recorded in the shadow's cell, with their own budget."""
    uncounted_calls: UncountedCalls | None = None
    """Shared by all services of a process that share a budget; None: of this service alone."""
    bus: Bus
    _budget_tracker: BudgetTracker | None = None

    def model_for(self, session: str, step: int) -> RecordedModel:
        """The model to ask while this service answers one step, as long as the session's budget lasts."""
        budget_tracker = self._tracker()
        model = self.model or NoModel()
        if not isinstance(model, NoModel):
            model = Budgeted(model, budget_tracker, session)
        return RecordedModel(model, budget_tracker.bus, session, step, budget_tracker)

    def _tracker(self) -> BudgetTracker:
        if self._budget_tracker is None or self._budget_tracker.live is not self.bus:
            bus = self.bus.in_cell(shadow_cell(self.bus.cell.name)) if self.is_shadow else self.bus
            self._budget_tracker = BudgetTracker(bus, self.bus, self.uncounted_calls)
        return self._budget_tracker
