"""Filter values that are not in the index, against a catalogue and a store that hold a small library."""

import pytest
from library import quiet_settings

from rag import Candor
from rag.asking.known_filters import require_known, unknown_in
from rag.errors import InvalidQuery
from rag.models import Filters


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("known")
    with Candor.open(quiet_settings(folder / "data")) as candor:
        for number in range(12):
            candor.ingest_bytes(
                f"note{number}.md", f"# Notes\n\n## 1 Snow\n\nSnow {number} falls in winter.\n".encode()
            )
        yield {"store": candor.wiring.store, "catalogue": candor.wiring.catalogue}


def is_known(filters, parts):
    try:
        require_known(filters, **parts)
    except InvalidQuery:
        return False
    return True


def test_values_that_are_there_pass(parts):
    there = (Filters(), Filters(source="note3.md"), Filters(section="1 Snow"))
    absent = (Filters(source="note33.md"), Filters(section="2 Snow"))

    assert [is_known(filters, parts) for filters in (*there, *absent)] == [True, True, True, False, False]


def test_an_unknown_chapter_is_for_retrieval_to_refuse(parts):
    assert is_known(Filters(chapter=77), parts)


def test_ten_names_are_listed_the_closest_first_and_the_rest_counted(parts):
    with pytest.raises(InvalidQuery) as caught:
        require_known(Filters(source="not11.md"), **parts)

    assert caught.value.details["known"][0] == "note11.md"
    assert len(caught.value.details["known"]) == 10
    assert caught.value.message.endswith(" and 2 more.")


def test_a_page_is_looked_for_in_the_document_that_is_named(parts):
    (page,) = unknown_in(Filters(source="note3.md", page=2), **parts)
    both = unknown_in(Filters(source="other.md", page=2), **parts)

    assert page.told == "There is no text on page 2 of 'note3.md'; it has no pages."
    assert [one.name for one in both] == ["source", "page"]
    assert both[1].told == "There is no text on page 2 of the index; no document there has pages."


def test_an_empty_index_is_for_asking_to_refuse(tmp_path):
    with Candor.open(quiet_settings(tmp_path / "data")) as candor:
        empty = {"store": candor.wiring.store, "catalogue": candor.wiring.catalogue}
        assert is_known(Filters(source="a.md"), empty)

        assert candor.documents() == []
