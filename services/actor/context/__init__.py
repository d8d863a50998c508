"""What the sub-agents have said about a step, as the actor uses it."""
