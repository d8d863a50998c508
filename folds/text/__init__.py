"""Reads rooms, things and points from the text of a step."""
