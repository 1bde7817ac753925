"""seed-rules.md against the tests: neither names what the other lacks."""

import ast
import re

import pytest
from library import ROOT
from test_seed_tables import ENTITIES, FIELDS, SHAPES

TABLE = ROOT / "tests" / "api" / "seed-rules.md"
NAMED = re.compile(r"`(test_\w+|(?:field|shape|entity):[\w.]+)`")
SPEAKS = re.compile(r"\b(client|talking)\b|\bserving\(|TestClient\(|\bask\(|api_process\(")
ROWS = {f"{kind}:{name}" for kind, rows in (("field", FIELDS), ("shape", SHAPES)) for name in rows}
"""Rows of tables whose tests go through HTTP."""
MADE = {f"entity:{name}" for name in ENTITIES}


def rules() -> list[list[str]]:
    lines = [line for line in TABLE.read_text().splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row[0] not in ("rule", "---")]


def all_tests() -> dict[str, bool]:
    """Every test by name, and whether its code speaks to the API."""
    found = {}
    for path in (ROOT / "tests").rglob("test_*.py"):
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef) and function.name.startswith("test_"):
                found[function.name] = bool(SPEAKS.search(ast.unparse(function)))
    return found


def test_every_rule_has_a_section_and_a_test_that_goes_through_http_unless_it_is_about_a_model_alone():
    known = all_tests()
    assert len(rules()) >= 120
    for row in rules():
        assert len(row) == 3, row
        assert row[1], row
        named = set(NAMED.findall(row[2]))
        assert named or row[2] == "none needed", row
        assert named <= known.keys() | ROWS | MADE, row
        speaking = {name for name in named if name in ROWS or known.get(name)}
        assert speaking or "*model*" in row[0] or not named, row


@pytest.mark.parametrize("seed", ["000", "001", "002", "003", "004"])
def test_every_test_of_a_seed_stands_in_the_table(seed):
    [path] = (ROOT / "tests" / "api").glob(f"test_seed_{seed}_*.py")
    own = set(re.findall(r"^def (test_\w+)\(", path.read_text(), re.MULTILINE))
    assert {name for name in own if name.startswith(f"test_{seed}_")} == own != set()
    rows = {name for name in ROWS | MADE if f":{seed}." in name}
    assert (own | rows) - set(NAMED.findall(TABLE.read_text())) == set()
