"""Files of JSON lines: appended by many at once, kept, read back as tables, and forgotten on time."""
