"""What tells a document from its siblings."""

import pytest

from rag.ingest.loaders.metadata import identify, title_of

COVER = "FORM 12-K\nFor the fiscal year ended June 30, 2024\nAcme Robots, Inc.\n(Exact name)\n"
EFFECTIVE = "Effective 1 March 2026"
POLICY = f"Policy No. TP-3, version 2.4\n{EFFECTIVE}\nLarkfield Institute"
PROSE = "In the year 1850 the East India Company had bought the land from the university " * 2


@pytest.mark.parametrize(
    ("name", "title", "head", "found"),
    [
        ("report_Q2_2024.pdf", None, "", ("report Q2 2024", "second quarter of 2024")),
        ("scan0001.pdf", None, COVER, ("Acme Robots, Inc.", "fiscal year ended June 30, 2024", "FORM 12-K")),
        ("policy.docx", "Travel Policy", POLICY, ("Larkfield Institute", "Policy No. TP-3", "version 2.4", EFFECTIVE)),
        ("a.md", None, "Second edition\n1 Oil lamps\n", ()),  # a number is on the line of its word,
        ("a.md", None, "Form\n12-K\nfor the year", ("Form 12-K",)),  # or alone on the next
        ("a.md", None, "Edition 4 of the rules\n", ("Edition 4",)),
        ("fume_hoods.md", "Fume hoods", "", ()),  # what the title says
        ("a.txt", None, PROSE, ()),  # names in running text
        ("scan.txt", None, "Record no:  SR/88100\nMachine: Forklift B1", ("Record no SR/88100",)),
        ("scan.txt", None, "| Model | PX300A |\n| Weight | 4.6 kg |\n| Class | IP4 |", ("Model PX300A",)),
        ("scan.txt", None, "Opened: 2025\nDate: 2025-03-15\nPrice: 1,250\nPlace: ROOM", ()),
    ],
)
def test_a_document_is_told_apart_by_what_its_name_and_first_page_say(name, title, head, found):
    assert identify(name, title, head) == found


def test_what_says_nothing_or_a_program_writes_where_nothing_was_said_is_left_out_and_is_no_title() -> None:
    extra = ["Table of Contents", "", "12", "(unspecified)", "[none]", "No subject", "Policy TP-3"]
    assert identify("scan_0001.pdf", "Soil", "", extra) == ("Policy TP-3",)
    kept = ["Document retention policy", "Word order in German", "Template for assessments"]
    written = ["Document1", "PowerPoint Presentation", "Microsoft Word - a.doc", "template"]
    assert [title_of(title, ()) for title in kept + written] == kept + [None] * 4
