"""Real documents, where the shared data sets are beside the repository."""

import json

import pytest
from loader_checks import check, shared

from rag.ingest.loaders import load

pytestmark = pytest.mark.data


def test_every_gold_chapter_and_section_of_the_textbook_is_found() -> None:
    folder = shared("openstax_biology")
    wanted = {
        (gold["document"], gold["chapter"], gold["section"])
        for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
        for gold in json.loads(line)["gold"]
    }
    found = {
        (path.name, one.chapter, one.section_number)
        for path in (folder / "documents").iterdir()
        for one in check(load(path)).sections
    }
    assert len(wanted) > 150
    assert wanted <= found


@pytest.mark.parametrize("stem", ["2022 Q3 AAPL", "2023 Q3 NVDA"])
def test_filings_are_told_apart_by_their_identifiers(stem: str) -> None:
    document = check(load(shared("sec10q") / "documents" / f"{stem}.pdf"))
    assert document.metadata.identifiers[0] == stem
    assert any(text.startswith("quarterly period ended") for text in document.metadata.identifiers)
    assert len(document.metadata.identifiers) <= 8


def test_statement_of_a_filing_is_rows_with_label_and_values() -> None:
    text = check(load(shared("sec10q") / "documents" / "2023 Q3 AAPL.pdf")).text
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
