"""A part that is made when something of it is first used. Ground floor."""

from collections.abc import Callable
from typing import Any


class Deferred:
    """Stands for a part, and asks for it each time something of it is used.

    >>> Deferred(lambda: "vitrine").upper()
    'VITRINE'

    Args:
        part: Gives the part; called at every use, so that it can also check whether the part may be used now.
    """

    def __init__(self, part: Callable[[], object]) -> None:
        self._part = part

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the part."""
        return getattr(self._part(), name)
