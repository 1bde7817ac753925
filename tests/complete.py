"""In CI nothing may be missing: a test that is skipped there fails, unless what it lacks is allowed to be absent.

A plugin of pytest, on when `CANDOR_CI` is set, as `.ci/run` does. Denied by default, so that a new skip is noticed.
"""

import os
import re
from collections.abc import Generator

import pytest

ALLOWED = re.compile(
    r"shared\b"  # the shared data sets: a stranger's clone has none
    r"|root may write everywhere|can only be mounted by root|no tmpfs can be mounted here"  # who runs the tests
    r"|a database in memory belongs to one process"  # a case that does not exist
)
"""Reasons for which a test may be skipped in CI too."""


def lacks(reason: str) -> str | None:
    """Return what a skip means in CI: None where it is allowed, else why the test fails."""
    if "CANDOR_CI" not in os.environ or ALLOWED.search(reason):
        return None
    return f"In CI nothing may be missing, yet this was skipped: {reason}"


def _fail(report: pytest.TestReport | pytest.CollectReport) -> None:
    if not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
    if failure := lacks(reason):
        report.outcome, report.longrepr = "failed", failure


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Look at every test's outcome."""
    report = yield
    _fail(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Look at every module's: one may be skipped as a whole."""
    report = yield
    _fail(report)
    return report
