"""What is recorded: the list of sessions, and what the memory makes of one."""
