"""What the commands of `candor` do: each reads arguments, makes one call, prints. `rag.cli` puts them together."""
