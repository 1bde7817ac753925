"""A sentence that shares only the title's name with a question is quoted where it limits what the question names."""

from passages import hit

from rag.generate import extract
from rag.models import DocumentMetadata, Query


def answer(question: str, text: str) -> str:
    passage = hit(text).model_copy(update={"metadata": DocumentMetadata(title="Rules of the Rope Hall")})
    return extract(Query(question=question), [passage], document_frequency=lambda _: {}, indexed=9).text


def test_a_limit_to_the_age_that_the_question_names_is_quoted():
    text = "Children under 12 are not admitted to the rope hall."

    assert answer("Can I bring my 8-year-old into the rope hall?", text) == f"{text} [1]"


def test_what_says_nothing_of_what_is_asked_is_not():
    assert answer("Can I bring my 8-year-old into the rope hall?", "The rope hall is painted blue.") == ""
