"""The graph of a session, or of all sessions of a story: built from their records when somebody asks."""
