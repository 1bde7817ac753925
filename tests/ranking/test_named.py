"""Which documents an identifier of a question names."""

import pytest
from passages import hit

from rag.ranking.named import absent_codes, documents_named, identifiers_of, rows_of_others
from rag.text.words import stems, term_id

REPORTS = {f"report_{n}.pdf": f"Report LN-2019-{n:04d}. Wind, visibility and damage." for n in range(10)}


def terms(text: str) -> frozenset[int]:
    return frozenset(map(term_id, stems(text, language="english")))


@pytest.mark.parametrize(
    ("question", "reports"),
    [
        ("What was the wind in report LN-2019-0004?", ["report_4.pdf"]),
        ("How strong was the wind in 2019, and is 15,000 euros too much?", []),
        ("What is report LN-2019-0999?", []),
    ],
)
def test_the_number_of_a_report_names_it_alone_and_a_year_an_amount_or_another_number_none(question, reports):
    codes = identifiers_of(question, language="english")
    assert [*documents_named(codes, REPORTS, lambda name: terms(REPORTS[name]))] == reports


@pytest.mark.parametrize(
    ("question", "absent"),
    [
        ("What is report LN-2019-0999?", ("LN-2019-0999",)),
        ("What was the wind in report LN-2019-0004?", ()),
        ("Who signed report_4.pdf, and who KH965?", ("KH965",)),
        ("Can I play an mp3 on 12345 machines with CO2?", ()),  # too short for a code, and an amount
    ],
)
def test_a_code_is_absent_where_no_text_and_no_name_of_a_document_has_it(question, absent):
    def counted(wanted):
        return {term: n for term in wanted if (n := sum(term in terms(text) for text in REPORTS.values()))}

    assert absent_codes(question, lambda: [(name, "") for name in REPORTS], counted, language="english") == absent


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
def test_a_row_that_has_another_key_than_the_one_asked_for_is_ruled_out(question, text, others):
    assert rows_of_others(question, [hit(text)]) == [others]
