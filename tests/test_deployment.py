"""What is shipped to run Candor, here or elsewhere, names only what there is: settings, files, addresses, targets."""

import os
import re
import runpy
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from library import ROOT

from rag.commands.line import app as commands
from rag.settings import Settings, load_settings

KNOWN = {f"CANDOR_{name.upper()}" for name in Settings.model_fields} | {"QDRANT_URL", "QDRANT_API_KEY", "OLLAMA_HOST"}
OF_OTHERS = {"PATH", "HOME", "HF_HUB_OFFLINE"}
PROBES = {"/api/livez", "/api/readyz"}


def compose() -> Any:
    return yaml.safe_load((ROOT / "compose.yaml").read_text())


def dockerfile() -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = runpy.run_path(str(ROOT / "scripts" / "prove_dockerfile.py"))["steps"](
        (ROOT / "Dockerfile").read_text()
    )
    return found


def given(name: str) -> list[str]:
    return [rest for step, rest in dockerfile() if step == name]


def deployment() -> Any:
    documents = yaml.safe_load_all((ROOT / "deploy" / "kubernetes.yaml").read_text())
    (found,) = [each for each in documents if each["kind"] == "Deployment"]
    return found["spec"]


def test_compose_sets_only_settings_that_exist_and_that_are_valid(monkeypatch):
    named = {name: re.sub(r"\$\{.*?\}", "secret", str(value)) for name, value in _candor()["environment"].items()}
    assert {*named} - KNOWN == set()
    for name, value in named.items():
        monkeypatch.setenv(name, value)
    chosen = load_settings()
    assert (chosen.qdrant_url, chosen.allow_remote_model) == ("http://qdrant:6333", True)
    assert chosen.database_url == "postgresql+psycopg://candor:secret@postgres/candor"


def test_compose_reaches_only_services_that_it_starts_and_keeps_their_data():
    services, volumes = compose()["services"], compose()["volumes"]
    hosts = {*re.findall(r"(?://|@)([a-z]+)(?=[:/])(?!:\$)", " ".join(map(str, _candor()["environment"].values())))}
    assert hosts - {"candor"} == {"qdrant", "postgres", "ollama"}
    assert {*_candor()["depends_on"]} == hosts - {"candor"} == {*services} - {"candor"}
    assert {line.split(":")[0] for each in services.values() for line in each["volumes"]} == {*volumes}
    assert all("healthcheck" in each for name, each in services.items() if name != "candor")
    assert all(port.startswith("127.0.0.1:") for each in services.values() for port in each.get("ports", []))


def test_the_image_runs_as_a_numbered_user_with_settings_that_exist_and_a_health_check():
    set_here = {pair.partition("=")[0] for rest in given("ENV") for pair in rest.split()}
    assert set_here - OF_OTHERS <= KNOWN
    assert given("USER") == ["10001:10001"]
    assert any(probe in given("HEALTHCHECK")[0] for probe in PROBES)
    assert _names_of(commands) >= {given("CMD")[0].strip('[]"')}


def test_the_image_is_built_of_files_that_are_there_and_that_docker_is_shown():
    copied = {name for rest in given("COPY") if not rest.startswith("--from") for name in rest.split()[:-1]}
    shown = {line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] == "!"}
    assert [name for name in copied if not (ROOT / name).exists()] == []
    assert copied == shown
    served = {"app.py", "server.py", "pages", "dashboard", "samples", ".streamlit"}
    assert served <= copied


def test_kubernetes_starts_one_candor_with_settings_and_probes_that_exist():
    spec = deployment()
    (container,) = spec["template"]["spec"]["containers"]
    assert (spec["replicas"], spec["strategy"]["type"]) == (1, "Recreate")
    assert {each["name"] for each in container["env"]} <= KNOWN
    probes = ("startupProbe", "readinessProbe", "livenessProbe")
    assert {container[name]["httpGet"]["path"] for name in probes} == PROBES
    assert spec["template"]["spec"]["securityContext"]["runAsNonRoot"] is True


def test_the_unit_of_systemd_starts_a_command_that_exists_with_settings_that_exist():
    unit = (ROOT / "deploy" / "candor.service").read_text()
    (started,) = re.findall(r"^ExecStart=\S+/candor (\w+)$", unit, re.MULTILINE)
    assert started in _names_of(commands)
    assert {*re.findall(r"\bCANDOR_[A-Z_]+", unit)} <= KNOWN


def _candor() -> Any:
    return compose()["services"]["candor"]


def _names_of(app: Any) -> set[str]:
    from typer.main import get_command

    return {*get_command(app).commands}  # type: ignore[attr-defined]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the Makefile and an environment whose programs write down how they were called."""
    binaries = tmp_path / ".venv" / "bin"
    binaries.mkdir(parents=True)
    for name in ("pyproject.toml", "constraints.txt", "Makefile"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("python", "pip", "candor"):
        program = binaries / name
        program.write_text(f'#!/bin/sh\necho "{name} $*|PORT=$PORT|HUB=$HF_HUB_OFFLINE" >> {tmp_path}/asked\n')
        program.chmod(0o755)
    return tmp_path


def make(project: Path, *arguments: str, **environment: str) -> tuple[int, str, list[list[str]]]:
    """Run make; return its exit code, what it complained of, and the calls of programs since."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PORT", "HF_HUB_OFFLINE", "MAKEFLAGS")}
    asked = project / "asked"
    asked.unlink(missing_ok=True)
    done = subprocess.run(
        ["make", *arguments], cwd=project, env={**kept, **environment}, capture_output=True, text=True, check=False
    )
    calls = asked.read_text().splitlines() if asked.exists() else []
    return done.returncode, done.stderr, [call.split("|") for call in calls]


def test_run_installs_ingests_and_serves_and_the_next_time_installs_nothing(project: Path) -> None:
    code, _, (install, ingest, serve) = make(project, "run", PORT="9123")
    assert code == 0
    assert install[0].endswith("--constraint constraints.txt torch --editable .[ocr]")
    assert ingest == ["candor ingest --if-empty samples", "PORT=9123", "HUB="]
    assert serve == ["candor serve", "PORT=9123", "HUB="]
    _, _, again = make(project, "run", "PORT=9124")
    assert [call[:2] for call in again] == [
        ["candor ingest --if-empty samples", "PORT=9124"],
        ["candor serve", "PORT=9124"],
    ]


def test_an_installation_that_was_cut_off_is_done_again(project: Path) -> None:
    (project / ".venv" / "bin" / "python").write_text("#!/bin/sh\nexit 130\n")
    assert make(project, "run")[0] != 0
    (project / ".venv" / "bin" / "python").write_text(f'#!/bin/sh\necho "python $*" >> {project}/asked\n')
    assert "--editable ." in make(project, "run")[2][0][0]
