"""Things by the text alone: what is held, and what is here."""
