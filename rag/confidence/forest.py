"""Boosted trees as numbers: what a fit of many small decisions adds to the log-odds, computed without a library."""

from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from rag.models import Value

Floats = NDArray[np.float64]


class Forest(Value):
    """Decision trees whose leaves are added up (Friedman 2001), all nodes in one list.

    A node asks whether a signal is at most its cut: `left` is where to go then, `right` where otherwise. A leaf leads
    to itself and has a value.

    >>> ways = {"left": (1, 1, 2), "right": (2, 1, 2)}
    >>> one = Forest(signals=(0, 0, 0), cuts=(0.5, 0, 0), values=(0, -1, 2), roots=(0,), **ways)
    >>> one.odds(np.array([[0.5], [0.6]])).tolist()
    [-1.0, 2.0]
    """

    signals: tuple[int, ...] = Field(description="For each node the place of the signal that it asks for; 0 in a leaf.")
    cuts: tuple[float, ...] = Field(description="For each node the largest value that goes left.")
    left: tuple[int, ...] = Field(description="For each node the next one where the signal is at most the cut.")
    right: tuple[int, ...] = Field(description="For each node the next one where it is larger.")
    values: tuple[float, ...] = Field(description="What each leaf adds to the log-odds; 0 in other nodes.")
    roots: tuple[int, ...] = Field(description="Where each tree begins.")

    @model_validator(mode="after")
    def _leads_down(self) -> Self:
        nodes = len(self.signals)
        if {len(self.cuts), len(self.left), len(self.right), len(self.values)} != {nodes}:
            raise ValueError("each node of a tree needs a signal, a cut, two ways on and a value")
        ways = zip(range(nodes), self.left, self.right, strict=True)
        if not all(
            one == left == right or one < min(left, right) <= max(left, right) < nodes for one, left, right in ways
        ):
            raise ValueError("a tree leads back to a node that it came from, or to none")
        if not all(0 <= root < nodes for root in self.roots):
            raise ValueError("a tree begins at a node that is not there")
        if not np.isfinite([*self.cuts, *self.values]).all():
            raise ValueError("a number of a tree is not finite")
        return self

    def odds(self, signals: Floats) -> Floats:
        """Return what all trees together add to the log-odds of each row.

        Args:
            signals: Shape `(rows, signals)`.

        Returns:
            Shape `(rows,)`.
        """
        asked, cuts, left, right, values, depth = self._nodes
        places = np.tile(np.array(self.roots, dtype=np.intp), (len(signals), 1))
        rows = np.arange(len(signals))[:, None]
        for _ in range(depth):
            places = np.where(signals[rows, asked[places]] <= cuts[places], left[places], right[places])
        found: Floats = values[places].sum(axis=1)
        return found

    def scaled(self, factor: float) -> "Forest":
        """Return the same trees with leaves that add `factor` times as much."""
        return Forest.model_validate({**self.model_dump(), "values": [value * factor for value in self.values]})

    @cached_property
    def _nodes(self) -> tuple[NDArray[np.intp], Floats, NDArray[np.intp], NDArray[np.intp], Floats, int]:
        """The nodes as arrays, and how many steps the longest way down has."""
        left, right = np.array(self.left, dtype=np.intp), np.array(self.right, dtype=np.intp)
        depths = np.zeros(len(left), dtype=np.intp)
        for node in range(len(left) - 1, -1, -1):  # children stand after their parent
            if left[node] != node:
                depths[node] = 1 + max(depths[left[node]], depths[right[node]])
        cuts, values = np.array(self.cuts, dtype=np.float64), np.array(self.values, dtype=np.float64)
        depth = int(depths[list(self.roots)].max(initial=0))
        return np.array(self.signals, dtype=np.intp), cuts, left, right, values, depth
