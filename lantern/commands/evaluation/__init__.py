"""Commands that measure agents."""

from __future__ import annotations

from lantern.lazy_command import LazyCommand, group_with_default

group = group_with_default(
    "evaluate",
    "Let agents play games by a plan, and report what they score.",
    LazyCommand(
        "run",
        f"{__name__}.evaluate:evaluate_command",
        "Let agents play games by a plan, and report what they score.",
    ),
    LazyCommand(
        "worker",
        f"{__name__}.worker:worker_command",
        "Play what evaluations on a NATS server have to be played, until Ctrl-C or SIGTERM.",
    ),
    LazyCommand(
        "report",
        f"{__name__}.report:report_command",
        "Report on one or several runs: tables, charts, comparisons.",
    ),
    LazyCommand(
        "compare",
        f"{__name__}.compare:compare_command",
        "Say which of two runs or agents is better, by how much, and how sure that is.",
    ),
)
