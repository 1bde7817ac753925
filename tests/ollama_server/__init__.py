"""A server that speaks Ollama's published protocol, with a brain of choice: for tests and evaluation runs."""
