"""The runner of one service instance, and the base classes of services."""
