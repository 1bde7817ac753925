"""The reader: windows of passages, the probability that each answers a question, and the sentences that do."""
