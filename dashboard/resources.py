"""What all browser sessions share: one Candor, one report, the background jobs.

Pages import this module, not its functions, so that a test can replace them.
"""

from contextlib import suppress
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import streamlit as st

from rag.errors import CandorError

if TYPE_CHECKING:
    from dashboard.jobs import Jobs
    from rag.candor import Candor
    from rag.report import Report


@st.cache_resource(show_spinner=False)  # the API's threads call it too, and have no page to draw a spinner on
def get_candor() -> "Candor":
    """Return the Candor of this process, over the data folder of its environment, with what was promoted in force."""
    from rag.candor import Candor

    candor = Candor.open()
    candor.put_in_force()
    Thread(target=_prepare, args=(candor,), name="candor-prepare", daemon=False).start()
    return candor


_FIRST = ("asking", "talking", "documents", "monitoring", "tuning", "evaluating", "testsets", "inspecting")
_HEAVY = ("pyarrow", "plotly.graph_objects", "scipy.special", "scipy.cluster.hierarchy")


def _prepare(candor: "Candor") -> None:
    """Do what the first drawing of each page would wait for: seconds of imports, and what was recorded is read."""
    for name in (*(f"dashboard.{one}" for one in _FIRST), *_HEAVY):
        import_module(name)
    with suppress(CandorError):  # the page that needs it tells why
        get_report().read()
    with suppress(CandorError):  # the first question tells why
        candor.load()


@st.cache_resource(show_spinner=False)
def get_report() -> "Report":
    """Return the tables over what was recorded."""
    from rag.report import Report

    return Report(get_candor().settings.data_dir)


@st.cache_resource(show_spinner=False)
def get_jobs() -> "Jobs":
    """Return the work that runs in the background."""
    from dashboard.jobs import Jobs

    return Jobs()


def runs_folder() -> Path:
    """Return where the runs of `candor evaluate` are."""
    return get_candor().settings.data_dir / "runs"
