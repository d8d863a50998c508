"""Commands about services and the NATS server."""
