"""What a player learns by playing: one fold for each subject, and `Experience`, which holds them all."""
