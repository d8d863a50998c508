"""What a session takes from files and programs of the user's: services and agents."""
