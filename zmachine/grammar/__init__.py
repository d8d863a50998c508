"""Reads the grammar tables of a story: the sentences that its parser understands, and their synonyms."""
