"""The HTTP API: canonical routes, five contracts, what OpenAI clients expect. Imports `rag` and nothing above it."""
