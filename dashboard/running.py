"""Evaluation runs in the background, and the data sets at hand. Imports no streamlit."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dashboard.jobs import Job
from rag.errors import ConfigurationError
from rag.evaluation.datasets import DataSet, load_dataset
from rag.evaluation.evaluating import evaluate_indexed
from rag.evaluation.evaluating import run as run_on_own_index
from rag.evaluation.runner import Evaluation
from rag.evaluation.runs import read_run
from rag.evaluation.testset import datasets_in, file_name
from rag.language.counted import several

if TYPE_CHECKING:
    from rag.candor import Candor

KIND = "evaluate"


def known_datasets(candor: "Candor") -> list[Path]:
    """Return the data sets at hand: those made here, then the samples beside the program."""
    uploaded = datasets_in(candor.settings.data_dir)
    samples = Path(__file__).resolve().parent.parent / "samples"
    return [*uploaded, *([samples] if (samples / "questions.jsonl").is_file() else [])]


def has_documents(folder: Path) -> bool:
    """Return whether a data set has documents, in `documents/` or beside its questions."""
    beside = (path for path in folder.iterdir() if path.is_file() and path.suffix != ".jsonl")
    return (folder / "documents").is_dir() or any(not path.name.startswith(".") for path in beside)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What `candor evaluate` can be told, and the settings that it takes from its environment."""

    name: str = ""
    """What the run is called, as `--out` names its file; empty: the data set and the moment."""
    limit: int | None = None
    """Only the first so many questions; None: all."""
    is_fresh: bool = False
    """Whether all questions are asked again, also where a run of this name has their answers."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Names and values of settings in place of those in force."""


def run_dataset(candor: "Candor", folder: Path, *, options: RunOptions, job: Job) -> Evaluation:
    """Ask the questions of a data set, and write the run where Evaluate and Tune find it.

    A data set with documents is asked of an index of its own; one without, of what is indexed now.

    Raises:
        ConfigurationError: It is no data set, or there is a run of this name over another one.
        IndexNotReady: It has no documents, and nothing is indexed.
    """
    dataset = load_dataset(folder)
    settings = candor.settings.model_copy(update=dict(options.settings))
    out = _target(candor, dataset, options)
    job.holds |= {out.resolve()}

    def progress(done: int, total: int) -> None:
        job.tell(done, total, "asking")  # how many of how many stands before it

    if dataset.documents:
        job.tell(0, 0, f"indexing {several(len(dataset.documents), 'document')}")
        return run_on_own_index(
            folder, settings, out=out, limit=options.limit, resume=not options.is_fresh, progress=progress,
            ingest_progress=lambda now: job.tell(now.files_done, now.files_total, f"indexing {now.current}"),
        )  # fmt: skip
    return evaluate_indexed(
        candor, dataset, settings, out=out, limit=options.limit, resume=not options.is_fresh, progress=progress
    )


def _target(candor: "Candor", dataset: DataSet, options: RunOptions) -> Path:
    """Return the file of a run.

    Raises:
        ConfigurationError: There is a run of this name over another data set.
    """
    name = file_name(options.name) or f"{dataset.name}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    out = candor.settings.data_dir / "runs" / f"{name}.jsonl"
    before = None if options.is_fresh else read_run(out)
    if before is not None and before.dataset != dataset.name:
        raise ConfigurationError(
            f"The run {name!r} is over {before.dataset!r}, and this one is over {dataset.name!r}. "
            "Give it another name, or ask all again in its place."
        )
    return out
