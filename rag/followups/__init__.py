"""What reading a follow-up question takes: words, phrases, pronouns, and what may be left out of a question."""
