"""The counters of the memory, beside those of every service."""

from __future__ import annotations

from mesh.metrics import counter

QUESTIONS_ANSWERED = counter("lantern_memory_questions_total", "Questions answered.")
