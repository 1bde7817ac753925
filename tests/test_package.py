"""The package as `pip install candor-rag` makes it, used far from the source: everything that it needs is in it."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import httpx
import pytest
from library import ROOT, clean_environment, free_port, served

PACKAGES = ("rag", "api")
SERVED = ("app.py", "server.py", "pages", "dashboard", "samples", ".streamlit")
QUESTION = "Which gloves are required for dichloromethane?"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from nothing but what the source distribution holds."""
    source, built = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("built")
    for name in (*PACKAGES, *SERVED):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, source)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    done = subprocess.run([*command, "-w", str(built), str(source)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (found,) = built.glob("candor_rag-*.whl")
    return found


@pytest.fixture(scope="module")
def binaries(wheel, tmp_path_factory):
    """The programs of a fresh environment in which the wheel is installed; what it depends on is that of the tests."""
    home = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    packages = sysconfig.get_path("purelib", vars={"base": str(home)})
    places = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (Path(packages) / "shared.pth").write_text("".join(f"{place}\n" for place in sorted(places)))
    command = [sys.executable, "-m", "pip", "--python", str(home / "bin" / "python"), "install", "--quiet"]
    options = ["--no-deps", "--no-index", "--no-compile", "--ignore-installed", "--disable-pip-version-check"]
    done = subprocess.run([*command, *options, str(wheel)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return home / "bin"


@pytest.fixture
def environment(tmp_path):
    """An environment with an empty home, and data in the working directory, as a stranger has it."""
    (tmp_path / "home").mkdir()
    made = {**clean_environment(tmp_path), "HOME": str(tmp_path / "home")}
    return {name: value for name, value in made.items() if name not in ("PYTHONPATH", "CANDOR_DATA_DIR")}


def run(program: Path, *arguments: str, environment: dict[str, str]) -> str:
    cwd = environment["HOME"]
    command = [str(program), *arguments]
    done = subprocess.run(command, env=environment, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def address(binaries, environment):
    """Where `candor serve` of the installed package listens."""
    port = free_port()
    command = [str(binaries / "candor"), "serve", "--port", str(port)]
    home = Path(environment["HOME"])
    with served(command, port, "/api/livez", log=home / "log", env=environment, cwd=home) as url:
        yield url


def test_every_file_is_in_the_package_and_nothing_but_two_packages_stands_beside_those_of_others(wheel):
    with zipfile.ZipFile(wheel) as archive:
        inside = {*archive.namelist()}
    parts = [(ROOT / name, name) for name in PACKAGES] + [(ROOT / name, f"rag/served/{name}") for name in SERVED]
    wanted = {
        target if source.is_file() else f"{target}/{path.relative_to(source).as_posix()}"
        for source, target in parts
        for path in ([source] if source.is_file() else source.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    named = {"rag/weights/gate.json", "rag/served/dashboard/assets/icon.svg", "rag/served/samples/faq.html"}
    assert named <= wanted
    assert wanted - inside == set()
    assert {name.split("/")[0] for name in inside if ".dist-info/" not in name} == {*PACKAGES}


def test_the_source_distribution_holds_what_the_wheel_is_built_of(tmp_path):
    skipped = shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__", "benchmarks", "training", "weights")
    shutil.copytree(ROOT, tmp_path / "source", ignore=skipped)
    code = "import setuptools.build_meta as backend; print(backend.build_sdist('dist'))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path / "source", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (built,) = (tmp_path / "source" / "dist").glob("*.tar.gz")
    shutil.unpack_archive(built, tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    assert [name for name in (*PACKAGES, *SERVED, "setup.py") if not (unpacked / name).exists()] == []
    assert (unpacked / "dashboard" / "assets" / "both.css").is_file()


def test_the_samples_are_ingested_and_asked_with_the_shipped_gate(binaries, environment):
    where = run(binaries / "python", "-c", "import rag; print(rag.__file__)", environment=environment).strip()
    assert os.path.commonpath([where, str(binaries.parent)]) == str(binaries.parent)
    run(binaries / "candor-rag", "ingest", "--samples", environment=environment)
    answer = json.loads(run(binaries / "candor", "ask", QUESTION, "--json", environment=environment))
    assert "laminate gloves" in answer["answer"]
    assert answer["citations"][0]["ieee"].startswith("[1]")
    assert answer["gate"]["estimator"] == "calibrated"
    run(binaries / "candor", "keys", "create", "desk", environment=environment)  # by the migrations in the package
    assert "desk" in run(binaries / "candor", "keys", "list", environment=environment)


def test_a_server_in_an_empty_home_takes_a_document_and_answers(address, samples):
    with httpx.Client(base_url=address, timeout=120) as client:
        manual = (samples / "safety_manual.pdf").read_bytes()
        sent = client.post("/api/v1/documents", files={"file": ("safety_manual.pdf", manual)}).json()
        assert sent["files"][0]["outcome"] == "added"
        answer = client.post("/api/v1/ask", json={"question": QUESTION}).json()
        assert "laminate gloves" in answer["answer"]
        assert client.get("/_stcore/health").text == "ok"
        assert "streamlit" in client.get("/").text.lower()
