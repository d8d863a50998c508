"""Texts for prompts: quoted, counted and cut; and replies read as untrusted data."""
