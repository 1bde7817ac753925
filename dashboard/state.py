"""The pages, session keys and the names of what stands in the URL, each named once."""

from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

if TYPE_CHECKING:  # the router runs before anything heavy is imported
    from rag.workspace.values import Role


class Page(NamedTuple):
    """A page of the dashboard."""

    path: str
    title: str
    icon: str
    role: "Role"  # the least that may see it
    called: str = ""  # what the menu calls it, in its order; empty: there is another way to it


PAGES = (
    Page("pages/ask.py", "Ask", ":material/forum:", "ask"),
    Page("pages/documents.py", "Documents", ":material/description:", "ask"),
    Page("pages/inspector.py", "Inspect", ":material/search_insights:", "evaluate", "Questions"),
    Page("pages/evaluate.py", "Evaluate", ":material/fact_check:", "evaluate", "Tests"),
    Page("pages/tune.py", "Tune", ":material/tune:", "admin", "Tune"),
    Page("pages/monitor.py", "Monitor", ":material/monitoring:", "evaluate", "Monitor"),
)

URL: Any = "query-params"  # where a widget's value stands that is bound to it: in the address of the page
TURNS = "ask_turns"  # the answers of this conversation, oldest first
TURNS_OF = "ask_turns_of"  # the session that `TURNS` belongs to
TURNS_OWNER = "ask_turns_owner"  # the account that the session of `TURNS` belongs to; None where nobody had to log in
ARRIVED = "ask_arrived"  # the request that was answered last in this browser session
BEGUN = "ask_begun"  # the session that was begun, or taken over, in this browser session
IS_KEPT = "ask_is_kept"  # whether the conversation was in the store when its latest question was asked
BORROWED = "ask_borrowed"  # whether the conversation on the page is another's: read, but not gone on with
OWNER = "owner"  # whose conversations this browser session sees; None where people are not told apart, and for admins
LABELLER = "label_person"  # the name under which this browser session judges
PERSON = "person"  # the name of whoever logged in; empty where nobody needs to
ACCOUNT = "account"  # what tells whoever logged in from all others; None where nobody needs to
BEGAN = "began"  # when this browser session began, as `time.monotonic` counts
DISMISSED = "dismissed_jobs"  # the jobs whose end was dismissed in this browser session, by id
HIDDEN = "hidden_pages"  # titles of the pages that this person may not see; the menu leaves them out
MAY_CHANGE = "may_change"  # whether this person adds and removes documents, and puts them into collections
STOPPED = "ask_stopped"  # the question that the person stopped last; None where it was another, or was answered since
CHECKED = "ask_checked"  # of the question being answered: the checked sentences, how many fell, the request's id
OPENED = "ask_opened"  # what the panel beside the answers shows: a request and the number of its source, 0 for why
ADVANCED = ("", -1)  # `OPENED` where the panel shows the settings
CLOSED = ("", 0)  # `OPENED` where the panel shows nothing; None: the first source of the last answer
TRIED = "ask_tried"  # the question that was asked last in this browser session, whatever came of it
AGAIN = "ask_again"  # a question that a button asks again as soon as the page is drawn; None: none
AS_ASKED = "ask_as_asked"  # whether the next question is read as it is written: no house words, as spelt, by itself
UPLOADS = "documents_uploads"  # counts uploads, so that the uploader is empty again after each
DROPPED = "ask_dropped"  # what was dropped on Ask's input: files, the question with them, and `UPLOADS` at that time
TOLD = "documents_told"  # what to say of the last removal: a sentence, or the error

PAGE = "page_title"  # the title of the page that was drawn last
MISSING = "missing_runs"  # what links named and is not here, by parameter, with what is shown instead

INVALID = "invalid_settings"  # what the link to this page named and cannot be, by parameter; gone with the page

SESSION = "session"  # URL: the conversation, a UUID v4
QUESTION = "question"  # URL: a question that somebody sent, with its settings in the other parameters
REQUEST = "request_id"  # URL: the request that Inspect shows
PART = "part"  # URL: the view of Inspect that is open
RUN = "run"  # URL: the evaluation run that Evaluate and Tune show, bound to a widget of both
OF_RUN = "of_run"
"""URL: the run whose question Inspect shows. Not `RUN`: what is bound to a widget is taken out of the URL when its page
is left, also where the link names it."""
QID = "qid"  # URL: the question of that run which Inspect shows


def get(key: str, default: Any = None) -> Any:
    """Return a value of this browser session."""
    return st.session_state.get(key, default)


def put(key: str, value: Any) -> None:
    """Keep a value in this browser session."""
    st.session_state[key] = value


def url(key: str) -> str | None:
    """Return a parameter of the URL, or None where it is missing or empty."""
    return st.query_params.get(key) or None


def put_url(key: str, value: str | None) -> None:
    """Set a parameter of the URL, or take it out."""
    if value is None:
        st.query_params.pop(key, None)
    elif st.query_params.get(key) != value:
        st.query_params[key] = value
