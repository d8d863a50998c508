"""The counters of the memory, beside those of every service."""

from __future__ import annotations

from mesh.metrics import counter

QUESTIONS_ANSWERED = counter("lantern_memory_questions_total", "Questions answered.")
HISTORY_REBUILT = counter(
    "lantern_memory_histories_rebuilt_total", "History files that could not be read and were created anew."
)
HISTORY_FAILED = counter("lantern_memory_history_failures_total", "Failures to write a session's history.")
