"""The reader: what it reads, what it judges by, and what it makes of it."""

import json
import threading
from pathlib import Path

import numpy as np
import pytest

from rag.adapters import compiled_cache
from rag.adapters.bert_encoder import BertEncoder
from rag.adapters.packaged_model import packaged_model
from rag.adapters.precision import reads_in_8_bits
from rag.adapters.reader import SHIPPED, CrossEncoderReader, MiniLmReader, relevance, span_chance
from rag.adapters.reader_features import FEATURES, LAYERS, ReadText, pair_features
from rag.adapters.reader_states import StateReader
from rag.adapters.reader_words import ANTONYMS, opposed
from rag.errors import ConfigurationError, EmbedderUnavailable

QUESTION = "Who designed the lighthouse on Skerry Point?"
ANSWERS = "The lighthouse on Skerry Point was designed by Ada Lorne. It was lit in 1873."
OTHER = "The harbour office opens at nine. Boats are rented by the hour."


@pytest.fixture(scope="module")
def network() -> BertEncoder:
    return BertEncoder(packaged_model(), precision="float32")


@pytest.fixture(scope="module")
def encoder(network: BertEncoder) -> StateReader:
    return StateReader(network)


@pytest.fixture(scope="module")
def reader(network: BertEncoder) -> MiniLmReader:
    return MiniLmReader(network)


def _features(encoder: StateReader, question: str, passage: str) -> dict[str, float]:
    asked, said = encoder.read([question, passage])
    return dict(zip(FEATURES, pair_features(asked, said).tolist(), strict=True))


def test_an_answering_passage_is_likelier_than_one_about_something_else(reader: MiniLmReader) -> None:
    answers, other = reader.read(QUESTION, [ANSWERS, OTHER])
    assert 0 <= other < 0.2 < answers <= 1


@pytest.mark.parametrize(
    "changed",
    ["Who designed the lighthouse on Gull Island?", "Who never designed the lighthouse on Skerry Point?"],
)
def test_a_swapped_name_or_a_negation_makes_an_answer_less_likely(reader: MiniLmReader, changed: str) -> None:
    assert reader.read(changed, [ANSWERS])[0] < reader.read(QUESTION, [ANSWERS])[0]


def test_a_probability_does_not_depend_on_the_company_of_other_passages(reader: MiniLmReader) -> None:
    alone = reader.read(QUESTION, [ANSWERS])[0]
    together = reader.read(QUESTION, [OTHER * 5, ANSWERS])[1]
    assert together == pytest.approx(alone, abs=0.03)


def test_nothing_to_read_is_no_error(reader: MiniLmReader) -> None:
    assert reader.read(QUESTION, []) == []
    assert all(0 <= value < 0.2 for value in reader.read(QUESTION, ["", " "]))
    assert all(0 <= value <= 1 for value in reader.read("?", ["1", "of the"]))


