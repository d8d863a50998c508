"""The record of sessions: written, read, followed, archived, checked."""
