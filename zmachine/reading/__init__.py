"""Reads a step's values from a story's text and objects."""
