"""What is believed of a session's world, as a fold over its steps."""
