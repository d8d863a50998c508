"""Searching a story with save and restore."""
