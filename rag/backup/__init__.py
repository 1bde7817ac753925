"""A whole data folder in one file, made while a server runs, and put back."""
