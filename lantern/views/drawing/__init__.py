"""The memory's graph as a person would draw it, and for programs that read graphs."""
