"""What the actor counts, beside what every service does."""

from __future__ import annotations

from mesh.metrics import counter, histogram

MISSED = counter(
    "lantern_actor_deadlines_missed_total", "Steps decided without a live service's fragment.", "missing"
)
DEGRADED = counter(
    "lantern_actor_degraded_steps_total", "Steps decided without all live services' fragments."
)
BY_RULE = counter(
    "lantern_actor_decided_by_rule_total", "Steps decided by rule where a language model should have decided."
)
WAITED = histogram("lantern_actor_waited_seconds", "Time that a step waited for fragments.")
