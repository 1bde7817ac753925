import pytest

from rag.evaluation.answers import answer_recall, citation_precision, contains_gold, normalise, page_accuracy

from .made import chunk, gold, line


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("The Lid.", "lid"),
        ("an  apple, a day", "apple day"),
        ("1,500 ml [1][2].", "1500 ml"),
        ("“quoted” — dash", "quoted dash"),
        ("theatre", "theatre"),
        ("", ""),
    ],
)
def test_case_punctuation_articles_and_markers_are_folded(text, folded):
    assert normalise(text) == folded


def test_a_gold_answer_must_stand_as_whole_words():
    assert contains_gold("The count was Robert Guiscard [1].", ["robert guiscard"])
    assert contains_gold("It takes 15 minutes.", ["an hour", "15 minutes"])
    assert not contains_gold("It takes 15 minutes.", ["5 minutes"])


def test_without_a_gold_answer_nothing_is_measured():
    assert contains_gold("Yes.", []) is None
    assert contains_gold("Yes.", ["?"]) is None
    assert answer_recall("Yes.", ["?"]) is None


def test_answer_recall_is_the_best_gold_answers_share_of_content_words():
    # content of the first gold: member, cephalochordata, named, blade, like, shape: 2 found; of the second: 1 of 1
    first = "a member of Cephalochordata, named for its blade like shape"
    assert answer_recall("The lancelet is a member of Cephalochordata.", [first]) == pytest.approx(2 / 6)
    assert answer_recall("The lancelet is a member of Cephalochordata.", [first, "the lancelet"]) == 1
    assert answer_recall("No.", ["gloves"]) == 0


def test_a_gold_answer_of_function_words_keeps_them():
    assert answer_recall("Both of them.", ["both"]) == 1


def test_citations_are_judged_by_the_chunk_that_they_cite():
    shown = line(retrieved=[chunk(1, page=3), chunk(2, page=4)])
    assert citation_precision(shown, [gold(page=3)]) == (1, 1)
    assert citation_precision(shown, [gold(page=4)]) == (0, 1)
    assert citation_precision(line(retrieved=[]), [gold()]) == (0, 1)


def test_pages_are_judged_by_the_citation_and_only_where_the_label_has_one():
    shown = line(retrieved=[chunk(1, page=3, section="1.1 A")])
    assert page_accuracy(shown, [gold(page=3, section="9.9")]) == (1, 1)
    assert page_accuracy(shown, [gold("other.md", page=3)]) == (0, 1)
    assert page_accuracy(shown, [gold()]) == (0, 0)
