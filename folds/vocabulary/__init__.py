"""Words: actions, verbs, nouns."""
