"""Parts that are made when something of them is first used. Ground floor."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from threading import RLock
from typing import Any, Generic, Self, TypeVar, overload

Part = TypeVar("Part")


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
        return getattr(self._part(), name)


class made_once(Generic[Part]):  # noqa: N801 - used as a decorator
    """A property that is worked out when it is first asked for, by one thread while all others wait for it.

    As `functools.cached_property`, which has had no lock since Python 3.12: two threads that ask at once would each
    make the part, and a data folder has one index. It is kept in the owner's `__dict__`, where it may be replaced.
    Parts that need each other must not do so in a circle, because each has a lock of its own.
    """

    def __init__(self, make: Callable[[Any], Part]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...

    @overload
    def __get__(self, owner: object, kind: type) -> Part: ...

    def __get__(self, owner: object | None, kind: type) -> Part | Self:
        """Return the part, made now where it is not there; Python asks for it only then."""
        if owner is None:
            return self
        with self.lock(owner):
            if self._name not in owner.__dict__:
                owner.__dict__[self._name] = self._make(owner)
            part: Part = owner.__dict__[self._name]
        return part

    def lock(self, owner: object) -> AbstractContextManager[object]:
        """Return what is held while the part is made; whoever holds it may also take the part away."""
        locks: dict[str, AbstractContextManager[object]] = owner.__dict__.setdefault("_making", {})
        return locks.setdefault(self._name, RLock())
