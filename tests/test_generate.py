import re
from collections.abc import Iterator, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from passages import hit

from rag.drafts import EndKept, complete_sentences, draft_of
from rag.generate import extract
from rag.language.asked import understand
from rag.language.text import term_id
from rag.models import Draft, GeneratorInfo, Query, RetrievedChunk
from rag.protocols import StreamEnd

MODEL = GeneratorInfo(name="ollama", model="m")


def no_frequencies(terms: Sequence[int]) -> Mapping[int, int]:
    return {}


def answer(question: str, *hits: RetrievedChunk, max_sentences: int = 4) -> str:
    query = Query(question=question)
    draft = extract(query, hits, document_frequency=no_frequencies, indexed=100, max_sentences=max_sentences)
    assert draft.generator == GeneratorInfo(name="extractive")
    return draft.text


# --- which sentences ----------------------------------------------------------------------------------------------


def test_a_row_about_another_class_is_not_quoted_however_much_it_says() -> None:
    heads = "| Class | Equipment | Kept |\n| --- | --- | --- |\n"
    above = hit(f"{heads}| Class A: solvents | Protective gloves | Yellow cabinet |\n", rank=1)
    below = hit("| Class C: toxic substances | Double gloves | Poison cabinet |\n", rank=2)
    told = answer("Which protective equipment is required for class C chemicals?", above, below)
    assert "Double gloves" in told
    assert "Class A" not in told


def test_precise_question_gets_the_one_sentence_that_answers_it() -> None:
    passage = hit(
        "The laboratory opens at seven. Gloves for acetone are made of butyl rubber. Waste is collected on Fridays. "
        "Visitors sign in at the gate."
    )
    assert answer("What are gloves for acetone made of?", passage) == "Gloves for acetone are made of butyl rubber. [1]"


def test_of_near_identical_reports_the_one_of_the_company_asked_for_is_quoted() -> None:
    halden = hit("Inventories were 40 million crowns at the end of March.", document="Halden_report.pdf")
    brevik = hit("At quarter's end inventories stood at 71 million crowns.", rank=2, document="Brevik_report.pdf")
    asked = "What were inventories{} at the end of March?"

    assert answer(asked.format(" of Brevik"), halden, brevik) == f"{brevik.content} [2]"
    assert answer(asked.format(" of Halden and of Brevik"), halden, brevik).startswith(halden.content)
    assert answer(asked.format(""), halden, brevik).startswith(halden.content)


def test_sentence_similarity_decides_where_no_word_is_shared() -> None:
    passage = hit("Put the lid on. Never pour it down the sink. Wash your hands.", cosines=(0.1, 0.7, 0.2))
    assert answer("How is solvent waste discarded?", passage) == "Never pour it down the sink. [1]"


def test_rare_words_weigh_more_than_common_ones() -> None:
    passage = hit("Safety officers carry safety badges. Peroxide cabinets stay locked.")
    common = {term_id("safeti"): 99, term_id("cabinet"): 2}
    draft = extract(
        Query(question="Which safety cabinets?"),
        [passage],
        document_frequency=lambda terms: {term: common.get(term, 0) for term in terms},
        indexed=100,
    )
    assert draft.text == "Peroxide cabinets stay locked. [1]"


def test_options_of_a_multiple_choice_question_are_not_quoted_as_facts() -> None:
    exercise = hit(
        "Which is true of gloves for acetone?\n1. Gloves for acetone are made of nitrile.\n"
        "2. Gloves for acetone last a year.\n\nButyl rubber resists acetone, so that gloves are made of it."
    )
    assert answer("What are gloves for acetone made of?", exercise, max_sentences=1) == (
        "Butyl rubber resists acetone, so that gloves are made of it. [1]"
    )


def test_steps_that_no_question_announces_are_quoted() -> None:
    steps = hit("Gloves are taken off so.\n1. Pinch the outside of one glove.\n2. Peel the glove off inside out.")
    assert "Peel the glove off inside out" in answer("How is a glove peeled off?", steps)


