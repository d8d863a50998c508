"""What the actor knows of a session: folds over its steps."""
