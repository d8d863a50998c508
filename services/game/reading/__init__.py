"""What a story's text and objects tell of a step."""
