"""Looking ahead from a position of a session that is being played."""
