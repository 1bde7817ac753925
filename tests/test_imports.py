"""Who may import whom, as docs/architecture.md says."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache

import pytest
from library import ROOT

STAGES = frozenset(
    (
        *("validate", "standalone", "embed", "retrieve", "read", "gate"),
        *("prompt", "ground", "quote", "cite", "refuse", "record"),
    )
)
FLOOR_PACKAGES = ("exact", "process", "reader", "ranking", "records", "replies", "text")
GROUND_FLOOR = frozenset(("errors", "models", "protocols", *FLOOR_PACKAGES))
"""Values and functions that stages share; none of them imports a stage."""
BACKENDS = frozenset(
    (
        "qdrant_client", "qdrant_edge", "ollama", "openai", "xllamacpp", "sentence_transformers", "openvino",
        "torch", "transformers", "sqlalchemy", "opentelemetry",
    )
)  # fmt: skip
NAMES_ADAPTERS = {
    "rag/wiring.py",
    "rag/serving.py",  # asks whether the embedded index is free before a server starts
    "rag/ingest/loaders/ocr.py",  # loaders are functions of a file: nobody could hand them an engine
    "rag/bench/run.py",  # measures the embedding model by itself
}
SERVES = ("evaluation", "serving")
HEAVY = ("numpy", "torch", "openvino", "streamlit", "sqlalchemy", "qdrant_client", "sentence_transformers", "sklearn")
PAGES = ("pages", "app", "server")
ABOVE = {
    "the core": (("rag",), (*PAGES, "dashboard", "api", "streamlit")),
    "the API": (("api",), (*PAGES, "dashboard", "streamlit")),
    "the dashboard": (("dashboard",), (*PAGES, "api")),
    "a page": (("pages",), (*PAGES, "api")),
    "charts": (("dashboard/charts.py",), ("streamlit",)),
    "ingestion": (("rag/ingest",), tuple(f"rag.{stage}" for stage in STAGES)),
    "adapters": (
        ("rag/adapters",),
        tuple(f"rag.{name}" for name in (*STAGES, *("pipeline", "wiring", "candor", "cli", "commands"), *SERVES)),
    ),
    "the product": (
        ("rag", "api", "dashboard", "pages", "app.py", "server.py"), ("benchmarks", "training", "scripts", "tests")
    ),
}  # fmt: skip
"""What imports nothing of what."""


def sources(*places: str) -> list[str]:
    """Return the project's own modules at some places, files or folders, relative to its root."""
    roots = [ROOT / place for place in places]
    found = [path for root in roots for path in ([root] if root.is_file() else root.rglob("*.py"))]
    return sorted(str(path.relative_to(ROOT)) for path in found)


@cache
def imports(source: str) -> frozenset[str]:
    """Return every module that a source imports anywhere, types alone left out."""
    return frozenset(_imports(ast.parse((ROOT / source).read_text(encoding="utf-8"))))


def _imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = f"{'.' * node.level}{node.module or ''}"
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)
        else:
            yield from _imports(node)


def of(source: str, *packages: str) -> set[str]:
    """Return what a source imports from some packages."""
    return {name for name in imports(source) if any(name == each or name.startswith(f"{each}.") for each in packages)}


def outermost(source: str) -> set[str]:
    """Return the modules directly below `rag` that a source imports."""
    return {name.split(".")[1] for name in of(source, "rag") if "." in name}


def found_in(script: str) -> tuple[str, str]:
    """Return what a script prints and complains of in a fresh interpreter."""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
    return done.stdout.strip(), done.stderr


@pytest.mark.parametrize(
    ("imported", "heavy"),
    [
        ("rag", HEAVY),
        ("rag.exact", ("pint", "text_to_num", "numpy")),
        ("server", ("pandas", "dashboard.queries")),  # Streamlit warns of what is cached before it runs
    ],
)
def test_what_is_heavy_is_not_loaded_before_it_is_needed(imported, heavy):
    assert found_in(f"import sys, {imported}; print([name for name in {heavy} if name in sys.modules])") == ("[]", "")


@pytest.mark.parametrize(("places", "above"), ABOVE.values(), ids=ABOVE)
def test_nothing_imports_what_is_above_it(places, above):
    naming = {source: of(source, *above) for source in sources(*places)}
    assert naming
    assert {source: names for source, names in naming.items() if names} == {}


def above(places: list[str], allowed: frozenset[str]) -> dict[str, set[str]]:
    """Return what some sources import of `rag` beyond what they may, and beyond themselves."""
    beyond = {source: outermost(source) - allowed - {source.split("/")[1].removesuffix(".py")} for source in places}
    return {source: names for source, names in beyond.items() if names}


def test_the_ground_floor_imports_nothing_above_it_and_values_and_the_exact_check_none_of_its_packages():
    alone = [f"rag/{name}.py" for name in GROUND_FLOOR if (ROOT / f"rag/{name}.py").exists()]
    values = [*alone, *sources("rag/models", "rag/protocols", "rag/exact")]
    assert above([*values, *sources(*(f"rag/{package}" for package in FLOOR_PACKAGES))], GROUND_FLOOR) == {}
    assert above(values, GROUND_FLOOR - {*FLOOR_PACKAGES[1:]}) == {}
    assert outermost("rag/reader/windows.py") | outermost("rag/reader/pieces.py") <= {"models", "protocols"}


def test_stages_import_the_ground_floor_and_nothing_else_of_rag():
    assert above([f"rag/{stage}.py" for stage in STAGES], GROUND_FLOOR) == {}


def test_only_the_wiring_names_adapters_and_only_adapters_import_what_runs_models_and_stores():
    elsewhere = [one for one in sources("rag", "api", "dashboard", "pages") if not one.startswith("rag/adapters/")]
    assert {source for source in elsewhere if of(source, "rag.adapters")} <= NAMES_ADAPTERS
    assert [source for source in elsewhere if of(source, *BACKENDS)] == []


def test_what_counts_unsupported_sentences_shares_no_code_with_what_checks_them_before_they_are_shown():
    known, new = set(), {"rag/evaluation/independent.py"}
    while new:
        known |= new
        named = {name for source in new for name in of(source, "rag")}
        paths = {f"{name.replace('.', '/')}{end}" for name in named for end in (".py", "/__init__.py")}
        new = {path for path in paths if (ROOT / path).is_file()} - known
    assert len(known) > 1
    assert not [path for path in known if path.startswith(("rag/ground", "rag/quote"))]
