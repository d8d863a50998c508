"""Where to go."""
