"""docs/seed-rules.md against the tests: neither names what the other lacks."""

import ast
import re

import pytest
from library import ROOT

TABLE = ROOT / "docs" / "seed-rules.md"
SEEDS = {"000": "service", "001": "textbook", "002": "agent", "003": "chatbot", "004": "backend"}
SPEAKS = re.compile(r"\b(client|talking)\b|\bserving\(|TestClient\(|\bask\(|api_process\(")
DEFINED = re.compile(r"^(?:async )?def (test_\w+)\(", re.MULTILINE)


def names_in(pattern: str) -> set[str]:
    return {name for path in (ROOT / "tests").rglob(pattern) for name in DEFINED.findall(path.read_text())}


def rows() -> list[list[str]]:
    lines = [line for line in TABLE.read_text().splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row[0] not in ("rule", "---")]


def through_http() -> set[str]:
    """The tests whose code speaks to the API."""
    found = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef) and SPEAKS.search(ast.unparse(function)):
                found.add(function.name)
    return found


def test_every_rule_that_is_not_about_a_model_alone_is_tested_through_http() -> None:
    spoken = through_http()
    for row in rows():
        if "*model*" not in row[0] and row[2] != "none needed":
            assert set(re.findall(r"`(test_\w+)`", row[2])) & spoken, row


def test_every_rule_has_a_section_and_a_test_that_exists() -> None:
    known = names_in("test_*.py")
    assert len(rows()) >= 120
    for row in rows():
        assert len(row) == 3, row
        assert row[1], row
        named = re.findall(r"`(test_\w+)`", row[2])
        assert named or row[2] == "none needed", row
        assert set(named) <= known, row


@pytest.mark.parametrize(("number", "contract"), SEEDS.items())
def test_every_test_of_a_seed_stands_in_the_table(number: str, contract: str) -> None:
    own = names_in(f"test_contract_{contract}.py") | names_in(f"test_seed_rules_{contract}.py")
    assert own
    assert {name for name in own if name.startswith(f"test_{number}_")} == own
    assert own - set(re.findall(r"test_\w+", TABLE.read_text())) == set()
