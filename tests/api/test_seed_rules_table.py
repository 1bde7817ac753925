"""docs/seed-rules.md against the tests: neither names what the other lacks."""

import re

import pytest
from library import ROOT

TABLE = ROOT / "docs" / "seed-rules.md"
SEEDS = {"000": "service", "001": "textbook", "002": "agent", "003": "chatbot", "004": "backend"}
DEFINED = re.compile(r"^(?:async )?def (test_\w+)\(", re.MULTILINE)


def names_in(pattern: str) -> set[str]:
    return {name for path in (ROOT / "tests").rglob(pattern) for name in DEFINED.findall(path.read_text())}


def rows() -> list[list[str]]:
    lines = [line for line in TABLE.read_text().splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row[0] not in ("rule", "---")]


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
