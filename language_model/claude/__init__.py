"""Models behind the Messages API."""
