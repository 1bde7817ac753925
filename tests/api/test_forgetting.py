"""The server's own rounds of forgetting."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, cast

import pytest

from api import running
from api.desk import Desk
from rag.errors import StoreUnavailable


class Rounds:
    """A desk whose first round fails; after the third nobody waits any more."""

    def __init__(self, error: Exception) -> None:
        self.count, self.error = 0, error

    async def slow(self, work: Callable[[], Any]) -> None:
        self.count += 1
        if self.count == 1:
            raise self.error
        if self.count == 3:
            raise asyncio.CancelledError


@pytest.mark.parametrize(
    ("error", "is_bug"), [(StoreUnavailable("The database is away."), False), (OSError(28, "full"), True)]
)
def test_a_round_that_fails_is_logged_and_the_next_comes(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception, is_bug: bool
) -> None:
    monkeypatch.setattr(running, "FORGET_EVERY_S", 0)
    rounds = Rounds(error)
    with caplog.at_level(logging.WARNING, "candor.api"), pytest.raises(asyncio.CancelledError):
        asyncio.run(running._forget_now_and_then(cast(Desk, rounds)))
    assert rounds.count == 3
    (line,) = caplog.records
    assert (line.exc_info is not None) is is_bug
