"""The sections of the memory's fragment: what the actor is told after each step."""
