"""The tables of a story file."""
