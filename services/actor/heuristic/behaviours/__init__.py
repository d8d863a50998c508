"""The behaviours of the heuristic player: small rules, each of which a session may switch off by its name."""

from __future__ import annotations

BEHAVIOUR_NAMES: tuple[str, ...] = ()
"""The behaviours that `without_behaviours` may name."""
