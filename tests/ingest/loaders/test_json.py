"""JSON, JSON Lines and notebooks."""

import json

import pytest
from loader_checks import check
from office_files import code, notebook

from rag.errors import InvalidDocument
from rag.ingest.loaders import load_bytes
from rag.models import Document


def read(text: str, name: str = "a.json") -> Document:
    return check(load_bytes(name, text.encode()))


def test_values_are_fields_under_the_path_of_their_keys() -> None:
    document = read('{"limits": {"upload": {"max_mb": 25, "kept": true}, "retries": 4}, "service": "mail"}')
    assert document.text == "service: mail\n\nlimits\n\nretries: 4\n\nupload\n\nmax_mb: 25\nkept: true"
    assert document.sections[-1].path == ("limits", "upload")


def test_objects_of_a_list_are_records_with_paths_as_heads() -> None:
    document = read('[{"name": "fast", "host": {"city": "Graz"}}, {"name": "slow", "tags": ["a", "b"]}]')
    assert document.text == "| name: fast | host.city: Graz |\n| name: slow | tags: a, b |"


def test_lines_are_records_and_broken_ones_are_told() -> None:
    document = read('{"name": "fast", "n": 1}\n{"name"\n\n{"name": "slow", "n": 2}\n', "a.jsonl")
    assert document.text == "| name: fast | n: 1 |\n| name: slow | n: 2 |"
    assert document.notes == ("1 lines are not valid JSON and were left out: 2.",)


def test_numbers_stay_as_they_are_written() -> None:
    assert read('{"price": 1.50, "big": 1' + "0" * 5_000 + "}").text.startswith("price: 1.50\nbig: 1000")


def test_objects_below_the_deepest_heading_are_told_by_their_path() -> None:
    assert read('{"a": {"b": {"c": {"d": {"e": {"f": 1}}}}}}').text.endswith("e.f: 1")


def test_a_plain_list_is_one_field() -> None:
    assert read('["red", "green", null]').text == "red, green"


def test_what_is_no_json_is_refused_with_the_line() -> None:
    with pytest.raises(InvalidDocument, match="not valid JSON \\(line 2: "):
        load_bytes("a.json", b'{"a": 1,\n b}')
    with pytest.raises(InvalidDocument, match="none of its lines is valid JSON"):
        load_bytes("a.jsonl", b"a\nb\n")


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_json_that_is_nested_without_end_is_refused(opening: str) -> None:
    with pytest.raises(InvalidDocument, match="nested too deeply"):
        load_bytes("a.json", (opening * 200_000).encode())


def test_more_values_than_can_be_read_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.ingest.loaders.json.MAX_VALUES", 3)
    with pytest.raises(InvalidDocument, match="more than 3 values"):
        load_bytes("a.json", b"[1, 2, 3, 4]")


def test_a_notebook_has_its_text_its_code_and_what_it_printed() -> None:
    printed = {"output_type": "stream", "name": "stdout", "text": ["1873.4\n"]}
    failed = {"output_type": "error", "ename": "ValueError", "evalue": "NaN in row 3", "traceback": ["..."]}
    text = {"cell_type": "markdown", "source": ["# Rainfall\n", "\n", "The gauge was *moved*."]}
    document = check(load_bytes("a.ipynb", notebook(text, code("a = 1\nprint(a)", printed), code("fit()", failed))))
    assert document.text == (
        "Rainfall\n\nThe gauge was moved.\n\na = 1\nprint(a)\n\n1873.4\n\nfit()\n\nValueError: NaN in row 3"
    )
    assert document.metadata.title == "Rainfall"


def test_a_result_is_read_as_text_and_a_picture_is_not() -> None:
    result = {"output_type": "execute_result", "data": {"text/plain": ["42"], "image/png": "iVBORw0KGgo="}}
    picture = {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo="}}
    assert load_bytes("a.ipynb", notebook(code("x", result, picture))).text == "x\n\n42"


def test_a_long_output_is_cut_and_that_is_told() -> None:
    printed = {"output_type": "stream", "text": "x" * 5_000}
    document = load_bytes("a.ipynb", notebook(code("x", printed)))
    assert len(document.text) == 2_003
    assert document.notes == ("An output of cell 1 was cut after 2,000 characters.",)


def test_authors_and_title_are_those_of_the_metadata() -> None:
    said = load_bytes("a.ipynb", notebook(code("x = 1"), title="Rain", authors=[{"name": "Bo Li"}])).metadata
    assert (said.title, said.authors) == ("Rain", ("Bo Li",))


def test_a_notebook_of_the_third_format_is_read() -> None:
    old = {"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": ["x = 1"], "outputs": []}]}]}
    assert load_bytes("a.ipynb", json.dumps(old).encode()).text == "x = 1"


def test_json_that_is_no_notebook_is_refused() -> None:
    with pytest.raises(InvalidDocument, match="not a notebook"):
        load_bytes("a.ipynb", b'{"a": 1}')
