"""Asking a language model, and recording what came of it."""
