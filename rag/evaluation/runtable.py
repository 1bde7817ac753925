"""The finished runs of `candor evaluate` as a table."""

from pathlib import Path

import pandas as pd

from rag.evaluation.runlist import run_files, runs_in
from rag.evaluation.runs import run_name

_COLUMNS = {
    "name": "str",
    "dataset": "str",
    "started_at": "datetime64[us, UTC]",
    "questions": "int64",
    "answerable": "int64",
    "unanswerable": "int64",
    "coverage": "float64",
    "false_answer_rate": "float64",
    "false_answer_upper": "float64",
    "auroc": "float64",
    "path": "str",
}


def runs_table(folder: Path) -> pd.DataFrame:
    """Return the finished runs, in the folder or noted there, the latest first; the columns are there without any.

    Args:
        folder: `data_dir/runs`; may be missing.

    Raises:
        ConfigurationError: A run, or the list of runs elsewhere, cannot be read.
    """
    names = {path: name for name, path in run_files(folder).items()}
    rows = []
    for path, run in runs_in(folder):
        if run.summary is not None:
            figures = run.summary.figures
            rows.append(
                [names.get(path, run_name(path)), run.dataset, run.started_at, run.summary.questions,
                 run.summary.answerable, run.summary.unanswerable, figures.coverage.value,
                 figures.false_answer_rate.value, figures.false_answer_rate.upper_bound, run.summary.auroc.value,
                 str(path)]
            )  # fmt: skip
    return pd.DataFrame(rows, columns=[*_COLUMNS]).astype(_COLUMNS)
