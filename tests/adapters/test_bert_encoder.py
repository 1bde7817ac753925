"""The encoder: what a text's states depend on, and what is said where its network cannot be used."""

import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from at_once import at_once

from rag.adapters.bert_encoder import BertEncoder
from rag.adapters.packaged_model import packaged_model

QUESTION = "Who designed the lighthouse on Skerry Point?"


@pytest.fixture(scope="module")
def encoder() -> BertEncoder:
    return BertEncoder(packaged_model(), precision="float32")


@pytest.mark.parametrize("words", [0, 1, 14, 15, 22, 23, 30, 31, 300])
def test_a_text_alone_has_the_states_that_it_has_in_a_batch_whatever_its_length(
    encoder: BertEncoder, words: int
) -> None:
    text = "boat " * words  # one piece each, and a special one at both ends
    alone = encoder.read(text).copy()
    together = encoder.states(encoder.pieces.encode([text]))[0]

    assert len(alone) == min(words + 2, encoder.max_pieces)
    assert np.allclose(alone, together, atol=1e-4)


def test_threads_get_the_states_of_their_own_text(encoder: BertEncoder) -> None:
    expected = [encoder.read(f"Boat {number}").copy() for number in range(4)]
    found: dict[int, Any] = {}

    def read(number: int) -> None:
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
def test_an_interrupt_after_another_thread_let_the_network_go_does_not_kill_the_process() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", LET_GO_ELSEWHERE],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert (done.returncode, done.stdout.strip()) == (0, "interrupted"), done.stderr
