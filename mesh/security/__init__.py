"""The permissions of each service on the NATS server."""
