"""Searching a story from the command line, and playing what was found."""
