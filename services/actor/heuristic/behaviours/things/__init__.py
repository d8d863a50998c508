"""What is done with things."""
