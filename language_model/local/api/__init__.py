"""Our Messages API in front of a local model."""
