import pytest
from passages import hit

from rag.errors import InvalidQuery
from rag.gate import MaxSimilarity, MeanSimilarity, best_sentence, decide, nearest_misses
from rag.models import Query, Retrieval
from rag.validate import validate

QUERY = Query(question="Which gloves are worn?")


def found(*similarities, rest=(), **counts):
    hits = tuple(hit(f"Passage {rank}.", rank=rank, similarity=s) for rank, s in enumerate(similarities, 1))
    more = tuple(hit(f"Passage {rank}.", rank=rank, similarity=s) for rank, s in enumerate(rest, len(similarities) + 1))
    return Retrieval(hits=hits, rest=more, **{"indexed": 20, "searched": 20, **counts})


def test_mean_similarity_is_the_mean_over_the_hits_and_not_the_rest():
    estimate = MeanSimilarity().estimate(QUERY, found(0.9, 0.6, 0.3, rest=(0.1, 0.1)))

    assert estimate.confidence == pytest.approx(0.6)
    assert estimate.inputs == {"mean_similarity": pytest.approx(0.6), "chunks": 3.0}


def test_max_similarity_is_the_most_similar_hit_whatever_its_rank():
    assert MaxSimilarity().estimate(QUERY, found(0.4, 0.8, 0.3)).confidence == 0.8


def test_gate_refuses_when_confidence_is_below_threshold():
    decision = decide(QUERY, found(0.6, 0.3), estimator=MeanSimilarity())

    assert not decision.passed
    assert (decision.confidence, decision.threshold) == (pytest.approx(0.45), 0.5)
    assert decision.margin == pytest.approx(-0.05)
    assert decision.reason == "The confidence 0.45 is below the threshold 0.50."


def test_gate_passes_at_the_threshold():
    decision = decide(QUERY, found(0.75, 0.25), estimator=MeanSimilarity())

    assert decision.passed
    assert decision.margin == 0.0
    assert decision.reason == "The confidence 0.50 is at or above the threshold 0.50."
    assert decision.nearest_misses == ()


def test_the_reason_shows_as_many_digits_as_tell_the_two_numbers_apart():
    decision = decide(QUERY, found(0.4999), estimator=MeanSimilarity())

    assert decision.reason == "The confidence 0.4999 is below the threshold 0.5000."


def test_the_persons_threshold_comes_before_the_operators_and_that_before_the_estimators():
    hits = found(0.6)
    mine = validate("Which gloves are worn?", confidence_threshold=0.0)

    assert decide(mine, hits, estimator=MeanSimilarity(), threshold=0.9).threshold == 0.0
    assert decide(QUERY, hits, estimator=MeanSimilarity(), threshold=0.9).threshold == 0.9
    assert decide(QUERY, hits, estimator=MeanSimilarity()).threshold == 0.5


def test_nothing_passes_without_hits_even_at_threshold_0():
    decision = decide(validate("Which gloves?", confidence_threshold=0), found(), estimator=MeanSimilarity())

    assert not decision.passed
    assert decision.reason == "Nothing found."


def test_a_refusal_says_what_the_filters_and_the_similarity_threshold_removed():
    decision = decide(QUERY, found(searched=4, below_threshold=4), estimator=MeanSimilarity())

    assert (decision.removed_by_filters, decision.removed_by_threshold) == (16, 4)
    assert decision.reason == "All 4 candidates are less similar than the similarity threshold."


def test_filters_that_leave_nothing_are_named_as_the_reason():
    decision = decide(QUERY, found(searched=0), estimator=MeanSimilarity())

    assert decision.reason == "The filters leave none of the 20 chunks to search in."


def test_nearest_misses_are_the_first_three_with_the_best_sentence_verbatim():
    text = "It rains. Gloves are worn with acids. " + "x" * 300 + "."
    first = hit(text, rank=1, similarity=0.4, page=3, cosines=(0.1, 0.6, 0.2))
    misses = nearest_misses(Retrieval(hits=(first,), rest=found(0.3, 0.2, 0.1).hits), "")

    assert [miss.similarity_score for miss in misses] == [0.4, 0.3, 0.2]
    assert (misses[0].page, misses[0].excerpt) == (3, "Gloves are worn with acids.")


def test_an_excerpt_of_a_near_miss_is_at_most_200_characters():
    (miss,) = nearest_misses(Retrieval(hits=(hit("y" * 900, similarity=0.4),)), "")

    assert miss.excerpt == "y" * 200


def test_a_hit_without_sentence_scores_is_its_own_best_sentence():
    assert best_sentence(hit("One. Two."), "Two?") == "One. Two."


def test_the_words_of_the_question_count_beside_the_cosine_for_the_best_sentence():
    text = "Propofol is given slowly. Ketamine is given at 5 mg. Cats are weighed first."

    assert best_sentence(hit(text, cosines=(0.52, 0.5, 0.3)), "What is the dose of ketamine?") == (
        "Ketamine is given at 5 mg."
    )
    assert best_sentence(hit(text, cosines=(0.52, 0.5, 0.3)), "What sends them to sleep?") == (
        "Propofol is given slowly."
    )


def test_a_threshold_outside_0_to_1_never_reaches_the_gate():
    with pytest.raises(InvalidQuery, match="confidence_threshold"):
        validate("Which gloves?", confidence_threshold=1.5)


def test_an_excerpt_of_a_near_miss_ends_with_a_whole_word():
    (miss,) = nearest_misses(Retrieval(hits=(hit("Wear gloves " * 40, similarity=0.4),)), "")

    assert miss.excerpt.endswith(("Wear", "gloves"))
    assert len(miss.excerpt) <= 200


def test_a_near_miss_without_a_section_names_its_chapter():
    under = hit("Gloves.", similarity=0.4).model_copy(update={"chapter": 6, "chapter_title": "What the crew does"})
    (miss,) = nearest_misses(Retrieval(hits=(under,)), "")

    assert miss.part == "chapter 6 What the crew does"
