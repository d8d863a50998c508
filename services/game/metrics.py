"""What the game service counts, beside what every service does."""

from __future__ import annotations

from mesh.metrics import counter, histogram

STEPS = counter("lantern_game_steps_total", "Actions executed, and openings.")
STEP = histogram(
    "lantern_game_step_seconds", "Time to execute a step, the search for valid actions included."
)
SEARCH = histogram("lantern_game_search_seconds", "Time that a step waited for its valid actions.")
REPLACED = counter("lantern_game_emulators_replaced_total", "Emulators that died or hung, and were replaced.")
UNJUDGED = counter(
    "lantern_game_degraded_verdicts_total", "Proposals approved because no verdict came in time."
)
