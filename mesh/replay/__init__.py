"""Recorded sessions replayed through services."""