def test_words_of_the_heading_count_for_the_sentences_below_it() -> None:
    plain = hit("They last one shift and are then thrown away.", rank=1)
    below = hit("Replace them after every single shift.", rank=2, section="2.2 Gloves")
    assert answer("When are gloves replaced?", plain, below).endswith("Replace them after every single shift. [2]")


@pytest.mark.parametrize(
    ("question", "wanted", "other"),
    [
        ("How many extinguishers are in the hall?", "The hall has 6 extinguishers.", "The hall has extinguishers."),
        ("When was the hall inspected?", "The hall was inspected in 1998.", "The hall was inspected with care."),
        ("Who inspected the hall?", "The hall was inspected by Ada Lund.", "The hall was inspected with care."),
        ("Why is the hall locked?", "The hall is locked because gas leaks.", "The hall is locked at the gate."),
    ],
)
def test_sentence_with_the_kind_of_thing_asked_for_is_preferred(question: str, wanted: str, other: str) -> None:
    assert answer(question, hit(f"{other} {wanted}"), max_sentences=1) == f"{wanted} [1]"


def test_number_that_the_question_gives_is_not_the_number_asked_for() -> None:
    fit = understand("How many of the 6 extinguishers work?").fit
    assert fit("All of the 6 extinguishers stand there.") == 0.0
    assert fit("Only 4 of the 6 extinguishers work.") > 0.0


@pytest.mark.parametrize(
    "definition",
    [
        "A fume hood is a cabinet that draws vapours away.",
        "Fume hoods are cabinets that draw vapours away.",
        "A cabinet that draws vapours away is called a fume hood.",
        "Fume hood: a cabinet that draws vapours away.",
        "The term “fume hood” refers to a cabinet with a fan.",
    ],
)
@pytest.mark.parametrize("question", ["What is a fume hood?", "What is meant by fume hood?", 'Define "fume hood".'])
def test_definition_is_preferred_where_a_term_is_asked_for(question: str, definition: str) -> None:
    fit = understand(question).fit
    assert fit(definition) > fit("Close the fume hood when the fume hood alarm sounds.") == 0.0


def test_question_about_an_attribute_is_not_about_a_definition() -> None:
    assert understand("What is the boiling point of acetone?").fit("The boiling point of acetone is high.") == 0.0


def test_questions_headings_and_fragments_are_quoted_last() -> None:
    text = "## Acetone storage\n\nHow is acetone stored?\n\n- acetone storage\n\nStore acetone in the steel cabinet."
    assert answer("How is acetone stored?", hit(text)) == "Store acetone in the steel cabinet. [1]"


@pytest.mark.parametrize(
    ("question", "echo"),
    [
        ("List the stages of firn.", "- List the stages of firn\n\n"),
        ("Why is firn thought to be dense?", "Firn is thought to be dense."),
    ],
)
def test_a_sentence_that_only_echoes_the_question_is_no_answer_to_it(question: str, echo: str) -> None:
    passage = hit(f"{echo} Grains of firn settle in stages and sinter.")
    assert answer(question, passage) == "Grains of firn settle in stages and sinter. [1]"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("When is overtime paid?", "Overtime is not paid."),
        ("Who must wear a badge?", "All must wear a badge."),
        ("Isn't overtime paid?", "Overtime is paid."),
        ("On Sundays, is overtime paid?", "Overtime is paid."),
        ("Tell me whether overtime is paid.", "Overtime is paid."),
    ],
)
def test_a_negation_a_quantifier_or_a_choice_is_an_answer_and_no_echo(question: str, said: str) -> None:
    passage = hit(f"{said}\n\nOvertime is entered in the sheet by Friday, and the badge at the gate.")
    assert said.rstrip(".") in answer(question, passage)


def test_a_name_that_the_question_lets_choose_from_is_no_echo() -> None:
    assert answer("Who signs the sheet, Ada Hall or Bo Ek?", hit("Ada Hall")) == "Ada Hall. [1]"


def test_a_sentence_that_says_what_was_asked_answers_yes_or_no() -> None:
    passage = hit("Snow is white. Firn is dense. Grains of dense firn settle in stages.")
    assert answer("Is firn dense?", passage, max_sentences=1) == "Firn is dense. [1]"


