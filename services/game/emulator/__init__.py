"""The emulator: a child process for each session, and its client."""
