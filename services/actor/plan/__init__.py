"""What the actor is working at: sub-goals with reasons, open puzzles and clues, by rule and by a model."""
