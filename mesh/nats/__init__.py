"""The NATS connection: client, stream, subjects and the encoding of messages."""
