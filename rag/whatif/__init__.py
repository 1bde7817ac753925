"""Another threshold on what was recorded: one answer, many at once, and what changes between two settings."""
