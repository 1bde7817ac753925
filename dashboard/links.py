"""What a page's link may name, and what it named that is not valid: said, where Streamlit only takes it out of the URL.

Each widget that stands in the URL is announced right before it is drawn; afterwards what was not valid is said, until
the widget is moved or the page is left.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import streamlit as st

from dashboard import callback, state
from dashboard.words import md, several

KNOWN: Final = frozenset(
    (
        *(
            state.SESSION,
            state.QUESTION,
            state.REQUEST,
            state.RUN,
            state.OF_RUN,
            state.QID,
            state.PART,
            callback.PARAMETER,
        ),
        *(
            "mode",
            "document",
            "documents",
            "chapter",
            "section",
            "estimator",
            "confidence_threshold",
            "unsure_threshold",
        ),
        *("similarity_threshold", "top_k", "no_llm", "max_tokens", "temperature", "model"),
        *("find", "shown", "within", "tab", "collection", "outcome", "span", "since", "period", "more", "view"),
        *("before", "after", "t_confidence", "t_unsure", "t_estimator", "t_target"),
    )
)
"""The parameters of all pages."""
LONGEST: Final = 80
"""So many characters of a value are shown."""
_NOT_DRAWN: Final = object()


@dataclass(frozen=True, slots=True)
class Invalid:
    """A setting of a link that cannot be what the link says."""

    called: str
    asked: str
    wanted: str
    """What the link's value is not, in words."""
    shown: Callable[[Any], str]
    used: Any = _NOT_DRAWN
    """What the widget has instead."""

    @property
    def words(self) -> str:
        """What to say of it; Markdown."""
        instead = "not set" if self.used is None else f"used instead: {md(self.shown(self.used))}"
        return f"**{md(self.called)}**: {md(_short(self.asked))} is {md(self.wanted)}; {instead}."


def _short(text: str) -> str:
    """Return what a link names, quoted, and cut where it is long."""
    return f"“{text}”" if len(text) <= LONGEST else f"“{text[:LONGEST]} …”"


def note_choice(key: str, called: str, options: Sequence[str], *, shown: Callable[[Any], str] = str) -> None:
    """Remember what the URL names for a choice, where it is none of its options.

    Args:
        key: The parameter, and the widget.
        called: The widget's label.
        options: As they stand in the URL, which is as they are drawn.
        shown: How a value of the widget is drawn.
    """
    _note(key, called, lambda asked: asked in options, f"none of {', '.join(options)}", shown)


def note_switch(key: str, called: str) -> None:
    """Remember what the URL names for a switch, where it is neither true nor false."""
    _note(
        key,
        called,
        lambda asked: asked.lower() in ("true", "false"),
        "neither true nor false",
        lambda on: str(on).lower(),
    )


def note_number(key: str, called: str, low: float, high: float, *, whole: bool = False) -> None:
    """Remember what the URL names for a number, where it is none or outside its limits.

    Args:
        key: The parameter, and the widget.
        called: The widget's label.
        low: The least value.
        high: The greatest value.
        whole: Whether it is a whole number.
    """
    kind = "a whole number" if whole else "a number"
    wanted = f"not {kind} from {low:g} to {high:,}"
    _note(key, called, lambda asked: _is_number(asked, low, high, whole=whole), wanted, lambda value: f"{value:g}")


def _is_number(text: str, low: float, high: float, *, whole: bool) -> bool:
    """Return whether a text is a number within limits.

    >>> _is_number("0.4", 0, 1, whole=False), _is_number("7", 0, 1, whole=False), _is_number("nan", 0, 1, whole=False)
    (True, False, False)
    >>> _is_number("5", 1, 20, whole=True), _is_number("5.5", 1, 20, whole=True), _is_number("much", 1, 20, whole=True)
    (True, False, False)
    """
    try:
        value = float(text)
    except ValueError:
        return False
    return low <= value <= high and (not whole or value.is_integer())


def _note(key: str, called: str, is_valid: Callable[[str], bool], wanted: str, shown: Callable[[Any], str]) -> None:
    asked = state.url(key)
    if asked is not None and not is_valid(asked):
        found = Invalid(called, asked, wanted, shown)
        state.put(state.INVALID, {**state.get(state.INVALID, {}), key: found})


def draw_invalid(*keys: str, where: str) -> None:
    """Say which settings of a link are not valid, with what is used instead; after their widgets are drawn.

    Args:
        keys: The parameters.
        where: How to set them right; a part of a sentence.
    """
    invalid: dict[str, Invalid] = dict(state.get(state.INVALID, {}))
    for key in [key for key in keys if key in invalid]:
        now = state.get(key)
        if invalid[key].used is _NOT_DRAWN:
            invalid[key] = replace(invalid[key], used=now)
        elif now != invalid[key].used:
            del invalid[key]  # somebody chose
    state.put(state.INVALID, invalid)
    if told := [invalid[key] for key in keys if key in invalid]:
        st.warning(
            "\n".join(
                [
                    *(f"- {one.words}" for one in told),
                    "",
                    f"Set {'it' if len(told) == 1 else 'them'} {where}, or ask whoever sent the link.",
                ]
            ),
            title=f"{several(len(told), 'setting')} of this link {'is' if len(told) == 1 else 'are'} not valid",
            icon=":material/link_off:",
        )


def draw_unknown() -> None:
    """Say which parameters of a link no page has; Streamlit leaves them in the URL, where they do nothing."""
    unknown = {name: value for name, value in st.query_params.items() if name not in KNOWN}
    if unknown:
        named = ", ".join(f"{md(_short(name))} = {md(_short(value))}" for name, value in unknown.items())
        st.warning(
            f"It has no effect: {named}. Check how it is written, or ask whoever sent the link.",
            title="This link names something that no page knows",
            icon=":material/link_off:",
        )
