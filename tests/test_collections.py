"""A question of a collection, and one with words of the house."""

from dataclasses import replace

import pytest
from library import quiet_settings
from questions import ask
from readers import knowing

from rag import Candor
from rag.asking.house_words import readings
from rag.errors import InvalidQuery
from rag.models import Filters, HouseWord
from rag.ranking.superseded import EditionsAsked, editions_of
from rag.validate import validate
from rag.workspace.house_words import as_csv, checked, of_csv

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


WORDS = (
    HouseWord(word="PPE", means="personal protective equipment"),
    HouseWord(word="sheet", means="safety data sheet"),
    HouseWord(word="IT", means="information technology"),
    HouseWord(word="PM", means="preventive maintenance"),
    HouseWord(word="PM", means="project manager"),
)


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("Which ppe is worn?", ["Which personal protective equipment is worn?"]),
        ("Where are the PPE's and sheets?", ["Where are the personal protective equipment and safety data sheet?"]),
        ("Who pays for personal protective equipment?", ["Who pays for PPE?"]),
        ("Who is the PM?", ["Who is the preventive maintenance?", "Who is the project manager?"]),
        ("Is it IT?", ["Is it information technology?"]),
        ("Where is the safety data sheet?", []),  # an ordinary word is put in for nothing
        ("What is information technology?", []),
        ("Where is the bedsheet of PPEople?", []),
        ("How deep is the snow?", []),
    ],
)
def test_other_names_of_a_thing_are_put_in_where_its_name_stands_as_a_whole(question, read):
    assert [one.question for one in readings(question, WORDS)] == read


def test_a_file_of_house_words_is_read_back_as_it_was_written():
    words = [checked("PPE", "gear,  protective", by="ada"), checked("C/A", 'the "canteen"')]
    assert of_csv(as_csv(words)) == words
    assert of_csv("\ufeffPPE;protective gear\n\nSDS;safety data sheet;bo\n", by="ada") == [
        checked("PPE", "protective gear", by="ada"),
        checked("SDS", "safety data sheet", by="bo"),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "holds no house words"),
        ("word,means\n", "holds no house words"),
        ("PPE,gear\nSDS\n", "Line 2, 'SDS', has one column"),
        ("PPE,ppe\n", "'PPE' cannot be its own meaning"),
        ("P,gear\n", "House word 'P': word"),
    ],
)
def test_a_file_that_is_none_of_house_words_is_refused_with_the_line(text, told):
    with pytest.raises(InvalidQuery, match=told):
        of_csv(text)


ASKED = "Which skin cover does dichloromethane need?"
LONG = "Which gloves does dichloromethane need?"
VISITORS = "Where are visitors signed in?"
SKIN = HouseWord(word="skin cover", means="gloves")
LAMINATE = "laminate gloves are required"


def with_words(pipeline, answers):
    return replace(pipeline, reader=knowing(answers), house_words=lambda: [SKIN])


@pytest.mark.parametrize(
    ("found_by", "options", "asked"),
    [(LONG, {}, LONG), (ASKED, {}, None), (LONG, {"as_asked": True}, None)],  # no more is found, or none are wanted
)
def test_the_reading_with_house_words_is_kept_where_it_finds_more_and_it_is_said(pipeline, found_by, options, asked):
    answer = ask(with_words(pipeline, {found_by: LAMINATE}), ASKED, **options)
    assert (answer.query.question, answer.asked) == (ASKED, asked)
    assert (LAMINATE in " ".join((answer.answer or "").split())) == ("as_asked" not in options)
    assert answer.house_words == (("skin cover = gloves",) if asked else ())
    read_as = [note for note in answer.notes if note.startswith("Read as")]
    assert read_as == ([f"Read as: {LONG} (house word: skin cover)"] if asked else [])


def test_each_of_two_questions_in_one_is_read_with_house_words(pipeline):
    answer = ask(with_words(pipeline, {LONG: LAMINATE, VISITORS: "signs in"}), f"{ASKED} {VISITORS}")
    assert answer.notes[0] == f"Read as: {LONG} {VISITORS} (house word: skin cover)"
