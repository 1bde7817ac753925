"""What a chunk scores that was found, and what was dropped on the way."""
