"""What was read, heard and seen, kept whole, and found by words and by meaning."""
