"""The durable history of beliefs, in a graph database."""
