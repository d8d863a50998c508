"""Questions about the world, and their answers."""
