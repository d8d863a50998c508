"""What is done with people, and against them."""
