"""Quoting by the marks of the reader: which sentences, with what belongs to them, verbatim and cited."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from passages import hit

from rag.models import BlockSpan, GeneratorInfo, RetrievedChunk
from rag.quote import MAX_SENTENCES, METHOD, quote
from rag.ranking.lists import MAX_ITEMS

GLOVES = "Wear nitrile gloves. They last one shift. Aprons hang by the door. Waste is collected on Fridays."


def quoted(*hits: RetrievedChunk) -> list[tuple[str, int]]:
    """Each sentence quoted, with the number of its passage."""
    return [(one.text, one.passages[0]) for one in quote(hits).grounding.sentences]


def test_the_sentence_of_the_highest_mark_is_quoted_verbatim_and_cited() -> None:
    found = quote([hit(GLOVES, readings=(0.9,), marks=(0.2, 0.8, 0.1, 0.1))])
    assert found.draft.text == "They last one shift. [1]"
    assert found.draft.generator == GeneratorInfo(name="extractive")
    (sentence,) = found.grounding.sentences
    assert (sentence.supported, sentence.passages, sentence.evidence) == (True, (1,), ("They last one shift.",))
    assert sentence.support == pytest.approx(0.72)  # .9 x .8
    assert (found.grounding.is_valid, found.grounding.answers, found.grounding.method) == (True, True, METHOD)


def test_a_mark_counts_as_much_as_its_window_answers_whatever_the_rank_of_its_passage() -> None:
    """.3 x .5 = .15 in the first window, .9 x .6 = .54 in the second."""
    passage = hit(GLOVES, cut=(2, 2), cosines=(0.5, 0.4), readings=(0.3, 0.9), marks=(0.5, 0.1, 0.1, 0.6))
    first = hit("Wear gloves.", readings=(0.5,), marks=(0.5,))
    second = hit("Wear goggles.", rank=2, readings=(0.9,), marks=(0.9,))
    assert quoted(passage) == [("Waste is collected on Fridays.", 1)]
    assert quoted(first, second) == [("Wear goggles.", 2)]


LIST = "Each visitor brings:\n- safety shoes\n- goggles\n- a badge\n- a lab coat\n\nVisitors sign in at the gate."
WHOLE_LIST = "Each visitor brings: / - safety shoes. / - goggles. / - a badge. / - a lab coat."
FEW_ITEMS = "Bring:\n" + "\n".join(f"- item {letter}" for letter in "abcdefgh")
STEPS = "Stop the pump.\n1. Close the inlet.\n2. Drain the hose.\n3. Lift the lid.\n4. Clean the sieve."
WHOLE_STEPS = "1. Close the inlet. / 2. Drain the hose. / 3. Lift the lid. / 4. Clean the sieve."
LIMITS = "| Substance | Limit |\n| acetone | 15 ppm |\n| toluene | 50 ppm |"
TABLE = f"Limits hold for a day.\n{LIMITS}\n| xylene | 60 ppm |\n| phenol | 2 ppm |\n| ether | 400 ppm |"
ACETONE, TOLUENE = "Substance: acetone; Limit: 15 ppm.", "Substance: toluene; Limit: 50 ppm."
ORDERS = "| Order: 17 | City: Kiel |\n| Order: 18 | City: Oslo |\n| Order: 19 | City: Graz |"
FARES = "| Year | Adult |\n| 2023 | 34 |\n| 2024 | 37 |\n| 2025 | 39 |"
LATEST_FIRST = "Year: 2025; Adult: 39. / Year: 2024; Adult: 37. / Year: 2023; Adult: 34."
SERVICES = "| Service | Year | Price |\n| Poster | 2023 | 85 |\n| Poster | 2024 | 92 |\n| Binding | 2025 | 24 |"
POSTERS = "Service: Poster; Year: 2024; Price: 92. / Service: Poster; Year: 2023; Price: 85."
YEARS = "| Kind | 2023 | 2024 | 2025 |\n| Gravel | 145 | 152 | 166 |\n| Slate | 640 | 655 | 700 |"
RUN = "They last one shift. / Aprons hang by the door. / Waste is collected on Fridays."
SHOWN = "items of this list are shown; the whole list is in manual.pdf."
QUOTED = {
    "a neighbour of .31 of it": (GLOVES, (0.8, 0.25, 0.1, 0.1), "Wear nitrile gloves. / They last one shift.", ""),
    "no neighbour of .29 of it": (GLOVES, (0.8, 0.23, 0.1, 0.1), "Wear nitrile gloves.", ""),
    "neighbours on both sides": (GLOVES, (0.1, 0.5, 0.8, 0.5), RUN, ""),
    "one sentence behind a gap, of .31 of it": (
        GLOVES, (0.8, 0.1, 0.25, 0.1), "Wear nitrile gloves. / Aprons hang by the door.", "",
    ),
    "in its order, and one alone": (
        f"{GLOVES} Knock.", (0.5, 0.1, 0.8, 0.1, 0.4), "Wear nitrile gloves. / Aprons hang by the door.", "",
    ),
    "no sentence behind a gap, of .29 of it": (GLOVES, (0.8, 0.1, 0.23, 0.1), "Wear nitrile gloves.", ""),
    "a list, two items of four from .4 of the best": (LIST, (0.1, 0.8, 0.33, 0.1, 0.1, 0.1), WHOLE_LIST, ""),
    "few items of a list, and their number": (
        FEW_ITEMS, (0.1, 0.8, 0.1, 0.1, 0.4, 0.1, 0.1, 0.7, 0.1), "Bring: / - item a. / - item d. / - item g.",
        f"3 of 8 {SHOWN}",
    ),
    "one item alone, without a note": (LIST, (0.1, 0.1, 0.8, 0.1, 0.1, 0.1), "Each visitor brings: / - goggles.", ""),
    "a line that announces a list, with all of it": (LIST, (0.8, 0.1, 0.1, 0.1, 0.1, 0.1), WHOLE_LIST, ""),
    "a step alone, counted": (
        STEPS, (0.1, 0.1, 0.1, 0.8, 0.1), "3. Lift the lid.", f"1 of 4 {SHOWN.replace('are', 'is')}"
    ),
    "a line that announces a table": (
        f"The limits are:\n{LIMITS}", (0.9, 0.1, 0.1, 0.1), f"The limits are: / {ACETONE} / {TOLUENE}", ""
    ),
    "a row": (TABLE, (0.1, 0.1, 0.1, 0.9, 0.1, 0.1, 0.1), TOLUENE, ""),
    "no heads where nothing was read": (LIMITS, (), f"{ACETONE} / {TOLUENE}", ""),
    "the four best rows in their order": (
        TABLE, (0.8, 0.1, 0.5, 0.6, 0.45, 0.9, 0.7),
        f"{ACETONE} / {TOLUENE} / Substance: phenol; Limit: 2 ppm. / Substance: ether; Limit: 400 ppm.", "",
    ),
    "the best row of a sheet first": (ORDERS, (0.5, 0.9, 0.1), "Order: 18; City: Oslo. / Order: 17; City: Kiel.", ""),
    "rows that differ by year": (FARES, (0.1, 0.8, 0.5, 0.2), LATEST_FIRST, ""),
    "the year asked for alone": (FARES, (0.1, 0.8, 0.05, 0.05), "Year: 2023; Adult: 34.", ""),
    "no other thing for another year": (SERVICES, (0.1, 0.8, 0.5, 0.7), POSTERS, ""),
    "columns that are years": (YEARS, (0.1, 0.9, 0.1), "Kind: Gravel; 2025: 166; 2024: 152; 2023: 145.", ""),
}  # fmt: skip


@pytest.mark.parametrize(("text", "marks", "said", "note"), QUOTED.values(), ids=QUOTED)
def test_with_the_best_sentence_is_quoted(text: str, marks: tuple[float, ...], said: str, note: str) -> None:
    found = quote([hit(text, readings=(1.0,) if marks else (), marks=marks)])
    assert " / ".join(one.text for one in found.grounding.sentences) == said
    assert found.notes == ((note,) if note else ())


@pytest.mark.parametrize(
    ("text", "marks", "said"),
    [
        (STEPS, (0.1, 0.1, 0.04, 0.8, 0.0), WHOLE_STEPS),  # (.1 + .04 + .8) / .8 = 1.17
        (STEPS, (0.1, 0.1, 0.0, 0.8, 0.0), "3. Lift the lid."),  # 1.125: one step answers alone
        (f"It is easy. {STEPS}", (0.8, 0.1, 0.1, 0.1, 0.1, 0.1), f"It is easy. / {WHOLE_STEPS}"),  # the next list
        (LIST, (0.1, 0.1, 0.1, 0.1, 0.1, 0.8), f"{WHOLE_LIST} / Visitors sign in at the gate."),  # or the one before
        (f"It is easy. {STEPS}", (0.8, 0.1, 0.07, 0.07, 0.07, 0.07), "It is easy."),  # no step reaches a tenth of .8
        (GLOVES, (0.8, 0.1, 0.1, 0.1), "Wear nitrile gloves."),
    ],
)
def test_where_a_whole_list_is_asked_for_all_its_items_are_quoted(text, marks, said) -> None:
    found = quote([hit(text, readings=(1.0,), marks=marks)], whole=True)
    assert " / ".join(one.text for one in found.grounding.sentences) == said


def test_the_items_of_a_list_answer_together() -> None:
    """No item reaches .6; that one of the four is part of the answer has 1 - .5^4 = .94."""
    prose = hit("Visitors sign in.", readings=(1.0,), marks=(0.6,))
    items = hit(LIST, rank=2, readings=(1.0,), marks=(0.1, 0.5, 0.5, 0.5, 0.5, 0.1))
    assert quoted(prose, items)[0] == ("Each visitor brings:", 2)


def test_of_another_passage_the_whole_list_is_quoted_where_one_is_asked_for() -> None:
    prose = hit("Visitors bring four things.", readings=(1.0,), marks=(0.9,))
    items = hit(LIST, rank=2, readings=(0.9,), marks=(0.1, 0.81, 0.2, 0.1, 0.1, 0.1))
    found = quote([prose, items], whole=True)
    assert " / ".join(one.text for one in found.grounding.sentences) == f"Visitors bring four things. / {WHOLE_LIST}"


@pytest.mark.parametrize(
    ("mark", "document", "also"),
    [
        (0.49, "manual.pdf", [("Goggles are needed.", 2)]),  # .61 of the best
        (0.47, "manual.pdf", []),
        (0.49, "rules.pdf", [("Goggles are needed.", 2)]),
    ],
)
def test_another_passage_is_quoted_from_six_tenths_of_the_best_score_on_whatever_its_document(
    mark, document, also
) -> None:
    first = hit("Wear gloves.", readings=(1.0,), marks=(0.8,))
    second = hit("Goggles are needed. It rains.", rank=2, document=document, readings=(1.0,), marks=(mark, 0.1))
    assert quoted(first, second) == [("Wear gloves.", 1), *also]


def test_what_another_passage_says_in_the_same_words_is_not_repeated() -> None:
    first = hit("Wear gloves. Wash hands.", readings=(1.0,), marks=(0.8, 0.1))
    again = hit("Wash  hands!", rank=2, readings=(1.0,), marks=(0.8,))
    other = hit("Close the hood.", rank=3, readings=(1.0,), marks=(0.7,))
    same = hit("Close the hood.", rank=4, readings=(1.0,), marks=(0.7,))
    assert quoted(first, again, other, same) == [("Wear gloves.", 1), ("Close the hood.", 3)]


def test_what_one_document_says_stands_together() -> None:
    said = (("Wear gloves.", "a.pdf", 0.9), ("Wear aprons.", "b.pdf", 0.8), ("Wear goggles.", "a.pdf", 0.7))
    hits = [
        hit(text, rank=rank, document=document, readings=(1.0,), marks=(mark,))
        for rank, (text, document, mark) in enumerate(said, start=1)
    ]
    hits[1] = hits[1].model_copy(update={"document_hash": "1" * 64})
    assert quoted(*hits) == [("Wear gloves.", 1), ("Wear goggles.", 3), ("Wear aprons.", 2)]


def test_an_answer_has_at_most_four_sentences() -> None:
    run = hit(f"{GLOVES} Knock.", readings=(1.0,), marks=(0.9, 0.9, 0.9, 0.9, 0.9))
    others = [hit(f"Rule {number} holds.", rank=number, readings=(1.0,), marks=(0.8,)) for number in (2, 3, 4, 5)]
    single = hit(GLOVES, readings=(1.0,), marks=(0.9, 0.1, 0.1, 0.1))
    assert [number for _, number in quoted(run, *others)] == [1, 1, 1, 1]
    assert [number for _, number in quoted(single, *others)] == [1, 2, 3, 4]
    assert MAX_SENTENCES == 4


def test_of_a_long_list_the_items_around_the_best_are_quoted() -> None:
    """The 18th of 20 is the best: of those marked alike the 15 that end with it are quoted, items 4 to 18."""
    rows = "\n".join(f"- item {number}" for number in range(1, 21))
    marks = [0.1, *([0.6] * 20)]
    marks[18] = 0.9
    found = quote([hit(f"Bring:\n{rows}", cut=(21,), readings=(1.0,), marks=marks)])
    said = [one.text for one in found.grounding.sentences]
    assert said == ["Bring:", *(f"- item {number}." for number in range(4, 19))]
    assert found.notes == (f"{MAX_ITEMS} of 20 items of this list are shown; the whole list is in manual.pdf.",)


@pytest.mark.parametrize("heading", ["Not allowed (ever)", "Not allowed on the stand:", "Stop! Not allowed here"])
def test_a_list_is_quoted_with_the_heading_that_it_stands_right_below(heading: str) -> None:
    """`- knives` below `Not allowed`, without it, would read as a permission."""
    items = hit(
        f"{heading}\n- knives\n- dogs\n- glass", readings=(1.0,), marks=(*[0.1] * heading.count("! "), 0.1, 0.8)
    )
    first, *rest = items.blocks
    items = items.model_copy(update={"blocks": (first.model_copy(update={"kind": "heading"}), *rest)})
    said = " ".join(text for text, _ in quoted(items))
    assert said == f"{heading.rstrip(':')}: - knives."
    assert " ".join(text for text, _ in quoted(hit("Dogs bark.", readings=(1.0,), marks=(1.0,)), items)) == (
        f"Dogs bark. {said}"
    )


def test_of_a_list_that_begins_in_an_earlier_passage_the_line_that_announces_it_is_said_before_the_first_item() -> None:
    later = hit("- knives\n- dogs", rank=2, readings=(1.0,), marks=(0.8, 0.8))
    later = later.model_copy(update={"list_lead": "Not allowed:"})
    assert quoted(later) == [("Not allowed: knives.", 1), ("- dogs.", 1)]
    begun = hit("Not allowed:\n- glass", readings=(1.0,), marks=(0.1, 0.8))
    both = quoted(begun, later)
    assert both == [("Not allowed:", 1), ("- glass.", 1), ("- knives.", 2), ("- dogs.", 2)]


def test_the_heads_of_a_row_that_its_passage_lacks_are_told_in_a_note() -> None:
    rows = hit("| toluene | 50 ppm |", readings=(1.0,), marks=(0.9,))
    within = BlockSpan(kind="row", start=0, end=20, number=7, count=9, table=0)
    found = quote([rows.model_copy(update={"blocks": (within,), "columns": (("Substance", "Limit"),)})])
    assert [one.text for one in found.grounding.sentences] == ["toluene: 50 ppm."]
    assert found.notes == ("The quoted table row has these columns, in order: Substance | Limit.",)


WORDS = st.lists(
    st.sampled_from(["acetone", "Gloves", "it", "56", "cabinet", "is", "a"]), min_size=1, max_size=9
).filter(
    lambda words: words[0] != "56"  # `56.` begins an item of a list, and of those more are quoted
)
SENTENCES = st.lists(WORDS.map(lambda words: " ".join(words) + "."), min_size=1, max_size=6)


@given(st.lists(SENTENCES, min_size=1, max_size=5), st.data())
def test_every_quoted_sentence_stands_word_for_word_in_the_passage_it_names(said, data):
    hits = []
    for rank, sentences in enumerate(said, start=1):
        bare = hit("\n".join(sentences), rank=rank)
        size = len(bare.sentences)
        marks = data.draw(st.lists(st.floats(0, 1), min_size=size, max_size=size))
        readings = data.draw(st.lists(st.floats(0, 1), min_size=len(bare.windows), max_size=len(bare.windows)))
        hits.append(hit(bare.content, rank=rank, readings=readings, marks=marks))
    found = quote(hits).grounding
    assert 1 <= len(found.sentences) <= MAX_SENTENCES
    for sentence in found.sentences:
        passage = hits[sentence.passages[0] - 1]
        assert sentence.text in " ".join(passage.content.split())
        assert sentence.evidence[0] in passage.sentence_texts
    passages = [one.passages for one in found.sentences]
    assert passages == [each for each in dict.fromkeys(passages) for _ in range(passages.count(each))]  # not mixed
