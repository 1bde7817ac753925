"""Which documents an identifier of a question names."""

import pytest
from passages import hit

from rag.ranking.named import documents_named, identifiers_of, rows_of_others
from rag.text.words import stems, term_id

REPORTS = {f"report_{n}.pdf": f"Report LN-2019-{n:04d}. Wind, visibility and damage." for n in range(10)}


def terms(text: str) -> frozenset[int]:
    return frozenset(map(term_id, stems(text, language="english")))


def named(question: str, documents: dict[str, str]) -> set[str]:
    codes = identifiers_of(question, language="english")
    return set(documents_named(codes, documents, lambda name: terms(documents[name])))


def test_the_number_of_a_report_names_it_alone() -> None:
    assert named("What was the wind in report LN-2019-0004?", REPORTS) == {"report_4.pdf"}


@pytest.mark.parametrize(
    "question",
    ["How strong was the wind in 2019?", "Is 15,000 euros too much?", "What is report LN-2019-0999?", "Who was hurt?"],
)
def test_years_amounts_and_identifiers_of_no_document_name_none(question: str) -> None:
    assert named(question, REPORTS) == set()


SHEET = "| Order: OR-1016 | City: Kiel |\n| Order: OR-1017 | City: Oslo |"
TABLE = "| Part | Weight |\n| PX300A | 4 kg |\n| PX313B | 5 kg |\n| PX326C | 6 kg |"
FORM = "| Report no. | VR-2041 |\n| Class | IP44 |"


@pytest.mark.parametrize(
    ("question", "text", "others"),
    [
        ("Which city is OR-1017 for?", SHEET, {0}),
        ("How heavy is PX313B?", TABLE, {1, 3}),
        ("How heavy is PX399Z?", TABLE, set()),  # no row has it
        ("Which class has VR-2041?", FORM, set()),  # its rows are labels and values
    ],
)
def test_a_row_that_has_another_key_than_the_one_asked_for_is_ruled_out(
    question: str, text: str, others: set[int]
) -> None:
    assert rows_of_others(question, [hit(text)]) == [others]
