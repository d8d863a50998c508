"""What the text of a step tells."""
