"""What Ollama says of its own troubles."""

from rag.adapters.server_trouble import Asking, answered_with


def told_by_ollama(error: Exception, asking: Asking) -> str | None:
    """Return what Ollama answered with and what to do; None where it is no answer of Ollama's."""
    import ollama

    if not isinstance(error, ollama.ResponseError):
        return None
    if error.status_code == 404 and "model" in str(error.error).lower():
        return (
            f"does not have the model {asking.model!r}. Run `ollama pull {asking.model}`, or set CANDOR_OLLAMA_MODEL."
        )
    return answered_with(error.status_code if error.status_code > 0 else None, error.error)
