"""The states of sessions in a service: held in memory, and stored in files."""
