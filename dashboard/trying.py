"""The middle of the page Tune: what the sliders' settings would have done, in figures, charts and single questions."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import comparing_settings, components, promises, tuning
from dashboard.consequences import in_brief
from dashboard.tuning import TuneSettings
from rag.evaluation.promises import Reading
from rag.whatif.arrays import WhatIf
from rag.whatif.cases import Cases

if TYPE_CHECKING:
    from rag.candor import Candor


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of the sliders' settings."""

    result: WhatIf | None = None
    """What they would have done; None: there are no questions."""
    promised: tuple[Reading, ...] = promises.NONE
    """What is promised of which thresholds on these questions."""


def draw_tried(candor: "Candor", cases: Cases, settings: TuneSettings) -> Tried:
    """Draw what the settings would have done, and return it; without questions, how to come by some."""
    if not len(cases):
        components.empty_state(
            "No recorded questions yet",
            "Ask some on the page **Ask**, or start a run on **Evaluate**; then move the sliders.",
            icon=":material/tune:",
        )
        return Tried()
    result = tuning.try_out(cases, settings)
    with st.sidebar:  # on a narrow screen it hides the page, and further down the figures are out of sight
        st.markdown(in_brief(result))
    tuning.draw_effect(cases, result, settings)
    tuning.draw_charts(result, settings)
    promised = promises.draw_guarantee(result)
    comparing_settings.draw_comparison(candor, cases, result, settings)
    tuning.draw_flips(result)
    return Tried(result, promised)
