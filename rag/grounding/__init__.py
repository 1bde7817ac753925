"""A claim held against a text: sentences read, pairs compared, other meanings in the same words told apart."""
