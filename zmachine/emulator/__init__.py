"""The emulator, and what is read from its memory and its text."""
