"""The search for actions that change the world."""
