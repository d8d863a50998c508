"""JSON Schemas, AsyncAPI and docs/messages.md, generated from the catalogue."""
