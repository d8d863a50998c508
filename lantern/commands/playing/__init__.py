"""Commands that play a session."""
