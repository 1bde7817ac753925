"""Names in code spans: there Markdown draws a backslash as it stands, so that nothing in one may be escaped."""

from pathlib import Path

import pytest
from library import ROOT

SOURCES = sorted([*(ROOT / "dashboard").glob("*.py"), *(ROOT / "pages").glob("*.py")])


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_nothing_in_a_code_span_is_escaped(source: Path) -> None:
    assert "`{md(" not in source.read_text(encoding="utf-8")
