"""What calls cost, and what they may cost."""
