"""Numbers of things in words."""


def several(count: int, noun: str) -> str:
    """Return a number of things.

    >>> several(1, "sentence"), several(2, "sentence"), several(1_200, "passage"), several(0, "passage")
    ('1 sentence', '2 sentences', '1200 passages', '0 passages')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
