"""Whoever catches everything keeps the cause: it is raised on, chained, told or logged with its traceback."""

import ast
from collections.abc import Iterator

from library import ROOT

BROAD = {"Exception", "BaseException"}
SILENT = {"rag/adapters/database.py", "rag/ingest/writing.py"}
"""One cuts a line that may be cut already; to the other an error is the answer that work is not wanted any more."""


def handlers() -> Iterator[tuple[str, ast.ExceptHandler]]:
    for folder in ("rag", "api", "dashboard", "pages"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ExceptHandler) and (node.type is None or _is_broad(node.type)):
                    yield path.relative_to(ROOT).as_posix(), node


def _is_broad(kind: ast.expr) -> bool:
    return any(isinstance(each, ast.Name) and each.id in BROAD for each in ast.walk(kind))


def keeps_cause(handler: ast.ExceptHandler) -> bool:
    """Return whether it does: no other error takes the place of what was caught without naming it."""
    nodes = [node for statement in handler.body for node in ast.walk(statement)]
    raised = [node for node in nodes if isinstance(node, ast.Raise)]
    if raised:
        return all(
            node.exc is None or (node.cause is not None and ast.unparse(node.cause) != "None") for node in raised
        )
    is_used = any(isinstance(node, ast.Name) and node.id == handler.name for node in nodes)
    text = " ".join(ast.unparse(statement) for statement in handler.body)
    return is_used or ".exception(" in text or "exc_info" in text


def test_every_broad_except_keeps_its_cause() -> None:
    found = [*handlers()]
    lost = {f"{source}:{handler.lineno}" for source, handler in found if not keeps_cause(handler)}
    assert len(found) > 20
    assert {place for place in lost if place.partition(":")[0] not in SILENT} == set()
