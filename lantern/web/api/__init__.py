"""What the page asks for, and the answers as JSON."""
