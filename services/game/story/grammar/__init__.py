"""The grammar tables of a story: which sentences its parser understands, and which of them mean the same."""
