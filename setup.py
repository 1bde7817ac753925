"""The wheel: what `candor serve` serves stands in it as one folder of `rag`, beside nothing but `rag` and `api`.

All else about the package is in `pyproject.toml`.
"""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

SERVED = ("app.py", "server.py", "pages", "dashboard", "samples", ".streamlit")
"""The dashboard with its modules and its configuration, the server, and the sample documents."""


class BuildWithServed(build_py):
    """Copies what is served into `rag/served`; an editable install serves it from where it stands."""

    def run(self) -> None:
        """Build, then copy."""
        super().run()
        if self.editable_mode:
            return
        for name in SERVED:
            source, target = Path(name), Path(self.build_lib, "rag", "served", name)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)


setup(cmdclass={"build_py": BuildWithServed})
