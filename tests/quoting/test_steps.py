"""What is to be done is told by the list under the heading asked about, or below the words that name the case."""

from passages import hit

from rag.generate import extract
from rag.models import Query
from rag.quoting.company import Place
from rag.quoting.steps import heads_steps, steps_under

OPENING = "1. Unlock the till.\n2. Switch on the lamps.\n3. Count the float.\n\nThe shop closes at six."
ALARM = (
    "An alarm is tested on Mondays by the porter, who rings it.\n\nWhen the alarm rings:\n"
    "- leave the hall;\n- close the doors;\n- meet at the oak."
)
SECTION = "3. Before the opening"


def answer(question: str, text: str, section: str | None = None) -> str:
    passages = [hit(text, section=section)]
    return extract(Query(question=question), passages, document_frequency=lambda _: {}, indexed=9).text


def test_the_list_under_the_heading_asked_about_is_quoted_whole():
    assert answer("What has to be done before the opening?", OPENING, SECTION) == (
        "1. Unlock the till. [1] 2. Switch on the lamps. [1] 3. Count the float. [1]"
    )


def test_only_a_question_for_what_is_to_be_done_that_has_the_heading_word_for_word_means_the_list():
    passages = [hit(OPENING, section=SECTION)]

    assert steps_under("What must I do before the opening?", passages, {1}) == [Place(1, 0), Place(1, 1), Place(1, 2)]
    assert steps_under("Who comes before the opening?", passages, {1}) == []
    assert steps_under("What must I do after the opening?", passages, {1}) == []


def test_the_list_of_a_passage_about_another_thing_is_passed_over():
    passages = [hit(OPENING, section=SECTION), hit("1. Light the stove.\n2. Lay the tables.", section=SECTION)]

    assert steps_under("What must I do before the opening?", passages, {2}) == [Place(2, 0), Place(2, 1)]
    assert steps_under("What must I do before the opening?", passages, set()) == []


def test_a_heading_of_one_word_and_one_item_alone_are_no_list_to_be_quoted():
    assert steps_under("What must I do at the opening?", [hit(OPENING, section="Opening")], {1}) == []
    assert steps_under("What must I do before the opening?", [hit("1. Unlock the till.", section=SECTION)], {1}) == []


def test_words_that_name_the_case_bring_their_list():
    assert answer("What do we do when the alarm rings?", ALARM) == (
        "When the alarm rings: [1] - leave the hall; [1] - close the doors; [1] - meet at the oak. [1]"
    )


def test_words_above_a_list_that_name_no_case_earn_nothing():
    assert heads_steps("What do we do if it rings?", "In case of an alarm:")
    assert not heads_steps("What do we do if it rings?", "The alarm has three tones:")
    assert not heads_steps("What do we do if it rings?", "When it rings, leave the hall.")


def test_a_heading_may_say_itself_that_what_to_do_stands_below():
    passages = [hit(OPENING, section="What to do in a flood")]

    assert steps_under("What should I do in a flood?", passages, {1}) == [Place(1, 0), Place(1, 1), Place(1, 2)]
