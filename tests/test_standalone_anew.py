from passages import hit
from readers import ScriptedReader

from rag.models import Query, Retrieval
from rag.standalone import finds_anew

ETHERS, ACIDS = "Which gloves for ethers?", "And acids?"


def found(reading):
    text = "For ethers, butyl gloves are worn."
    return Retrieval(hits=(hit(text, readings=(reading,)),))


def reader(*, before, asked):
    return ScriptedReader(lambda question, text: before if question == ETHERS else asked)


def test_a_passage_that_answers_the_joined_question_better_than_the_one_before_is_a_find():
    assert finds_anew(Query(question=ACIDS, previous=ETHERS), found(0.8), reader=reader(before=0.3, asked=0.0))


def test_a_passage_that_only_answers_the_question_before_is_no_find():
    assert not finds_anew(
        Query(question="What is the capital of Mongolia?", previous=ETHERS),
        found(0.8),
        reader=reader(before=0.95, asked=0.01),
    )


def test_a_passage_that_answers_the_new_question_by_itself_is_a_find_even_so():
    assert finds_anew(Query(question=ACIDS, previous=ETHERS), found(0.8), reader=reader(before=0.95, asked=0.25))


def test_nothing_found_is_no_find():
    assert not finds_anew(Query(question=ACIDS, previous=ETHERS), Retrieval(), reader=reader(before=0.0, asked=1.0))
