"""What sessions teach about their story, kept for the next session: a graph file for each story."""
