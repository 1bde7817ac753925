"""Which edition, version or document a question means, by the years, codes and numbers that it names."""

from types import SimpleNamespace

import pytest
from passages import hit

from rag.models import Query, Retrieval, RetrievedChunk, SectionStart
from rag.quote import quote
from rag.ranking.named import absent_codes, documents_named, holders, identifiers_of, rows_of_others
from rag.ranking.superseded import Editions, EditionsAsked, KnownEditions, edition_notes, editions_of
from rag.ranking.versions import sections_of_others, version_of
from rag.text.words import stems, term_id

WORK = ("fees 2021.md", "fees 2022.md", "fees 2023.md")
TWO_LATEST = ("fees 2022.md", "fees 2023.docx", "fees 2023.md")
ROTA = ("rota 2024-04.md", "rota 2024-05.md")
FOUND = {"fees 2022.md", "faq.md"}


def known_of(*names):
    return editions_of([(name, f"hash of {name}") for name in names])


KNOWN = known_of(*WORK, "faq.md", "rules v2.md")


def narrowed(question, kind="plain", *, known=KNOWN, found=FOUND, **filters):
    asked = Query(question=question, filters=filters)
    return known.narrowed(asked, found, EditionsAsked(kind, question.replace("latest ", "")))


def test_documents_that_say_different_things_are_no_editions_whatever_their_names():
    words = {"log 2021.md": range(10), "log 2022.md": range(5, 15), "act 1.1.md": range(9), "act 1.2.md": range(6, 15)}
    known = editions_of([(name, name) for name in words], lambda name: frozenset(words[name]))
    agreeing = [work.editions for work in known.among(words)]
    assert agreeing == [("log 2021.md", "log 2022.md")]  # 5 of 15 words, a third; of the acts 3 of 15


@pytest.mark.parametrize(
    ("question", "kind", "years", "searched_for"),
    [
        ("What is the latest fee?", "latest", "2023", "What is the fee?"),
        ("What is the fee?", "plain", "2023", "What is the fee?"),
        ("What was the fee in 2022?", "plain", "2022", "What was the fee?"),
        ("What is the fee since 1998?", "plain", "2023", "What is the fee since 1998?"),
        ("What is the fee, according to the 2021 edition?", "plain", "2021", "What is the fee?"),
        ("Was the fee of 2021 paid in 2023?", "plain", "2021 2023", "Was the fee paid?"),
    ],
)
def test_the_edition_that_is_named_is_meant_else_the_latest_and_that_is_told(question, kind, years, searched_for):
    narrowing = narrowed(question, kind)
    assert set(narrowing.left_out) == set(WORK) - {f"fees {year}.md" for year in years.split()}
    assert (narrowing.question, narrowing.by_default) == (searched_for, (kind, years) == ("plain", "2023"))
    assert all("“fees 2023.md”" in note for note in narrowing.notes.values())


@pytest.mark.parametrize(
    ("question", "kind", "options"),
    [
        ("How did the fee in 2022 compare to 2021?", "several", {}),
        ("What is the latest fee?", "latest", {"source": "fees 2021.md"}),
        ("What is the latest fee?", "latest", {"found": {"faq.md", "rules v2.md"}}),  # the work was not found
        ("What is the latest fee?", "latest", {"known": Editions()}),
    ],
)
def test_nothing_is_narrowed_where_several_are_asked_for_a_source_is_named_or_without_editions(question, kind, options):
    assert narrowed(question, kind, **options) is None


def test_a_day_names_no_edition_and_two_files_of_the_latest_date_are_both_the_latest():
    for names, question in ((ROTA, "Who is on duty on 2 April?"), (TWO_LATEST, "What is the fee?")):
        found = narrowed(question, known=known_of(*names), found={names[0]})
        assert set(found.left_out) == {names[0]}


@pytest.mark.parametrize(
    ("question", "source", "work", "cited", "is_told"),
    [
        ("How has the fee changed?", None, WORK, ["fees 2021.md", "fees 2023.md"], True),
        ("What was the fee in 2022?", None, WORK, ["fees 2022.md"], False),
        ("What is the fee?", None, WORK, ["fees 2023.md"], False),
        ("What is the fee?", "fees 2022.md", WORK, ["fees 2022.md"], False),
        ("What is the fee?", None, WORK, ["faq.md"], False),
        ("What is the fee?", None, TWO_LATEST, ["fees 2023.docx"], False),
        ("What is the fee?", None, TWO_LATEST, ["fees 2022.md"], True),
    ],
)
def test_an_answer_of_an_earlier_edition_names_the_latest_unless_it_was_chosen(question, source, work, cited, is_told):
    notes = edition_notes(Query(question=question, filters={"source": source}), Retrieval(editions=(work,)), cited)
    assert ["edition is “fees 2023.md”" in note for note in notes] == [True] * is_told


