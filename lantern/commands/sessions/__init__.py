"""Commands about recorded sessions."""

from __future__ import annotations

from lantern.lazy_command import LazyCommand, lazy_group

group = lazy_group(
    "sessions",
    "List, show, verify, export, import and delete sessions.",
    LazyCommand("list", f"{__name__}.listing:list_command", "List all sessions, oldest first."),
    LazyCommand("show", f"{__name__}.show:show_command", "Show a session, message by message."),
    LazyCommand(
        "transcript",
        f"{__name__}.transcript:transcript_command",
        "Write a session as a text to read: the game, and what each agent said.",
    ),
    LazyCommand(
        "verify",
        f"{__name__}.verify:verify_command",
        "Check a session's record, execute its actions again and compare; exit code 1 if anything differs.",
    ),
    LazyCommand(
        "export",
        f"{__name__}.archives:export_command",
        "Write a session's record to a file (the story itself is not in it).",
    ),
    LazyCommand(
        "import",
        f"{__name__}.archives:import_command",
        "Read a session's record from a file: the whole of it, or nothing.",
    ),
    LazyCommand(
        "trace",
        f"{__name__}.trace:trace_command",
        "Send a session's record as OpenTelemetry traces, one for each step.",
    ),
    LazyCommand(
        "delete",
        f"{__name__}.delete:delete_command",
        "Delete a session: its record and every view of it. One that is played ends (with --force).",
    ),
)
