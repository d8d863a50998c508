"""What is shown on a terminal, and drawings."""
