"""The view of a session on a terminal, live or recorded."""
