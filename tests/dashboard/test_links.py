"""Settings in a page's link that are not valid: which, with their value, what stands in their place, and what to do."""

import pytest
from seen import says, text_of


def told(test):
    """Return what the page says of its link, titles included."""
    text_of(test)
    found = [one.proto for one in test.warning if "link" in str(one.proto)]
    return "\n".join(f"{one.title}\n{one.body}" for one in found).replace("\\", "")


def test_every_setting_of_a_link_to_ask_that_is_not_valid_is_named_with_its_value_and_what_is_used(open_page):
    test = open_page(
        mode="Sideways", estimator="magic", confidence_threshold="7", similarity_threshold="much", top_k="99",
        no_llm="perhaps", max_tokens="0", temperature="nan",
    )  # fmt: skip
    says(
        told(test),
        "8 settings of this link are not valid",
        "**Mode**: “Sideways” is none of Everywhere, Chapter first, Pasted text only; used instead: Everywhere.",
        "“magic” is none of Mean similarity, Best similarity, Calibrated; used instead: Best similarity.",
        "**Confidence threshold**: “7” is not a number from 0 to 1; not set.",
        "**Similarity threshold**: “much” is not a number from 0 to 1; used instead: 0.",
        "**Passages**: “99” is not a whole number from 1 to 20; used instead: 5.",
        "**Quote only**: “perhaps” is neither true nor false; used instead: false.",
        "Set them in the line above the input, or under **Advanced**, or ask the person who sent the link.",
    )


def test_what_is_not_valid_is_said_until_its_widget_is_moved_and_what_is_valid_is_taken_without_a_word(open_page):
    test = open_page(top_k="99", temperature="0.3")
    says(told(test.run()), "1 setting of this link is not valid", "Set it in the line above the input")
    assert told(test.slider(key="top_k").set_value(7).run()) == ""
    test = open_page(mode="Chapter first", estimator="Mean similarity", confidence_threshold="0.4", top_k="20")
    assert told(test) == ""
    assert (test.slider(key="top_k").value, test.number_input(key="confidence_threshold").value) == (20, 0.4)
    assert told(open_page("tune", t_confidence="0.7019", t_estimator="As recorded", t_target="50")) == ""


@pytest.mark.parametrize(
    ("page", "given", "expected"),
    [
        ("tune", {"t_confidence": "1.5"}, "**Confidence threshold**: “1.5” is not a number from 0 to 1; used "),
        ("monitor", {"period": "1 year"}, "“1 year” is none of 1 hour, 24 hours, 7 days, 30 days, All; used "),
        ("inspector", {"outcome": "lost"}, "“lost” is none of All, Answered, Unsure, Refused, Talk; used "),
        ("evaluate", {"view": "Nowhere"}, "**View**: “Nowhere” is none of Runs, New run, Compare, Test sets, "),
    ],
)
def test_other_pages_name_what_is_not_valid_too(open_page, page, given, expected):
    assert expected in told(open_page(page, **given))


def test_a_parameter_that_no_page_has_is_named_and_cannot_draw_anything(open_page):
    said = told(open_page("monitor", topk="3", x="![a](http://b)" + "y" * 200))
    says(said, "This link has an unknown parameter", "“topk” = “3”", "![a](http://b)yyy")
    assert "y" * 100 not in said
