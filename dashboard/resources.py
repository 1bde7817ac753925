"""What all browser sessions share: one Candor, one report, the background jobs.

Pages import this module, not its functions, so that a test can replace them.
"""

from contextlib import suppress
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


def _prepare(candor: "Candor") -> None:
    with suppress(CandorError):  # the first question tells why
        candor.load()
    import duckdb  # noqa: F401 - the second that the first chart would wait for
    import pandas  # noqa: F401
    import plotly.graph_objects  # noqa: F401
    import scipy.special  # noqa: F401


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
