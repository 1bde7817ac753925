"""What the database keeps: conversations, labels, promoted settings, keys."""
