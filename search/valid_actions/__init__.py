"""The one search for valid actions: those that change the world, found by trying candidates."""
