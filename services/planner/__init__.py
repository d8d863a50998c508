"""Looks ahead in an emulator of its own, in sessions that allow it."""
