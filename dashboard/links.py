"""What a page's link may name, and what it named that is not valid: said, where Streamlit only takes it out of the URL.

A widget in the URL is announced before it is drawn; what was not valid is said afterwards, until it is moved.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import Any, Final, Literal, NamedTuple

import streamlit as st

from dashboard import middleware, state
from dashboard.state import URL
from dashboard.words import md, several

KNOWN: Final = frozenset(
    (
        *(state.SESSION, state.QUESTION, state.REQUEST, state.RUN, state.OF_RUN, state.QID, state.PART),
        *(middleware.PARAMETER, "mode", "document", "chapter", "section", "estimator"),
        *("confidence_threshold", "unsure_threshold", "similarity_threshold", "top_k", "no_llm", "max_tokens"),
        *("temperature", "model", "find", "shown", "within", "tab", "collection", "outcome", "span", "since"),
        *("period", "more", "view", "before", "after", "t_confidence", "t_unsure", "t_estimator", "t_target"),
    )
)
"""The parameters of all pages."""
LONGEST: Final = 80  # so many characters of a value are shown
_NOT_DRAWN: Final = object()


class Invalid(NamedTuple):
    """A setting of a link that cannot be what the link says."""

    told: str  # what the link says, and what that is not; Markdown
    shown: Callable[[Any], str]
    used: Any = _NOT_DRAWN  # what the widget has instead


def _short(text: str) -> str:
    return f"“{text}”" if len(text) <= LONGEST else f"“{text[:LONGEST]} …”"


def choose(label: str, options: Collection[str], *, key: str, **how: Any) -> str | None:
    """Draw a row of options, bound to the URL, and return the one that is chosen."""
    note_choice(key, label, options)
    chosen: str | None = st.segmented_control(label, [*options], key=key, bind=state.URL, **how)
    return chosen


def note_choice(key: str, called: str, options: Collection[str], *, shown: Callable[[Any], str] = str) -> None:
    """Remember what the URL names for a choice, where it is none of its options as they are drawn by `shown`."""
    _note(key, called, lambda asked: asked in options, f"none of {', '.join(options)}", shown)


def note_switch(key: str, called: str) -> None:
    """Remember what the URL names for a switch, where it is neither true nor false."""
    _note(key, called, lambda asked: asked.lower() in ("true", "false"), "neither true nor false",
          lambda on: str(on).lower())  # fmt: skip


def note_number(key: str, called: str, low: float, high: float, *, whole: bool = False) -> None:
    """Remember what the URL names for a number, where it is none from `low` to `high`, or not the `whole` number."""
    wanted = f"not a {'whole ' * whole}number from {low:g} to {high:,g}"

    def is_valid(_: str) -> bool:
        value = given(key, low, high)
        return value is not None and (not whole or value.is_integer())

    _note(key, called, is_valid, wanted, lambda value: f"{value:g}")


def number(draw: Callable[..., Any], label: str, low: float, high: float, *how: Any, key: str, **more: Any) -> Any:
    """Draw a number, bound to the URL, with a slider or a field of Streamlit, and return it."""
    note_number(key, label, low, high, whole=isinstance(low, int))
    return draw(label, low, high, *how, key=key, bind=URL, **more)


def given(key: str, low: float, high: float) -> float | None:
    """Return the number that the URL names; None where it names none within the limits."""
    with suppress(ValueError):
        if low <= (value := float(state.url(key) or "")) <= high:
            return value
    return None


def _note(key: str, called: str, is_valid: Callable[[str], bool], wanted: str, shown: Callable[[Any], str]) -> None:
    asked = state.url(key)
    if asked is not None and not is_valid(asked):
        found = Invalid(f"**{md(called)}**: {md(_short(asked))} is {md(wanted)}", shown)
        state.put(state.INVALID, {**state.get(state.INVALID, {}), key: found})


def draw_invalid(*keys: str, where: str) -> None:
    """Say which settings of a link are not valid, and `where` they are set right; after their widgets are drawn."""
    invalid: dict[str, Invalid] = dict(state.get(state.INVALID, {}))
    for key in [key for key in keys if key in invalid]:
        now = state.get(key)
        if invalid[key].used is _NOT_DRAWN:
            invalid[key] = invalid[key]._replace(used=now)
        elif now != invalid[key].used:
            del invalid[key]  # somebody chose
    state.put(state.INVALID, invalid)
    if told := [invalid[key] for key in keys if key in invalid]:
        them, are = ("it", "is") if len(told) == 1 else ("them", "are")
        used = ("not set" if one.used is None else f"used instead: {md(one.shown(one.used))}" for one in told)
        named = "\n".join(f"- {one.told}; {instead}." for one, instead in zip(told, used, strict=True))
        st.warning(f"{named}\n\nSet {them} {where}, or ask the person who sent the link.", icon=":material/link_off:",
                   title=f"{several(len(told), 'setting')} of this link {are} not valid")  # fmt: skip


def draw_unknown() -> None:
    """Say which parameters of a link no page has; Streamlit leaves them in the URL, where they do nothing."""
    unknown = {name: value for name, value in st.query_params.items() if name not in KNOWN}
    if unknown:
        named = ", ".join(f"{md(_short(name))} = {md(_short(value))}" for name, value in unknown.items())
        st.warning(f"It has no effect: {named}. Check the spelling, or ask the person who sent the link.",
                   title="This link has an unknown parameter", icon=":material/link_off:")  # fmt: skip


def choose_run(
    label: str, names: Sequence[str], *, key: str, default: str, width: int | Literal["stretch"] = "stretch"
) -> str:
    """Draw the choice of a run and return its name; say so where the URL names one that is not here.

    The default is put into the widget's state: Streamlit takes a widget's own default out of the URL, and tomorrow
    another run is the default.
    """
    note_missing(key, names, shown=default)
    kept = state.get(key)
    if key not in st.session_state and state.url(key) is None:  # once the widget is drawn, the URL is its own
        state.put_url(key, default)
    state.put(key, kept if kept in names else default)
    chosen = st.selectbox(label, names, index=None, key=key, bind=URL, width=width)
    return str(chosen) if chosen in names else default


def note_missing(key: str, names: Collection[str], *, shown: str) -> None:
    """Remember what the URL asks for where it is not here; before the widget is drawn, which takes it out."""
    asked = state.url(key)
    if asked is not None and asked not in names and state.get(key) is None:
        remember_missing(key, asked, shown)


def remember_missing(key: str, asked: str, shown: str) -> None:
    """Remember what was asked for and is not here, with what is shown instead."""
    state.put(state.MISSING, {**state.get(state.MISSING, {}), key: (asked, shown)})


def draw_missing(key: str, *, called: str | None = None) -> None:
    """Draw that what a link named is not here, and what is shown instead, until another choice is made."""
    asked, shown = state.get(state.MISSING, {}).get(key, (None, None))
    if asked is not None and state.get(key) == shown:
        st.warning(f"Shown instead: {called or f'**{md(shown)}**'}. Runs are in the data folder under `runs`. Choose "
                   "one from the list, or ask the person who sent the link for the run's files.",
                   title=f"The run {md(asked)} is not here", icon=":material/search_off:")  # fmt: skip
