"""JSON, JSON Lines and notebooks."""

import pytest
from loader_checks import check
from office_files import code, notebook

from rag.errors import InvalidDocument
from rag.ingest.loaders import load_bytes
from rag.models import Document


def read(text: str, name: str = "a.json") -> Document:
    return check(load_bytes(name, text.encode()))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"a": {"b": {"mb": 25, "ok": true}, "n": 4}, "s": "mail"}', "s: mail\n\na\n\nn: 4\n\nb\n\nmb: 25\nok: true"),
        ('[{"a": 1, "b": {"c": "x"}}, {"a": 2, "t": ["y", "z"]}]', "| a: 1 | b.c: x |\n| a: 2 | t: y, z |"),
        ('["red", "green", null]', "red, green"),
        ('{"a": {"b": {"c": {"d": {"e": {"f": 1}}}}}}', "a\n\nb\n\nc\n\nd\n\nd.e.f: 1"),
        ('{"price": 1.50, "big": 1' + "0" * 5_000 + "}", "price: 1.50\nbig: 1" + "0" * 5_000),
    ],
)
def test_values_are_told_under_the_path_of_their_keys(text: str, shown: str) -> None:
    assert read(text).text == shown


def test_lines_are_records_and_broken_ones_are_told() -> None:
    document = read('{"name": "fast", "n": 1}\n{"name"\n\n{"name": "slow", "n": 2}\n', "a.jsonl")
    assert document.text == "| name: fast | n: 1 |\n| name: slow | n: 2 |"
    assert document.notes == ("1 lines are not valid JSON and were left out: 2.",)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.json", '{"a": 1,\n b}', r"not valid JSON \(line 2: "),
        ("a.json", "[" * 200_000, "nested too deeply"),
        ("a.json", '{"a":' * 200_000, "nested too deeply"),
        ("a.json", "[1, 2, 3, 4]", "more than 3 values"),
        ("a.jsonl", "a\nb\n", "none of its lines is valid JSON"),
        ("a.ipynb", '{"a": 1}', "not a notebook"),
    ],
)
def test_what_cannot_be_read_is_refused(name: str, text: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.ingest.loaders.json.MAX_VALUES", 3)
    with pytest.raises(InvalidDocument, match=reason):
        load_bytes(name, text.encode())


def test_a_notebook_has_its_text_its_code_what_it_gave_and_its_tables_as_rows_and_no_stand_in_for_a_picture() -> None:
    text = {"cell_type": "markdown", "source": ["# Rainfall\n", "\n", "The gauge was *moved*."]}
    failed = {"output_type": "error", "ename": "ValueError", "evalue": "NaN in row 3", "traceback": ["..."]}
    result = {"output_type": "execute_result", "data": {"text/plain": ["42"], "image/png": "iVBORw0KGgo="}}
    picture = {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo="}}
    figure = {"output_type": "display_data", "data": {"text/plain": ["<Figure size 640x480 with 1 Axes>"]}}
    heads = "<thead><tr><th></th><th>stop</th><th>trips</th></tr></thead>"
    page = f"<style>td {{}}</style><table>{heads}<tr><th>0</th><td>Old Port</td><td>48</td></tr></table>"
    frame = {"output_type": "execute_result", "data": {"text/plain": ["    stop  trips\n"], "text/html": [page]}}
    printed = {"output_type": "stream", "name": "stdout", "text": ["stop  trips\n", "Quay     12\n"]}
    cells = code("a = 1\nfit()", failed), code("x", result, picture), code("top", frame, figure), code("p", printed)
    document = check(load_bytes("a.ipynb", notebook(text, *cells, authors=[{"name": "Bo Li"}])))
    gave = "a = 1\nfit()\n\nValueError: NaN in row 3\n\nx\n\n42\n\ntop\n\n| | stop | trips |\n| 0 | Old Port | 48 |"
    assert document.text == f"Rainfall\n\nThe gauge was moved.\n\n{gave}\n\np\n\nstop  trips\nQuay     12"
    assert [block.kind for block in document.blocks if block.kind in ("heads", "row")] == ["heads", "row"]
    assert (document.metadata.title, document.metadata.authors) == ("Rainfall", ("Bo Li",))


def test_what_is_cut_off_of_a_long_output_of_a_notebook_is_told() -> None:
    document = read(notebook(code("x", {"output_type": "stream", "text": "x" * 5_000})).decode(), "a.ipynb")
    assert (document.text[:4], len(document.text)) == ("x\n\nx", 2_003)
    assert document.notes == ("An output of cell 1 was cut after 2,000 characters.",)
    page = f"<table>{'<tr><td>Old Port</td><td>48</td></tr>' * 500}</table>"
    document = read(notebook(code("top", {"data": {"text/html": page}})).decode(), "a.ipynb")
    assert (len(document.text) < 2_200, len(document.notes)) == (True, 1)
    assert document.text.endswith("\n| Old Port | 48 |")  # after a whole row
