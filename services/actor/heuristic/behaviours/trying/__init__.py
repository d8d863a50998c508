"""What is tried where nothing better is known."""