def test_threads_read_what_one_thread_reads(reader: MiniLmReader) -> None:
    expected = reader.read(QUESTION, [ANSWERS, OTHER])
    found: list[list[float]] = []
    threads = [threading.Thread(target=lambda: found.append(reader.read(QUESTION, [ANSWERS, OTHER]))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [pytest.approx(expected, abs=1e-3)] * 6


def test_the_name_changes_with_the_weights(network: BertEncoder, tmp_path: Path) -> None:
    other = tmp_path / "reader.safetensors"
    other.write_bytes(SHIPPED.read_bytes() + b" ")
    assert MiniLmReader(network).name.startswith("minilm-reader@")
    assert MiniLmReader(network, other).name != MiniLmReader(network).name


def test_damaged_or_missing_weights_are_named(network: BertEncoder, tmp_path: Path) -> None:
    damaged = tmp_path / "reader.safetensors"
    damaged.write_bytes(b"not weights at all")
    for path in (damaged, tmp_path / "missing"):
        with pytest.raises(ConfigurationError, match=path.name):
            MiniLmReader(network, path).read("Is it ready?", ["It is."])


def test_its_network_is_compiled_once_and_taken_from_the_cache_after(tmp_path, monkeypatch) -> None:
    first = MiniLmReader(BertEncoder(packaged_model(), cache=tmp_path)).read(QUESTION, [ANSWERS, OTHER])
    monkeypatch.setattr(compiled_cache, "compile_model", lambda *_, **__: pytest.fail("it was compiled again"))

    assert MiniLmReader(BertEncoder(packaged_model(), cache=tmp_path)).read(QUESTION, [ANSWERS, OTHER]) == first
    kept = {file.name.partition("-")[0] for file in tmp_path.iterdir()}
    assert kept - {"products"} == {"short16", "reader", "reading" if reads_in_8_bits("auto") else "encoder"}


def test_states_are_those_of_the_pieces_without_special_ones(encoder: StateReader) -> None:
    (text,) = encoder.read(["Fume hoods"])
    assert "".join(text.text[start:end] for start, end in text.spans) == "Fumehoods"
    for layer in LAYERS:
        assert text.states[layer].shape == (len(text.ids), 384)
        assert np.linalg.norm(text.states[layer], axis=1) == pytest.approx(1, abs=1e-5)


def test_a_passage_that_repeats_the_question_matches_every_piece(encoder: StateReader) -> None:
    found = _features(encoder, "red valve", "red valve")
    assert found["mean_0"] == pytest.approx(1, abs=1e-5)
    assert found["least_6"] == pytest.approx(1, abs=1e-4)
    assert found["missing_4"] == pytest.approx(0, abs=1e-4)
    assert found["similarity"] == pytest.approx(1, abs=1e-4)


def test_numbers_names_and_superlatives_that_the_passage_lacks_are_counted(encoder: StateReader) -> None:
    found = _features(encoder, "What was the largest ship in Bergen in 1912?", "A ship lay in Oslo in 1913. It sank.")
    assert found["numbers_not_in_passage"] == 1  # 1912
    assert found["names_not_in_passage"] == 1  # Bergen; What opens the question
    assert found["superlatives_not_in_sentence"] == 1  # largest


def test_a_question_for_a_year_misses_one_only_where_none_is_offered(encoder: StateReader) -> None:
    question = "In what year was the mill built?"
    assert _features(encoder, question, "The mill was built in 1790.")["no_year"] == 0
    assert _features(encoder, question, "The mill was built of oak.")["no_year"] == 1


def test_negation_on_one_side_only_is_seen(encoder: StateReader) -> None:
    denied = _features(encoder, "Which gas is not stored here?", "Argon is stored here.")
    denies = _features(encoder, "Which gas is stored here?", "Argon is not stored here.")
    both = _features(encoder, "Which gas is not stored here?", "Argon is not stored here.")
    assert (denied["denied_in_question"], denied["denied_in_passage"]) == (1, 0)
    assert (denies["denied_in_question"], denies["denied_in_passage"]) == (0, 1)
    assert (both["denied_in_question"], both["denied_in_passage"]) == (0, 0)


def test_opposites_count_in_both_directions_and_only_where_the_word_itself_is_missing() -> None:
    first = ANTONYMS[0]
    assert opposed(frozenset({"first"}), frozenset({"last"}), first)
    assert opposed(frozenset({"last"}), frozenset({"first"}), first)
    assert not opposed(frozenset({"first"}), frozenset({"first", "last"}), first)


def test_features_are_finite_for_odd_texts(encoder: StateReader) -> None:
    odd = ["?", "...", "of the", "1", "Ωμέγα", "a" * 300]
    texts = encoder.read(odd)
    assert all(np.isfinite(pair_features(one, other)).all() for one in texts for other in texts)


def test_an_empty_text_has_no_features() -> None:
    empty = ReadText("", np.empty(0, dtype=np.int64), (), {}, {}, np.zeros(384, dtype=np.float32))
    assert pair_features(empty, empty).tolist() == [0.0] * len(FEATURES)


# --- published models ------------------------------------------------------------------------------------------------


def test_relevance_is_the_sigmoid_of_one_output_or_of_the_difference_of_two() -> None:
    assert relevance(np.array([[0.0], [np.log(3)]])) == pytest.approx([0.5, 0.75])
    assert relevance(np.array([[1.0, 1.0], [0.0, -np.log(3)]])) == pytest.approx([0.5, 0.25])


def test_the_best_span_is_held_against_no_answer() -> None:
    start, end = np.array([1.0, 9.0, 2.0, 0.0]), np.array([1.0, 9.0, 0.0, 1.0])
    allowed = np.array([False, False, True, True])  # the second piece is the question's
    # best span: from piece 2 to 3, 2 + 1 = 3; no answer: 1 + 1 = 2; sigmoid(1) = 0.731
    assert span_chance(start, end, allowed) == pytest.approx(0.7311, abs=1e-4)
    assert span_chance(start, end, np.zeros(4, dtype=bool)) == 0.0


def _tiny_model(folder: Path, architecture: str, labels: int = 1, *, positions: int = 512) -> str:
    """Save a model of random weights with the packaged tokenizer, as a published one would be."""
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(packaged_model())
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=positions,
        num_labels=labels,
    )
    getattr(transformers, architecture)(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.mark.parametrize("architecture", ["BertForSequenceClassification", "BertForQuestionAnswering"])
def test_a_published_model_is_read_from_a_folder(tmp_path: Path, architecture: str) -> None:
    reader = CrossEncoderReader(
        _tiny_model(tmp_path / "tiny", architecture, labels=1 + architecture.endswith("Answering")),
        local_files_only=True,
    )
    found = reader.read(QUESTION, [ANSWERS, OTHER])
    assert len(found) == 2
    assert all(0 < value < 1 for value in found)
    assert reader.read(QUESTION, []) == []
    assert reader.name == "cross-encoder:tiny"


def test_a_model_of_another_kind_is_refused_by_name(tmp_path: Path) -> None:
    model = _tiny_model(tmp_path / "nli", "BertForSequenceClassification", labels=3)
    with pytest.raises(ConfigurationError, match="3 outputs"):
        CrossEncoderReader(model, local_files_only=True).read(QUESTION, [ANSWERS])


def test_a_published_model_that_fails_on_passages_says_what_to_set(tmp_path: Path) -> None:
    model = _tiny_model(tmp_path / "short", "BertForSequenceClassification", positions=8)
    with pytest.raises(EmbedderUnavailable, match=r"failed on 1 passages: .*Name another in CANDOR_READER_MODEL"):
        CrossEncoderReader(model, local_files_only=True).read(QUESTION, [ANSWERS])


def test_a_network_that_fails_on_passages_says_what_to_set(network: BertEncoder, monkeypatch) -> None:
    reader = MiniLmReader(network)
    reader.read(QUESTION, [ANSWERS])

    def fail(*_: object) -> None:
        raise RuntimeError("bad allocation")

    monkeypatch.setattr("rag.adapters.reader_judge.infer", fail)
    with pytest.raises(EmbedderUnavailable, match=r"on 1 passages: bad allocation\..*try CANDOR_READER_MODEL=none"):
        reader.read(QUESTION, [ANSWERS])


def test_a_model_that_is_not_there_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "nowhere"
    (tmp_path / "nowhere").mkdir()
    (missing / "config.json").write_text(json.dumps({}), encoding="utf-8")
    with pytest.raises(EmbedderUnavailable, match=r"nowhere.*[^.]\. Name a local folder") as caught:
        CrossEncoderReader(str(missing), local_files_only=True).read(QUESTION, [ANSWERS])
    assert "\n" not in caught.value.message
