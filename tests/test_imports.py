"""Who may import whom, as docs/architecture.md says, proved on the source."""

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
FLOOR_PACKAGES = ("exact", "language", "process", "reader", "ranking", "recording", "replies")
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
HEAVY = ("numpy", "torch", "openvino", "streamlit", "sqlalchemy", "qdrant_client", "sentence_transformers", "sklearn")


def sources(*folders: str) -> list[str]:
    """Return the project's own modules under some folders, relative to its root."""
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
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


def test_import_rag_loads_neither_streamlit_nor_torch_nor_anything_heavy():
    code = f"import sys, rag; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)

    assert done.stdout.strip() == "[]"


def test_the_server_imports_nothing_that_draws_a_page():
    heavy = ("pandas", "dashboard.queries")
    code = f"import server, sys; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)

    assert (done.stdout.strip(), done.stderr) == ("[]", "")  # Streamlit warns of what is cached before it runs


@pytest.mark.parametrize("stage", sorted(STAGES))
def test_a_stage_imports_no_other_stage(stage):
    assert not (outermost(f"rag/{stage}.py") & STAGES) - {stage}


def floor() -> list[str]:
    """Return every source of the ground floor."""
    alone = [f"rag/{name}.py" for name in GROUND_FLOOR if (ROOT / f"rag/{name}.py").exists()]
    return sorted([*alone, *sources("rag/models", "rag/protocols", *(f"rag/{package}" for package in FLOOR_PACKAGES))])


@pytest.mark.parametrize("source", floor())
def test_the_ground_floor_imports_nothing_above_it(source):
    assert not outermost(source) - GROUND_FLOOR


def test_language_and_values_import_no_other_package_of_the_ground_floor():
    low = [
        source for source in floor() if not source.startswith(tuple(f"rag/{package}" for package in FLOOR_PACKAGES[1:]))
    ]

    assert {s: outermost(s) & set(FLOOR_PACKAGES[1:]) for s in low if outermost(s) & set(FLOOR_PACKAGES[1:])} == {}


def test_windows_and_what_the_reader_gets_are_made_of_values_alone():
    named = outermost("rag/reader/windows.py") | outermost("rag/reader/pieces.py")

    assert named <= {"models", "protocols"}


def test_stages_import_the_ground_floor_and_nothing_else_of_rag():
    above = {stage: outermost(f"rag/{stage}.py") - GROUND_FLOOR - {stage} for stage in STAGES}

    assert {stage: names for stage, names in above.items() if names} == {}


def test_only_the_wiring_names_adapters():
    naming = {source for source in sources("rag") if of(source, "rag.adapters")}

    assert {source for source in naming if not source.startswith("rag/adapters/")} <= NAMES_ADAPTERS


def test_adapters_import_no_stage_and_nothing_that_serves():
    above = STAGES | {"pipeline", "wiring", "candor", "cli", "commands", "evaluation", "serving"}

    assert {s: outermost(s) & above for s in sources("rag/adapters") if outermost(s) & above} == {}


def test_only_adapters_import_what_runs_models_and_stores():
    naming = {source: of(source, *BACKENDS) for source in sources("rag", "api", "dashboard", "pages")}

    assert {s: names for s, names in naming.items() if names and not s.startswith("rag/adapters/")} == {}


def test_the_core_knows_neither_pages_nor_dashboard_nor_api():
    naming = {
        source: of(source, "pages", "dashboard", "api", "app", "server", "streamlit") for source in sources("rag")
    }

    assert {source: names for source, names in naming.items() if names} == {}


def test_the_api_knows_the_core_and_no_page():
    naming = {source: of(source, "pages", "dashboard", "app", "server", "streamlit") for source in sources("api")}

    assert {source: names for source, names in naming.items() if names} == {}


def test_the_dashboard_knows_the_core_and_neither_pages_nor_api():
    naming = {source: of(source, "pages", "api", "app", "server") for source in sources("dashboard")}

    assert {source: names for source, names in naming.items() if names} == {}


def test_a_page_imports_no_other_page_and_not_the_api():
    naming = {source: of(source, "pages", "api", "app", "server") for source in sources("pages")}

    assert {source: names for source, names in naming.items() if names} == {}


def test_charts_import_no_streamlit():
    assert of("dashboard/charts.py", "streamlit") == set()


def test_ingestion_imports_no_stage():
    assert {s: outermost(s) & STAGES for s in sources("rag/ingest") if outermost(s) & STAGES} == {}


def test_the_product_imports_nothing_that_measures_trains_or_tests_it():
    product = (*sources("rag", "api", "dashboard", "pages"), "app.py", "server.py")
    naming = {source: of(source, "benchmarks", "training", "scripts", "tests") for source in product}

    assert {source: names for source, names in naming.items() if names} == {}


def test_what_counts_unsupported_sentences_shares_no_code_with_what_checks_them_before_they_are_shown():
    known, new = set(), {"rag/evaluation/independent.py"}
    while new:
        known |= new
        named = {name for source in new for name in of(source, "rag")}
        paths = {f"{name.replace('.', '/')}{end}" for name in named for end in (".py", "/__init__.py")}
        new = {path for path in paths if (ROOT / path).is_file()} - known

    assert len(known) > 1
    assert not [path for path in known if path.startswith(("rag/ground", "rag/quote"))]
