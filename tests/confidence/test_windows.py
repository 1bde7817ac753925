"""Which sentences a reader gets to see."""

from rag.confidence.windows import grow, place, windows
from rag.models import DocumentMetadata, RetrievedChunk


def _hit(*sentences: str, scores: tuple[float, ...] = (), **more: object) -> RetrievedChunk:
    content = " ".join(sentences)
    spans, start = [], 0
    for sentence in sentences:
        spans.append((start, start + len(sentence)))
        start += len(sentence) + 1
    return RetrievedChunk(
        chunk_id="c",
        document="d.md",
        document_hash="h",
        content=content,
        chunk_index=0,
        start=0,
        end=len(content),
        sentences=tuple(spans),
        rank=1,
        similarity_score=0.5,
        cosine=0.5,
        sentence_scores=scores,
        **more,
    )


def test_a_window_grows_to_both_sides_while_words_are_left() -> None:
    assert grow([5, 5, 5], 1, 15) == (0, 2)
    assert grow([5, 5, 5], 1, 10) == (0, 1)  # the sentence before comes first
    assert grow([50, 5, 5], 1, 10) == (1, 2)  # one that does not fit is not cut
    assert grow([5, 60, 5], 1, 10) == (1, 1)  # a long sentence stays whole


def test_windows_are_whole_sentences_of_their_hit() -> None:
    hits = [_hit("Gloves are nitrile.", "Masks are paper.", scores=(0.8, 0.1)), _hit("It rained.", scores=(0.05,))]
    first, second = windows("What are gloves made of?", hits, word_limit=3)
    assert (first.hit, first.text) == (0, "Gloves are nitrile.")
    assert (second.hit, second.text) == (0, "Masks are paper.")
    assert hits[0].content[second.start : second.end] == second.text


def test_a_sentence_inside_an_earlier_window_opens_no_other() -> None:
    hits = [_hit("Gloves are nitrile.", "Gloves are thin.", scores=(0.8, 0.7)), _hit("It rained.", scores=(0.05,))]
    found = windows("What are gloves made of?", hits)
    assert [window.text for window in found] == ["Gloves are nitrile. Gloves are thin.", "It rained."]


def test_the_questions_words_outweigh_a_little_similarity() -> None:
    hits = [_hit("Valves close slowly.", scores=(0.50,)), _hit("The red pump stops.", scores=(0.45,))]
    assert windows("When does the pump stop?", hits, limit=1)[0].hit == 1  # .45 + .6 against .50


def test_only_the_first_five_hits_are_read_and_without_hits_there_is_nothing() -> None:
    hits = [_hit("It rained.", scores=(0.1,))] * 5 + [_hit("Gloves are nitrile.", scores=(0.9,))]
    assert all(window.hit < 5 for window in windows("gloves", hits, limit=6))
    assert windows("gloves", []) == ()


def test_a_hit_without_sentences_is_one_window() -> None:
    hit = _hit("Gloves are nitrile.").model_copy(update={"sentences": (), "sentence_scores": ()})
    assert [window.text for window in windows("gloves", [hit])] == ["Gloves are nitrile."]


def test_a_place_is_title_and_heading_and_said_once() -> None:
    title = DocumentMetadata(title="Hoists")
    assert place(_hit("It is red.", metadata=title, section_path=("Care", "Checks"))) == "Hoists. Checks.\n"
    assert place(_hit("It is red.", metadata=title, section_path=("hoists",))) == "Hoists.\n"
    assert place(_hit("It is red.", section_path=(" ".join(["long"] * 12),))) == " ".join(["long"] * 10) + ".\n"
    assert place(_hit("It is red.")) == ""


def test_what_is_read_stands_below_its_place_and_the_text_alone_is_where_it_says() -> None:
    hit = _hit("The limit is 5 kg.", metadata=DocumentMetadata(title="Hoists"))
    (window,) = windows("What is the limit?", [hit])
    assert window.passage == "Hoists.\nThe limit is 5 kg."
    assert hit.content[window.start : window.end] == window.text == "The limit is 5 kg."


TABLE = ("| Programme | Spin (rpm) | Minutes |", "| Wool | 800 | 52 |", "| Silk | 400 | 38 |")


def test_rows_are_read_with_the_heads_of_their_columns_which_are_not_read_by_themselves() -> None:
    hit = _hit(*TABLE, "Dry it flat.", scores=(0.2, 0.3, 0.1, 0.1))
    (window,) = windows("How fast does wool spin?", [hit], limit=1, word_limit=8)
    assert window.text == "Programme: Wool; Spin (rpm): 800; Minutes: 52"
    assert hit.content[window.start : window.end].endswith(TABLE[1])


def test_a_row_deep_in_a_table_is_read_with_the_heads_of_an_earlier_passage() -> None:
    hit = _hit(TABLE[2], scores=(0.1,), context=f"Washing\n{TABLE[0]}")
    assert windows("How long does silk take?", [hit])[0].text == "Programme: Silk; Spin (rpm): 400; Minutes: 38"


def test_a_row_is_chosen_by_the_words_of_the_head_above_its_cell() -> None:
    hits = [_hit("Wool shrinks.", scores=(0.35,)), _hit(*TABLE, scores=(0.1, 0.3, 0.1))]
    assert windows("How many minutes does wool take?", hits, limit=1)[0].text.startswith("Programme: Wool")
