"""A question of a collection: only its documents answer, and its name is recorded."""

import pytest
from library import quiet_settings

from rag import Candor
from rag.errors import InvalidQuery
from rag.models import Filters
from rag.ranking.superseded import EditionsAsked, editions_of
from rag.validate import validate

RULE = {"estimator": "max_similarity", "confidence_threshold": 0.3}


@pytest.fixture(scope="module")
def candor(tmp_path_factory):
    with Candor.open(quiet_settings(tmp_path_factory.mktemp("collections") / "data")) as candor:
        for place, colour in (("north", "red"), ("south", "green"), ("east", "white")):
            text = f"# Lighthouse\n\nThe lamp of the {place} lighthouse is {colour} and is lit at dusk every day.\n"
            candor.ingest_bytes(f"{place}.md", text.encode())
        candor.wiring.sessions.collections.put("Coast", ["south.md", "east.md", "sold.md"])
        candor.wiring.sessions.collections.put("Gone", ["sold.md"])
        yield candor


def asked(candor, question="Which colour has the lamp?", **filters):
    return candor.ask(question, filters=filters, **RULE)


def test_only_the_documents_of_a_collection_answer(candor):
    answer = asked(candor, "Which colour has the lamp of the north lighthouse?", collection="Coast")

    assert {hit.document for hit in answer.retrieved} == {"south.md", "east.md"}
    assert answer.query.filters == Filters(collection="Coast", sources=("east.md", "south.md"))
    assert {hit.document for hit in asked(candor, collection="Coast", source="east.md").retrieved} == {"east.md"}
    assert asked(candor, collection="Coast", source="north.md").retrieved == ()
    assert candor.retrieve("Which colour?", filters={"collection": "Coast"}).retrieval.searched == 2


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Cost", "There is no collection 'Cost'. Collections: Coast, Gone."),
        ("Gone", "No document of the collection 'Gone' is indexed."),
    ],
)
def test_a_collection_that_is_not_there_or_holds_nothing_is_refused_by_name(candor, name, told):
    with pytest.raises(InvalidQuery, match=told) as refused:
        asked(candor, collection=name)
    assert refused.value.details["field"] == "filters.collection"


@pytest.mark.parametrize(
    ("years", "left_out"), [((2019, 2021, 2024), (2019, 2021)), ((2019, 2021), (2019,)), ((2019,), None)]
)
def test_the_latest_edition_is_the_latest_of_the_collection(years, left_out):
    names = {year: f"rules {year}.md" for year in (2019, 2021, 2024)}
    known = editions_of([(name, name) for name in names.values()])
    within = Filters(sources=tuple(names[year] for year in years))
    query = validate("Who signs by the latest rules?").model_copy(update={"filters": within})
    narrowing = known.narrowed(query, ["rules 2019.md"], EditionsAsked("latest", "Who signs by the rules?"))

    assert (narrowing and narrowing.left_out) == (left_out and tuple(names[year] for year in left_out))
