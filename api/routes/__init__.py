"""The routes that belong to no contract, one file for each group."""
