"""Base classes of sub-agents that ask a language model."""
