"""How an answer is quoted: how a passage is laid out, which of its sentences answer, and what goes with them."""
