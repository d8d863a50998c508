"""A language model on this machine, behind the Messages API: llama.cpp, and our adapter in front of it."""
