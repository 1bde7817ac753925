"""Real documents, where the shared data sets are beside the repository."""

import json

import pytest
from loader_checks import check, shared

from rag.ingest.loaders import load

pytestmark = pytest.mark.data


def test_every_gold_chapter_and_section_of_the_textbook_is_found() -> None:
    folder = shared("openstax_biology")
    asked = map(json.loads, (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines())
    wanted = {(gold["document"], gold["chapter"], gold["section"]) for one in asked for gold in one["gold"]}
    read = {path.name: check(load(path)).sections for path in (folder / "documents").iterdir()}
    found = {(name, one.chapter, one.section_number) for name, sections in read.items() for one in sections}
    assert len(wanted) > 150
    assert wanted <= found


def test_a_filing_is_told_apart_by_its_identifiers_and_its_statement_is_rows_with_label_and_values() -> None:
    document = check(load(shared("sec10q") / "documents" / "2023 Q3 AAPL.pdf"))
    text, (stem, *others) = document.text, document.metadata.identifiers
    assert (stem, any(text.startswith("quarterly period ended") for text in others)) == ("2023 Q3 AAPL", True)
    assert "| Total net sales | 81,797 | 82,959 | 293,787 | 304,182 |" in text
    assert "| | July 1, 2023 | June 25, 2022 | July 1, 2023 | June 25, 2022 |" in text
    assert "Q3 2023 Form 10-Q |" not in text


def test_formats_at_hand_are_read() -> None:
    folder = shared("formats")
    documents = {path.name: check(load(path)) for path in folder.iterdir()}
    assert len(documents["doj_chapter13_trustee_handbook.docx"].text) > 800_000
    assert documents["wiki_duck.html"].metadata.url == "https://en.wikipedia.org/wiki/Duck"
    numbered = documents["unit_test_headers_numbered.docx"].sections
    assert "1.2 Section 1.2" in {one.section for one in numbered}
    assert "| Cell 1.0 | Merged Cell 1.1 1.2 |" in documents["word_tables.docx"].text
