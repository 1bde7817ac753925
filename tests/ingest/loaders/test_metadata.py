"""What tells a document from its siblings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.ingest.loaders.metadata import LONGEST, MOST, identify, title_of


def test_quarter_in_the_name_is_spelled_out() -> None:
    assert identify("report_Q2_2024.pdf", None, "") == ("report Q2 2024", "second quarter of 2024")


def test_period_organisation_and_form_are_found_on_the_first_page() -> None:
    head = "FORM 12-K\nFor the fiscal year ended June 30, 2024\nAcme Robots, Inc.\n(Exact name)\n"
    found = identify("scan0001.pdf", None, head)
    assert found == ("Acme Robots, Inc.", "fiscal year ended June 30, 2024", "FORM 12-K")


def test_policy_number_version_and_date_are_found() -> None:
    head = "Policy No. TP-3, version 2.4\nEffective 1 March 2026\nLarkfield Institute of Materials Chemistry"
    assert identify("policy.docx", "Travel Policy", head) == (
        "Larkfield Institute of Materials Chemistry",
        "Policy No. TP-3",
        "version 2.4",
        "Effective 1 March 2026",
    )


def test_a_number_is_on_the_line_of_its_word_or_alone_on_the_next() -> None:
    assert identify("a.md", None, "Second edition\n1 Oil lamps\n") == ()
    assert identify("a.md", None, "Report\n2 Wicks and oil\n") == ()
    assert identify("a.md", None, "Form\n12-K\nfor the year") == ("Form 12-K",)
    assert identify("a.md", None, "Policy No.: TP-3\n") == ("Policy No.: TP-3",)
    assert identify("a.md", None, "Edition 4 of the rules\n") == ("Edition 4",)


def test_what_the_title_says_is_not_repeated() -> None:
    assert identify("fume_hoods.md", "Fume hoods", "") == ()


def test_names_in_running_text_are_the_subject_and_not_the_document() -> None:
    prose = "In the year 1850 the East India Company had bought the land from the university " * 2
    assert identify("a.txt", None, prose) == ()


def test_names_that_say_nothing_are_left_out() -> None:
    assert identify("scan_0001.pdf", None, "", ["Table of Contents", "", "12"]) == ()


def test_what_a_program_writes_where_nothing_was_said_is_left_out() -> None:
    assert identify("a.pdf", "Soil", "", ["(unspecified)", "[none]", "No subject", "Policy TP-3"]) == ("Policy TP-3",)


@given(st.text(max_size=40), st.none() | st.text(max_size=40), st.text(max_size=300), st.lists(st.text(max_size=100)))
def test_identifiers_are_few_short_and_distinct(name: str, title: str | None, head: str, extra: list[str]) -> None:
    found = identify(name, title, head, extra)
    assert len(found) <= MOST
    assert all(2 <= len(text) <= LONGEST and "\n" not in text for text in found)
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("head", "found"),
    [
        ("Record no:  SR/88100\nMachine: Forklift B1", ["Record no SR/88100"]),
        ("| Report no. | VR-2041 |\n| Mileage | 32,174 km |\n| Police | yes |", ["Report no. VR-2041"]),
        ("| Model | PX300A |\n| Weight | 4.6 kg |\n| Class | IP4 |", ["Model PX300A"]),
        ("Customer: 4711220", ["Customer 4711220"]),
        ("Opened: 2025\nDate: 2025-03-15\nPrice: 1,250\nPlace: ROOM", []),
    ],
)
def test_a_code_that_is_all_the_value_of_a_label_tells_a_form_from_its_siblings(head: str, found: list[str]) -> None:
    assert [one for one in identify("scan.txt", None, head) if one != "scan"] == found


@pytest.mark.parametrize(
    "title", ["Document retention policy", "Word order in German", "Template for risk assessments"]
)
def test_a_title_that_begins_as_those_of_programs_is_one(title: str) -> None:
    assert title_of(title, ()) == title


@pytest.mark.parametrize(
    "title", ["Document1", "PowerPoint Presentation", "Microsoft Word - policy_v3.doc", "template"]
)
def test_what_a_program_wrote_is_no_title(title: str) -> None:
    assert title_of(title, ()) is None
