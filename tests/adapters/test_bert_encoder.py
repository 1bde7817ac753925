"""The encoder that embedding and reading share: what it remembers, and that nothing depends on it."""

import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from rag.adapters import bert_encoder, openvino_encoder, precision
from rag.adapters.bert_encoder import REMEMBERED, BertEncoder
from rag.adapters.embedding import OpenVinoEmbedder
from rag.adapters.packaged_model import packaged_model
from rag.adapters.reader import MiniLmReader
from rag.errors import EmbedderUnavailable

QUESTION = "Who designed the lighthouse on Skerry Point?"


class Counting(BertEncoder):
    """Counts the batches that its networks compute."""

    computed = 0

    def _run(self, network: str | int, *inputs: Any) -> Any:
        self.computed += 1
        return super()._run(network, *inputs)


@pytest.fixture(scope="module")
def shared() -> Counting:
    return Counting(packaged_model(), precision="float32")


@pytest.fixture
def encoder(shared: Counting) -> Counting:
    shared._remembered.clear()
    shared.computed = 0
    return shared


def test_a_question_that_was_embedded_is_not_read_a_second_time(encoder: Counting) -> None:
    OpenVinoEmbedder(encoder).embed([QUESTION])
    reader = MiniLmReader(encoder)
    reader.read(QUESTION, ["Ada Lorne designed the lighthouse."])

    assert encoder.computed == 2  # the question, and the passage


def test_a_vector_does_not_depend_on_whether_its_text_came_alone(encoder: Counting) -> None:
    embedder = OpenVinoEmbedder(encoder)
    together = embedder.embed(
        [QUESTION, "Boats are rented by the hour, and not on Sundays or when the wind is strong."]
    )

    assert float(embedder.embed([QUESTION])[0] @ together[0]) > 0.99999


def test_what_is_remembered_is_bounded_and_the_oldest_goes(encoder: Counting) -> None:
    for number in range(REMEMBERED + 1):
        encoder.read(f"Boat {number}")
    encoder.read("Boat 1")
    assert encoder.computed == REMEMBERED + 1
    encoder.read("Boat 0")
    assert encoder.computed == REMEMBERED + 2


def test_remembered_states_are_not_those_of_a_later_text(encoder: Counting) -> None:
    _, first = encoder.read("Fume hoods are checked each year.")
    kept = first.last.copy(), first.inner.copy()
    encoder.read("Boats are rented by the hour today.")

    assert np.array_equal(first.last, kept[0])
    assert np.array_equal(first.inner, kept[1])


@pytest.mark.parametrize("words", [1, 14, 15, 22, 23, 30, 31, 300])
def test_a_text_alone_has_the_states_that_it_has_in_a_batch_however_long_it_is(encoder: Counting, words: int) -> None:
    encoded, alone = encoder.read("boat " * words)  # one piece each, and a special one at both ends
    assert len(encoded.ids) == min(words + 2, encoder.max_pieces)
    together = encoder.states([encoded])

    assert np.allclose(alone.last, together.last, atol=1e-4)
    assert np.allclose(alone.inner, together.inner, atol=1e-4)


def test_a_network_that_fails_on_texts_says_what_to_set(encoder: Counting) -> None:
    ids = np.zeros((1, 4, 4), dtype=np.int64)  # one dimension too many
    with pytest.raises(EmbedderUnavailable, match=r"failed on 1 texts: .*try CANDOR_EMBEDDING_PRECISION=float32, or"):
        encoder._run("_many", ids, ids)


def test_a_network_for_short_texts_is_taken_only_where_the_probes_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openvino_encoder, "AGREEMENT", 1.1)
    with pytest.raises(EmbedderUnavailable, match="gives wrong vectors in float32"):
        BertEncoder(packaged_model()).read("Boats")


@pytest.mark.parametrize("text", ["", "a", "Boats", "boat " * 300])
def test_states_have_a_row_for_every_piece_however_long_the_text(encoder: Counting, text: str) -> None:
    encoded, states = encoder.read(text)

    assert states.last.shape == states.inner.shape == (1, len(encoded.ids), encoder.width)
    assert 2 <= len(encoded.ids) <= encoder.max_pieces  # the special ones at both ends


def test_threads_get_the_states_of_their_own_text(encoder: Counting) -> None:
    expected = [encoder.read(f"Boat {number}")[1].last.copy() for number in range(4)]
    encoder._remembered.clear()
    found: dict[int, Any] = {}

    def read(number: int) -> None:
        for _ in range(5):
            encoder._remembered.pop(f"Boat {number}", None)
            found[number] = encoder.read(f"Boat {number}")[1].last

    threads = [Thread(target=read, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
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
def test_an_interrupt_after_another_thread_let_the_network_go_does_not_kill_the_process() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", LET_GO_ELSEWHERE],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert (done.returncode, done.stdout.strip()) == (0, "interrupted"), done.stderr


def test_windows_read_in_8_bits_are_near_enough_to_what_the_reader_was_trained_on() -> None:
    exact, free = BertEncoder(packaged_model(), precision="float32"), BertEncoder(packaged_model())
    batch = free.pieces.encode(["Boats are rented by the hour.", "Hoods are checked each year by the keeper of keys."])
    wanted, found = exact.states(batch), free.states_to_read(batch)
    for one, other in ((wanted.last, found.last), (wanted.inner, found.inner)):
        for row, text in enumerate(batch):
            a, b = one[row, : len(text.ids)], other[row, : len(text.ids)]
            cosines = (a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
            assert cosines.mean() > 0.99


def test_where_float32_is_wanted_windows_are_read_in_it(encoder: Counting) -> None:
    batch = encoder.pieces.encode(["Boats are rented by the hour."])
    found = encoder.states_to_read(batch).last.copy()
    np.testing.assert_array_equal(found, encoder.states(batch).last)


@pytest.mark.parametrize("agreement", [1.1, -1.0])
def test_8_bits_are_taken_only_where_the_probes_agree(monkeypatch: pytest.MonkeyPatch, agreement: float) -> None:
    monkeypatch.setattr(bert_encoder, "reads_in_8_bits", lambda precision: True)
    monkeypatch.setattr(openvino_encoder, "READING_AGREEMENT", agreement)
    encoder = BertEncoder(packaged_model())
    batch = encoder.pieces.encode(["Boats are rented by the hour."])
    found = encoder.states_to_read(batch).last.copy()
    is_exact = np.allclose(found, encoder.states(batch).last, atol=1e-6)
    assert is_exact == (agreement > 1)


def test_processors_that_multiply_8_bits_are_known_by_their_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    described = {"avx512_vnni": True, "avx_vnni": True, "amx_int8": True, "avx2": False}
    for flag, reads in described.items():
        monkeypatch.setattr(precision, "cpuinfo", lambda flag=flag: f"flags\t\t: fpu {flag} sse\n")
        assert precision.reads_in_8_bits("auto") == reads
        assert not precision.reads_in_8_bits("float32")
    monkeypatch.setattr(precision, "cpuinfo", lambda: "")
    assert not precision.reads_in_8_bits("auto")