def test_near_duplicates_are_quoted_once() -> None:
    one = hit("Acetone is stored in the steel cabinet.", rank=1)
    same = hit("Acetone is stored in the steel cabinet today.", rank=2)
    assert answer("Where is acetone stored?", one, same) == "Acetone is stored in the steel cabinet. [1]"


def test_sentence_that_leans_on_the_one_before_brings_it() -> None:
    text = "Butyl gloves hang by the door. They resist acetone for eight hours. The floor is swept daily."
    found = answer("How long do they resist acetone?", hit(text), max_sentences=2)
    assert found == "Butyl gloves hang by the door. [1] They resist acetone for eight hours. [1]"


@pytest.mark.parametrize(
    ("second", "third"),
    [
        ("They are changed each week.", "Others resist acetone for one hour."),
        ("All other gloves are changed each week.", "These others resist acetone for one hour."),
        ("They are stored dry.", "Acetone resistance of an hour is reached in this way."),
    ],
)
def test_a_sentence_that_leans_on_one_that_leans_brings_both(second: str, third: str) -> None:
    text = f"Butyl gloves hang by the door. {second} {third} The floor is swept daily."
    found = answer("What resists acetone for an hour?", hit(text), max_sentences=3)
    assert found.startswith(f"Butyl gloves hang by the door. [1] {second} [1] {third} [1]")


def test_where_only_one_sentence_may_be_quoted_it_is_the_one_that_answers() -> None:
    text = "Butyl gloves hang by the door. They resist acetone for eight hours."
    found = answer("How long do they resist acetone?", hit(text), max_sentences=1)
    assert found == "They resist acetone for eight hours. [1]"


def test_announced_list_comes_with_its_items() -> None:
    text = "In the acetone room wear the following:\n- butyl gloves for both hands\n- goggles with side shields"
    found = answer("What must one wear in the acetone room?", hit(text))
    assert found == (
        "In the acetone room wear the following: [1] - butyl gloves for both hands [1] - goggles with side shields [1]"
    )


def test_a_table_s_row_is_quoted_with_the_heads_of_its_columns_and_alone() -> None:
    text = (
        "Limits hold for a working day.\n\n| Substance | Limit | Cabinet |\n| acetone | 15 ppm | yellow |\n"
        "| toluene | 50 ppm | red |"
    )
    found = answer("What is the limit for toluene?", hit(text), max_sentences=2)
    assert "Substance: toluene; Limit: 50 ppm; Cabinet: red. [1]" in found
    assert "acetone" not in found


def test_a_whole_sentence_is_quoted_without_its_bullet() -> None:
    assert answer("What is an esker?", hit("- An esker is a ridge of sand.")) == "An esker is a ridge of sand. [1]"


def test_the_section_that_most_hits_share_is_quoted_first() -> None:
    """All say the same of the question; two of three hits stand in section 2, which earns them 2/3 of the bonus."""
    other = hit("Acetone is kept in the red cabinet.", rank=1, section="1 Paint")
    same = [
        hit(f"Acetone is kept in the {colour} cabinet.", rank=rank, section="2 Solvents")
        for rank, colour in ((2, "blue"), (3, "green"))
    ]
    assert answer("Where is acetone kept?", other, *same, max_sentences=1) == "Acetone is kept in the blue cabinet. [2]"


def test_sentences_stand_in_the_order_of_the_document() -> None:
    text = "Acetone boils at 56 degrees. Nothing else matters here. Acetone freezes at minus 95 degrees."
    found = answer("At which degrees does acetone boil, at which degrees does acetone freeze?", hit(text))
    assert found == "Acetone boils at 56 degrees. [1] Acetone freezes at minus 95 degrees. [1]"


def test_reference_marks_of_the_document_do_not_pass_for_citations() -> None:
    assert answer("What dissolves paint?", hit("Acetone dissolves\npaint[2] quickly [12].")) == (
        "Acetone dissolves paint quickly. [1]"
    )


