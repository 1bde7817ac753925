"""The exceptions of a client library, so that none of them is left unmapped."""

from types import ModuleType

OTHERS = {ConnectionError, OSError, ValueError, TypeError, AttributeError, KeyError, AssertionError, RuntimeError}
ATTRIBUTES = {
    "error": "as raised",
    "message": "as raised",
    "status_code": 418,
    "body": None,
    "code": None,
    "type": None,
    "param": None,
    "content": b"short and stout",
    "source": ValueError("garbage"),
    "retry_after_s": 3,
}


def errors_of(*modules: ModuleType) -> list[type[Exception]]:
    """Every exception class that some modules have in their names, and what any code may raise."""
    named = {one for module in modules for one in [*vars(module).values()] if isinstance(one, type)}
    found = {one for one in named if issubclass(one, Exception) and not issubclass(one, Warning)}
    return sorted(found | OTHERS, key=lambda each: each.__qualname__)


def instance_of(kind: type[Exception]) -> Exception:
    """An exception of a kind, whatever its constructor asks for."""
    error = kind.__new__(kind)
    Exception.__init__(error, "as raised")
    for name, value in ATTRIBUTES.items():
        setattr(error, name, value)
    return error
