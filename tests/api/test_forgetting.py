"""The server's own rounds of forgetting."""

import asyncio
import logging
from types import SimpleNamespace

import pytest

from api import running
from rag.errors import StoreUnavailable


@pytest.mark.parametrize(
    ("error", "is_bug"), [(StoreUnavailable("The database is away."), False), (OSError(28, "full"), True)]
)
def test_a_round_that_fails_is_logged_and_the_next_comes(monkeypatch, caplog, error, is_bug):
    rounds = iter([error, None, asyncio.CancelledError()])  # after the third nobody waits any more

    async def slow(_: object) -> None:
        if (raised := next(rounds)) is not None:
            raise raised

    monkeypatch.setattr(running, "FORGET_EVERY_S", 0)
    with caplog.at_level(logging.WARNING, "candor.api"), pytest.raises(asyncio.CancelledError):
        asyncio.run(running._forget_now_and_then(SimpleNamespace(slow=slow)))  # type: ignore[arg-type]
    assert list(rounds) == []
    (line,) = caplog.records
    assert (line.exc_info is not None) is is_bug