def test_no_hits_make_an_empty_draft() -> None:
    assert answer("What dissolves paint?") == ""


SENTENCE = st.lists(
    st.sampled_from(["acetone", "Gloves", "it", "56", "cabinet", "is", "a"]), min_size=1, max_size=9
).map(lambda words: " ".join(words) + ".")


@given(st.lists(st.lists(SENTENCE, min_size=1, max_size=6), max_size=5), st.integers(1, 4))
def test_every_quoted_sentence_stands_word_for_word_in_the_passage_it_names(
    texts: list[list[str]], max_sentences: int
) -> None:
    hits = [hit("\n".join(sentences), rank=rank) for rank, sentences in enumerate(texts, start=1)]
    found = answer("What is a cabinet for acetone?", *hits, max_sentences=max_sentences)
    quoted = re.findall(r"(.*?) \[(\d)\](?: |$)", found)
    assert len(quoted) <= max_sentences
    assert bool(quoted) == bool(hits)
    for sentence, number in quoted:
        assert sentence in " ".join(hits[int(number) - 1].content.split())
    assert [int(number) for _, number in quoted] == sorted(int(number) for _, number in quoted)


# --- streams ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "Wear gloves. [1] Wash hands [2]. Leave.[1][3] Then go",
            ["Wear gloves. [1]", "Wash hands [2].", "Leave.[1][3]", "Then go"],
        ),
        ("It is 4.5 ml. [1, 2]\n\nDr. Ek agreed. [3]", ["It is 4.5 ml. [1, 2]", "Dr. Ek agreed. [3]"]),
        ("- gloves [1]\n- goggles [2]", ["- gloves [1]", "- goggles [2]"]),
        ("[1] It rained.", ["[1] It rained."]),
        ("Wear gloves. [1 and 2] Wash hands.", ["Wear gloves. [1 and 2]", "Wash hands."]),
        ("[1]", ["[1]"]),
        (" \n", []),
        ("", []),
    ],
)
def test_marker_after_the_full_stop_belongs_to_the_sentence_before_it(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences


def split(text: str) -> list[str]:
    """The sentences of a whole draft: at its end the rest is one, too."""
    done, rest = complete_sentences(text)
    return [*done, rest.strip()] if rest.strip() else done


def test_sentence_is_complete_when_the_next_has_begun() -> None:
    assert complete_sentences("Wear gloves.") == ([], "Wear gloves.")
    assert complete_sentences("Wear gloves. [") == ([], "Wear gloves. [")
    assert complete_sentences("Wear gloves. [1]") == ([], "Wear gloves. [1]")
    assert complete_sentences("Wear gloves. [1] Wa") == (["Wear gloves. [1]"], "Wa")


@given(
    st.lists(
        st.sampled_from(["Wear gloves. [1]", "Dr. Ek wrote 4.5 ml [2].", "It is so! [1][2]", "Is it?", "Leave now."]),
        min_size=1,
        max_size=6,
    ),
    st.integers(1, 9),
)
def test_streamed_pieces_make_the_same_sentences_as_the_whole(sentences: list[str], size: int) -> None:
    text = " ".join(sentences)
    done: list[str] = []
    rest = ""
    for start in range(0, len(text), size):
        complete, rest = complete_sentences(rest + text[start : start + size])
        done += complete
    assert [*done, *split(rest)] == split(text) == sentences


def test_a_draft_has_the_counts_of_its_stream() -> None:
    def stream() -> Iterator[str]:
        yield "Wear gloves"
        yield ". [1]\n"
        return StreamEnd("length", prompt_tokens=40, completion_tokens=2)

    kept = EndKept(stream())
    assert draft_of("".join(kept), MODEL, kept.end) == Draft(
        text="Wear gloves. [1]", generator=MODEL, finish_reason="length", prompt_tokens=40, completion_tokens=2
    )


def test_a_stream_that_does_not_say_how_it_ended_makes_a_draft_without_counts() -> None:
    kept = EndKept(iter(["a", "b"]))
    assert draft_of("".join(kept), MODEL, kept.end) == Draft(text="ab", generator=MODEL)
