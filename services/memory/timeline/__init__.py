"""Everything that was ever believed of a session, indexed by step: what questions are answered from."""
