"""What counts as true of a world, for the search."""
