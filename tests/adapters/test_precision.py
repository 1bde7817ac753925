"""In which precision the processor computes: by what it lists, and by what it takes for it."""

from time import thread_time

import numpy as np
import pytest

from rag.adapters import compiled_cache, precision
from rag.adapters.bert_encoder import BertEncoder
from rag.adapters.embedding import OpenVinoEmbedder
from rag.adapters.openvino_graphs import compile_model
from rag.adapters.packaged_model import packaged_model


class Offering:
    """A processor as OpenVINO describes it."""

    def __init__(self, *capabilities):
        self._capabilities = capabilities

    def get_property(self, device, name):
        return self._capabilities


@pytest.mark.parametrize(
    ("cpuinfo", "has"),
    [
        ("flags\t\t: fpu avx512f avx512_bf16\nflags\t\t: fpu avx512f avx512_bf16\n", True),
        ("flags\t\t: fpu avx512f amx_bf16 amx_tile\n", True),
        ("Features\t: fp asimd bf16 i8mm\n", True),
        ("flags\t\t: fpu avx2 avx512f\n", False),
        ("flags\t\t: fpu avx512_bf16\nflags\t\t: fpu avx2\n", False),  # two kinds of cores
        ("model name\t: something else\n", None),
        ("", None),
    ],
)
def test_a_processor_has_bfloat16_where_every_core_lists_it(cpuinfo, has):
    assert precision._has_bfloat16(cpuinfo) is has


def test_a_processor_that_only_imitates_bfloat16_computes_in_float32(tmp_path, monkeypatch):
    folder = packaged_model()
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("flags\t\t: fpu avx2 avx512f avx512bw\n")
    monkeypatch.setattr(compiled_cache, "_CPUINFO", cpuinfo)

    assert OpenVinoEmbedder(BertEncoder(folder)).backend == "openvino float32"
    assert OpenVinoEmbedder(BertEncoder(folder, precision="bfloat16")).backend == "openvino bfloat16"


@pytest.mark.parametrize(("gain", "chosen"), [(1.8, "bfloat16"), (1.1, "float32"), (0.6, "float32")])
def test_of_two_precisions_that_a_processor_offers_the_faster_is_taken_and_kept(tmp_path, monkeypatch, gain, chosen):
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("flags\t\t: fpu avx512f avx512_bf16\n")
    monkeypatch.setattr(compiled_cache, "_CPUINFO", cpuinfo)
    monkeypatch.setattr(precision, "core", lambda: Offering("FP32", "BF16"))
    monkeypatch.setattr(precision, "kept_as", lambda folder, kind, *made_of: folder / f"{kind}-0.blob")
    monkeypatch.setattr(precision, "_timed_gain", lambda: gain)
    assert precision.chosen_precision("auto", tmp_path) == chosen

    monkeypatch.setattr(precision, "_timed_gain", lambda: pytest.fail("it was timed again"))
    assert precision.chosen_precision("auto", tmp_path) == chosen
    assert precision.chosen_precision("bfloat16", tmp_path) == "bfloat16"

    (tmp_path / "products-0.blob").write_bytes(b"not what was kept")
    monkeypatch.setattr(precision, "_timed_gain", lambda: 3.0)
    assert precision.chosen_precision("auto", tmp_path) == "bfloat16"


@pytest.mark.parametrize(
    ("flags", "gain", "chosen"),
    [
        ("avx512f avx512_vnni avx512_bf16", 1.9, "int8"),  # AMD's Zen 4
        ("avx512f avx512_vnni avx512_bf16", 0.6, "int8"),
        ("avx512f avx512_vnni avx512_bf16 amx_bf16 amx_int8", 5.0, "bfloat16"),
        ("avx2 avx_vnni", 1.8, "int8"),  # no bfloat16, whatever was timed
        ("avx512f avx512_bf16", 1.3, "bfloat16"),
        ("avx2", 1.8, "float32"),
    ],
)
def test_the_reader_computes_in_integers_where_bfloat16_is_slower(tmp_path, monkeypatch, flags, gain, chosen):
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(f"flags\t\t: fpu {flags}\n")
    monkeypatch.setattr(compiled_cache, "_CPUINFO", cpuinfo)
    monkeypatch.setattr(precision, "core", lambda: Offering("FP32", "BF16"))
    monkeypatch.setattr(precision, "_timed_gain", lambda: gain)

    assert precision.reading_precision("auto", tmp_path) == chosen
    assert precision.reading_precision("float32", tmp_path) == "float32"


def test_a_processor_is_timed_in_both_precisions():
    assert 0.005 < precision._timed_gain() < 20


def test_the_thread_whose_processor_time_is_taken_computes_the_products_itself():
    request = compile_model(precision._products(), precision="float32", threads=1).create_infer_request()
    rows = np.ones((precision._ROWS, precision._WIDTH), dtype=np.float32)
    begun = thread_time()
    for _ in range(10):
        request.infer([rows])
    # 10 times 2 products of 256 x 384 x 1536, two operations each: 6 * 10^9, and no core does 2 * 10^12 a second
    assert thread_time() - begun > 0.003
