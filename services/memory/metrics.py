"""What the memory counts, beside what every service does."""

from __future__ import annotations

from mesh.metrics import counter

ASKED = counter("lantern_memory_questions_total", "Questions answered.")
REBUILT = counter(
    "lantern_memory_graphs_rebuilt_total", "Histories that could not be read and were begun anew."
)
LOST = counter("lantern_memory_histories_lost_total", "Sessions whose history could not be written.")
