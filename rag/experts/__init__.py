"""What experts said of answers and passages, and how the reader learns from it: `candor train`."""
