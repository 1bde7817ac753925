"""Run the steps of the Dockerfile in a fresh folder, where no Docker is: `python scripts/prove_dockerfile.py FOLDER`.

`COPY` copies, `RUN` runs in a shell, `ENV` and `ARG` set variables; folders of the image stand below FOLDER. What an
image adds (another Python, another user) is not tried. A variable of the environment replaces the default of an `ARG`.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OF_THE_IMAGE = re.compile(r"(?<![\w./])/(?=(?:src|opt|data)\b)")
"""Where the path of a folder of the image begins."""


def steps(text: str) -> list[tuple[str, str]]:
    """Return the instructions of a Dockerfile with what they are given; lines that go on are joined."""
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    joined = "\n".join(lines).replace("\\\n", " ").splitlines()
    return [(name, rest) for name, _, rest in (line.strip().partition(" ") for line in joined if line.strip())]


def run(dockerfile: Path, image: Path) -> None:
    """Run all steps; end with the error of the first that fails."""
    image.mkdir(parents=True)
    variables, folder = dict(os.environ), image
    for name, given in steps(dockerfile.read_text(encoding="utf-8")):
        rest = OF_THE_IMAGE.sub(f"{image}/", given)
        if name == "ARG":
            key, _, value = rest.partition("=")
            variables.setdefault(key, value)
        elif name == "ENV":
            pairs = (pair.partition("=") for pair in rest.split())
            variables |= {key: value.replace("$PATH", variables["PATH"]) for key, _, value in pairs}
        elif name == "WORKDIR":
            folder = Path(rest)
            folder.mkdir(parents=True, exist_ok=True)
        elif name == "COPY" and not rest.startswith("--from"):
            _copy(rest.split(), folder)
        elif name == "RUN":
            sys.stdout.write(f"{name} {rest}\n")
            subprocess.run(["sh", "-ec", rest], cwd=folder, env=variables, check=True)  # noqa: S603, S607


def _copy(given: list[str], folder: Path) -> None:
    *sources, target = given
    for source in sources:
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, folder / target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / source, folder / target)


if __name__ == "__main__":
    run(ROOT / "Dockerfile", Path(sys.argv[1]).resolve())
