"""Questions, traps, refusals, new beginnings: what concerns the session as a whole."""