def test_an_index_is_read_once_in_each_of_its_states_and_a_work_is_listed_once_however_many_editions_it_has():
    names, read = [f"log {year}.md" for year in range(1950, 2050)], []
    index = SimpleNamespace(
        fingerprint=lambda: "\n".join(names),
        versions=lambda: read.append(1) or [(name, name) for name in names],
        terms=lambda document: frozenset(),
    )
    known = KnownEditions()
    found = known.of(index)
    assert known.of(index) is found
    assert len({id(work) for work in found.of.values()}) == len(read) == 1
    assert found.of["log 1950.md"].nearest == ("log 2048.md", "log 2049.md")
    names.append("log 2050.md")
    assert known.of(index).of["log 1950.md"].latest == ("log 2050.md",)
    assert len(read) == 2


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


INVOICES = {
    "a.pdf": "Invoice RE-2024-0012. Payable until 10 January 2025.",
    "b.pdf": "Invoice RE 2025 0012 for the order of 3 May 2024.",  # has 2024, and 0012
    "c.pdf": "Invoice RE-2025-00123 of 2024.",
}


@pytest.mark.parametrize(
    ("question", "held"),
    [
        ("What is due of RE-2024-0012?", {"RE-2024-0012": {"a.pdf"}}),
        ("What is due of RE-2025-0012?", {"RE-2025-0012": {"b.pdf"}}),
        ("What is due of re-2024-0123?", {"re-2024-0123": set()}),
        ("What is due?", {}),
    ],
)
def test_a_document_holds_an_identifier_that_stands_in_it_as_a_whole(question, held):
    assert holders(question, [hit(text, document=name) for name, text in INVOICES.items()]) == held


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


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("2.3.0 (2025-11-10)", "2.4.0 (2026-03-01)"),
        ("v1.9", "v1.10"),
        ("Board meeting, 12 January 2025", "Board meeting, 3 March 2025"),
        ("Fees in 2023", "Fees in 2024"),
        ("Season 2023/24", "Season 2024/25"),
        ("Q1 2025", "Q2 2025"),
        ("41st meeting, Thursday, 6 March 2025", "42nd meeting, Monday, 7 April 2025"),
    ],
)
def test_headings_that_differ_by_date_or_number_alone_are_versions_in_their_order(older: str, newer: str) -> None:
    one, other = version_of(older), version_of(newer)
    assert (one.series, one.order < other.order) == (other.series, True)


@pytest.mark.parametrize("heading", ["2.2 Working with hoods", "5.1", "Chapter 2", "1. Leave", "Hoods", "", None])
def test_a_number_of_a_section_is_no_version(heading: str | None) -> None:
    assert version_of(heading) is None


NOTES = "- The limit was raised to 5,000 rows.\n\n- The limit was raised to 2,000 rows.\n\n- The limit is 500 rows."


HEADINGS = ("2.4.0 (2026-03-01)", "2.3.0 (2025-11-10)", "2.2.0 (2025-06-02)")


def of_versions() -> RetrievedChunk:
    """Return a passage that holds a sentence of each version."""
    passage = hit(NOTES, readings=(0.9,), marks=(0.6, 0.5, 0.9), section=HEADINGS[0])
    begun = zip(passage.sentences, HEADINGS, strict=True)
    starts = tuple(SectionStart(offset=start, section=heading) for (start, _), heading in begun)
    return passage.model_copy(update={"section_starts": starts})


@pytest.mark.parametrize(
    ("question", "others"),
    [
        ("What is new in version 2.3.0?", {0, 2}),
        ("What is new in 2.9?", set()),  # no heading has it
        ("What is the limit in 2025?", set()),
        ("What is the limit?", set()),
    ],
)
def test_where_a_question_names_a_version_the_sections_of_others_do_not_answer(question, others):
    assert sections_of_others(question, [of_versions()]) == [others]


def test_the_heading_of_a_version_is_none_of_what_it_says_and_stands_before_all_that_is_quoted_of_it() -> None:
    passage = hit("3.1 (2026-02-02)\n- Retries are 6.\n- The API is gone.", readings=(1.0,), marks=(0.9, 0.8, 0.8))
    first, *items = passage.blocks
    blocks = (first.model_copy(update={"kind": "heading"}), *items)
    starts = (SectionStart(offset=0, section="3.1 (2026-02-02)"), SectionStart(offset=60, section="3.0 (2025-10-01)"))
    found = quote([passage.model_copy(update={"blocks": blocks, "section_starts": starts})])
    assert [one.text for one in found.grounding.sentences] == [
        "3.1 (2026-02-02):",
        "- Retries are 6.",
        "- The API is gone.",
    ]


def test_what_several_versions_say_is_quoted_with_their_headings_and_the_latest_first() -> None:
    found = quote([of_versions()])
    said = [line.removeprefix("- ") for line in NOTES.split("\n\n")]
    assert [one.text for one in found.grounding.sentences] == [*map("{}: {}".format, HEADINGS, said)]
    assert found.notes == ("3 versions of this section match the question. The latest comes first.",)
