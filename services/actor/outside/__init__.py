"""Agents from outside: programs and classes of the user's that decide, each in a process of its own."""
