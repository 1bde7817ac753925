"""What has not the kind of thing asked for is not quoted, nor what has it of another thing."""

from passages import hit

from rag.generate import extract
from rag.models import Grounding, Query, Retrieval
from rag.refuse import explain

NICHES = "A family niche for urns is 0.40 m high and 0.30 m wide. A single niche takes two urns."


def answer(question: str, *texts: str) -> str:
    hits = [hit(text, rank=rank) for rank, text in enumerate(texts, 1)]
    return extract(Query(question=question), hits, document_frequency=lambda _: {}, indexed=9).text


def test_a_size_is_not_quoted_for_a_count_nor_the_count_of_another_thing():
    assert answer("How many urns fit in a family niche?", NICHES) == ""


def test_a_count_of_the_thing_asked_for_is_quoted():
    told = answer("How many urns fit in a single niche?", NICHES)

    assert told == "A single niche takes two urns. [1]"


def test_what_another_thing_weighs_is_not_quoted():
    assert (
        answer("How many tonnes does each chain weigh?", "Each chain is 68 m long. No axle may weigh over 6 tonnes.")
        == ""
    )


def test_what_goes_on_about_another_of_the_kind_is_not_quoted():
    rules = "Level 3 adds the camera. Level 1 allows use of the shed. It takes one evening with a helper."

    assert answer("How many evenings does level 3 take?", rules) == ""
    assert "It takes one evening" in answer("How many evenings does level 1 take?", rules)


def test_what_is_less_near_is_quoted_where_it_has_the_price_and_all_the_words():
    told = answer(
        "How much is a family niche?",
        "A family niche is let for 20 years. The council reads the notices.",
        "Fees: family niche 740 pounds, single niche 500 pounds.",
    )

    assert told == "Fees: family niche 740 pounds, single niche 500 pounds. [2]"


def test_a_bare_row_of_heads_is_not_quoted():
    table = "| Subject | Year 9 and 10 | Aids |\n| Dance | 150 minutes | none |\n| Choir | 90 minutes | score |"

    assert "Subject | Year" not in answer("Which aids are allowed in year 10?", table)


def test_the_refusal_says_what_the_nearest_sentence_does_not_tell():
    query = Query(question="How much does a berth cost on a Saturday?")

    def reason(text: str) -> str:
        found = Retrieval(hits=(hit(text, cosines=(0.6,)),), indexed=1, searched=1)
        nothing = Grounding(is_valid=False, answers=False)
        return explain(query, found, None, nothing).reason  # type: ignore[arg-type]

    assert reason("Berths are let on Saturdays.").endswith(
        "the sentence nearest to the question does not tell a price."
    )
    assert reason("Berths on a Saturday cost 4 euros.").endswith("none of their sentences answers the question.")


def test_the_next_sentence_that_leans_on_the_nearest_is_quoted_before_what_has_as_many_words_elsewhere():
    told = answer(
        "How long is a family niche leased?",
        "A family niche has two places. It is leased for 40 years.",
        "A plate on a family niche is 0.30 m long.",
    )

    assert told == "A family niche has two places. [1] It is leased for 40 years. [1]"


def test_beside_a_length_of_time_nothing_is_quoted_that_has_none():
    text = "Works on paper are shown in soft light. Works on paper are shown for 12 weeks."
    told = answer("How long are works on paper shown?", text)

    assert told == "Works on paper are shown for 12 weeks. [1]"


def test_what_counts_the_thing_asked_for_is_quoted_before_what_is_nearer_and_counts_nothing():
    told = answer("How many keys do I get?", "Keys you get later cost 45 euros each. You get two keys to the flat.")

    assert told == "You get two keys to the flat. [1]"


def test_what_would_be_quoted_beside_the_best_and_tells_the_price_is_quoted_in_its_place():
    text = "A visit to the home is made before a cat is handed over. The fee is 90 crowns for a cat, 180 for a dog."

    assert answer("What does it cost to take home a cat?", text) == "The fee is 90 crowns for a cat, 180 for a dog. [1]"


def test_beside_what_counts_the_thing_asked_for_nothing_is_quoted_that_counts_another():
    text = "You get two keys to the flat. You get four permits for a guest's car a year."

    assert answer("How many keys do I get?", text) == "You get two keys to the flat. [1]"


def test_the_sentence_before_is_quoted_with_a_count_that_says_they_of_what_it_names():
    text = "Two pressmen printed sheets on one press. They printed 200 sheets an hour."

    assert answer("How many sheets an hour were printed?", text).startswith("Two pressmen")


