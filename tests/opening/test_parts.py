import pytest

from rag.asking.parts import parts_of


def test_two_question_marks_make_two_questions():
    two = ("Which gloves are required for dichloromethane?", "How long must eyes be rinsed?")
    assert parts_of(" ".join(two)) == two


@pytest.mark.parametrize(
    "asked",
    [
        "I lost my key. What now?",
        "Is it true that gloves are required? Really?",  # the second is no question of its own
        "How long is it? I must know by Monday.",  # ends with no question
        "a b c? d e f? g h i? j k l?",  # too many
        "",
    ],
)
def test_anything_else_is_left_whole(asked):
    assert parts_of(asked) == (asked,)
