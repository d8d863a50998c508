"""Who may do what on the NATS server."""