def test_how_long_another_deed_lasts_is_not_quoted_where_the_passages_speak_of_the_one_asked_about():
    text = "Rye loaves are shaped by hand and baked dark. Rye loaves rest in baskets for two hours."

    assert answer("How long are rye loaves baked?", text) == ""


def test_the_next_sentence_that_leans_on_the_nearest_and_says_the_deed_is_quoted_with_it():
    text = "Rye loaves rest for two hours. They are then baked for an hour."
    told = answer("How long are rye loaves baked?", text)

    assert told == "Rye loaves rest for two hours. [1] They are then baked for an hour. [1]"


def test_the_next_sentence_that_says_by_whom_the_deed_is_done_is_quoted_with_the_nearest():
    course = "The weaving course is six evenings of three hours."

    told = answer("Who teaches the weaving course?", f"{course} It is taught by Ada Lund.")
    other = answer("Who teaches the weaving course?", f"{course} It is paid by Ada Lund.")

    assert told == f"{course} [1] It is taught by Ada Lund. [1]"
    assert other == ""


def test_the_sentence_before_comes_with_one_that_tells_the_time_and_means_a_thing_of_it():
    told = "A bed full of weeds gets a red flag. The holder has 30 days to clear it. Sheds stand for 10 years."

    assert answer("How long do I have after a red flag?", told) == (
        "A bed full of weeds gets a red flag. [1] The holder has 30 days to clear it. [1]"
    )


def test_a_date_of_the_last_one_comes_with_what_it_is_the_last_of():
    told = "Fire drills are held twice a year. In the last one, on 4 June 2025, all were out in 3 minutes."

    assert answer("When was the last fire drill?", told) == (
        "Fire drills are held twice a year. [1] In the last one, on 4 June 2025, all were out in 3 minutes. [1]"
    )


def test_what_follows_and_means_nothing_of_the_sentence_before_does_not():
    assert answer("How long do I have after a red flag?", "Weeds get a red flag. Sheds stand for 10 years.") == ""


def test_from_which_age_is_answered_with_an_age_in_the_next_sentence_and_by_nothing_else():
    told = "Diving from the tower needs a badge. You must be at least 12 years old. The badge takes 20 minutes."

    assert answer("How old must you be for diving from the tower?", told) == "You must be at least 12 years old. [1]"
    assert answer("How old must you be for diving from the tower?", "Diving from the tower takes 20 minutes.") == ""


def test_how_long_something_is_kept_is_not_told_by_when_it_is_handed_in():
    assert answer("How long must the club keep the plans?", "The plans go to the club three days before a race.") == ""
    assert answer("How long must the club keep the list?", "A list goes to the club by 3 May each year.") == ""
    held = "Hold the lever for 3 seconds before you turn it."
    assert answer("How long must I hold the lever?", held) == f"{held} [1]"
    told = "The club keeps the plans for three years."
    assert answer("How long must the club keep the plans?", told) == f"{told} [1]"


def test_what_the_other_party_does_is_not_quoted_and_the_refusal_says_so():
    text = "The Lessor shall return the keys within a week. The boat is red."
    question = "When must the Lessee return the keys?"
    found = Retrieval(hits=(hit(text, cosines=(0.6, 0.1)),), indexed=1, searched=1)
    refusal = explain(Query(question=question), found, None, Grounding(is_valid=False, answers=False))  # type: ignore[arg-type]

    assert answer(question, text) == ""
    assert "tells what the Lessor does, which was not asked" in refusal.reason
    assert (
        answer("When must the Lessor return the keys?", text) == "The Lessor shall return the keys within a week. [1]"
    )


def test_what_is_left_beside_the_counterpart_must_speak_of_what_was_asked():
    text = "The Lessee shall pay within 9 days. The Lessor sends a bill on each Monday."

    assert answer("When must the Lessor pay?", text) == ""
    both = f"{text} The Lessor shall pay for repairs within 20 days."
    assert answer("When must the Lessor pay?", both) == "The Lessor shall pay for repairs within 20 days. [1]"


def test_when_something_is_changed_does_not_tell_how_long_it_takes_to_change_it():
    question = "How long does it take to change the filter?"
    told = "Changing the filter takes 9 minutes."

    assert answer(question, "Change the filter after 35 hours of use.") == ""
    assert answer(question, f"Change the filter after 35 hours of use. {told}") == f"{told} [1]"


def test_who_counts_as_something_is_told_by_whom_the_word_means():
    told = "Guest means anybody who sleeps in the hut for 20 nights or fewer."

    assert answer("Who is a guest in the hut?", f"A guest in the hut pays 9 euros. {told}").endswith(f"{told} [1]")
