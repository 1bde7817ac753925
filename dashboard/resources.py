"""What all browser sessions share: one Candor, one report, the sessions, the background jobs.

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
    from rag.adapters.sessions import SqlSessions
    from rag.candor import Candor
    from rag.ingest.originals import Originals
    from rag.report import Report
    from rag.settings import Settings


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


def get_sessions() -> "SqlSessions":
    """Return conversations, labels and promotions."""
    sessions: SqlSessions = get_candor().wiring.sessions
    return sessions


def get_originals() -> "Originals":
    """Return the copies of the ingested files."""
    from rag.ingest.originals import Originals

    return Originals(get_candor().settings.data_dir / "files")


@st.cache_resource(show_spinner=False)
def get_jobs() -> "Jobs":
    """Return the work that runs in the background."""
    from dashboard.jobs import Jobs

    return Jobs()


def settings_in_force() -> "Settings":
    """Return the settings that questions are asked with, promotions included."""
    return get_candor().settings


def runs_folder() -> Path:
    """Return where the runs of `candor evaluate` are."""
    return get_candor().settings.data_dir / "runs"
