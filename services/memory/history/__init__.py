"""The durable history of beliefs: files of a graph database, written in the background."""
