"""The embedded NATS server."""
