"""What may be tried in a scene, and how much is expected of it."""
