"""What a question that was not answered would have been told."""

from passages import hit
from recorded import answered, refused

from rag.whatif.said import said

STEPS = "To open the kiln:\n1. Switch off the burner.\n2. Wait an hour.\n3. Lift the lid.\n4. Let it cool."


def test_a_refused_question_for_a_whole_list_would_be_quoted_all_of_it_and_another_the_step_that_answers() -> None:
    found = hit(STEPS, readings=(1.0,), marks=(0.1, 0.1, 0.04, 0.8, 0.0))
    older = refused().model_copy(update={"retrieved": (found,)})
    assert said(older) == "To open the kiln: 3. Lift the lid."
    whole = said(older.model_copy(update={"asks_for_list": True}))
    assert whole == "To open the kiln: 1. Switch off the burner. 2. Wait an hour. 3. Lift the lid. 4. Let it cool."
    assert said(answered()) == "Gloves are worn."
