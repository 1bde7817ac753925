"""`candor train`: from labels that experts gave to a reader that judges more as they do."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Protocol, runtime_checkable

from pydantic import Field

from rag.candor import Candor
from rag.confidence.calibrated import load_fit
from rag.errors import ConfigurationError
from rag.evaluation.datasets import load_dataset
from rag.evaluation.own_index import opened
from rag.experts.examples import Judged, examples_of, of_labels, of_questions
from rag.experts.fitting import Comparison, Lesson, compared, learned
from rag.models import Value
from rag.process.data_folder import make_private
from rag.protocols import ReadingText
from rag.reader.head import Head, save_head
from rag.records.replacing import replace
from rag.settings import Settings

HERE: Final = "this index"  # whose questions those are that were asked here and judged
Progress = Callable[[int, int], None]


@runtime_checkable
class Teachable(Protocol):
    """A reader that can be taught: the shipped one."""

    @property
    def base_name(self) -> str:
        """Name and version of its weights."""

    def reading(self, question: str, texts: Sequence[ReadingText]) -> Any:
        """Return the `logits` that texts answer, shape `(n,)`, and their `pooled` vectors, shape `(n, 1536)`."""


class Taught(Value):
    """What was learned, what it is worth, and what became of it."""

    comparison: Comparison = Field(description="Before and after, on questions that were not learned from.")
    sources: dict[str, int] = Field(description="Judged questions by where they come from.")
    number: int | None = Field(description="Number of the lesson; null: it was not put in force.")
    path: Path = Field(description="The file that the reader takes it from.")
    gate_moved: bool = Field(description="Whether the gate in force was fitted on labels, and before this lesson.")


def teach(
    folders: Sequence[Path], settings: Settings, *, force: bool = False, progress: Progress | None = None
) -> Taught:
    """Teach the reader what experts judged, and put it in force where it is better.

    Args:
        folders: Data sets with labelled questions, beside the answers that were judged here.
        settings: Whose labels, and where it is kept.
        force: Use what was learned even if it is not better.
        progress: Told how many questions of each source are read.

    Raises:
        ConfigurationError: Too few labels, a data set is malformed, or another reader is in use.
        IndexNotReady: Another process has the index open.
    """
    for folder in folders:
        load_dataset(folder)
    untaught = settings.model_copy(update={"reader_head": settings.data_dir / "evaluation" / "untaught.json"})
    with Candor.open(untaught) as own:
        own.put_in_force()
        reader, in_force = _teachable(own), own.settings
        gate = load_fit(in_force.gate_home, reader=reader.base_name, decides=in_force.confidence_threshold is None)
        labels = own.wiring.sessions.labels.list() if own.wiring.has_sessions else []
        judged = of_labels(labels, own.wiring.recorder.read_answer)
        lessons = _lessons(own, judged, reader, name=HERE, progress=progress)
    sources = {HERE: len(lessons)} if lessons else {}
    for folder in folders:
        with opened(folder, untaught) as (candor, dataset, _):
            judged = of_questions(dataset.questions)
            found = _lessons(candor, judged, reader, name=dataset.name, progress=progress)
        sources[folder.resolve().name], lessons = len(found), [*lessons, *found]
    comparison = compared(lessons, gate=gate.fit, threshold=in_force.confidence_threshold)
    head = learned(lessons, reader=reader.base_name)
    number = put_in_force(settings, head) if comparison.is_better or force else None
    path = settings.head_file
    return Taught(comparison=comparison, sources=sources, number=number, path=path, gate_moved=gate.is_own)


def _teachable(candor: Candor) -> Teachable:
    reader = candor.wiring.reader
    if not isinstance(reader, Teachable):
        raise ConfigurationError(
            f"Only the reader that comes with Candor can be taught, and CANDOR_READER_MODEL is "
            f"{candor.settings.reader_model!r}. Unset it."
        )
    return reader


def _lessons(
    candor: Candor, judged: Sequence[Judged], reader: Teachable, *, name: str, progress: Progress | None
) -> list[Lesson]:
    """Return the questions for which windows were read, with what the reader makes of these."""
    lessons = []
    for example in examples_of(
        judged,
        lambda one: candor.retrieve(one.question, estimator="calibrated", filters=one.where),
        name=name,
        progress=progress,
    ):
        if example.texts:
            read = reader.reading(example.asked, example.texts)
            lessons.append(Lesson(example, read.logits, read.pooled))
    return lessons


FOLDER: Final = "reader-heads"


def put_in_force(settings: Settings, head: Head) -> int:
    """Let the reader judge with a head from now on; keep what stood there; return the number of the lesson.

    `ConfigurationError`: it cannot be written.
    """
    path, kept = settings.head_file, _kept(settings)
    number = int(kept[-1].stem) + 1 if kept else 1
    try:
        make_private(settings.data_dir)
        _folder(settings).mkdir(parents=True, exist_ok=True)
        former = path.read_text(encoding="utf-8") if path.is_file() else None
        replace(_folder(settings) / f"{number:04}.json", json.dumps({"head": former}).encode())
        save_head(path, head)
    except OSError as error:
        raise _unwritable(path, error) from error
    return number


def undo(settings: Settings) -> int:
    """Take the last lesson back; what was in force before it is again; return its number.

    Raises:
        ConfigurationError: There is none, or what was kept cannot be read or written.
    """
    kept = _kept(settings)
    if not kept:
        raise ConfigurationError(f"There is no lesson to take back: nothing is kept in {str(_folder(settings))!r}.")
    newest, path = kept[-1], settings.head_file
    try:
        former = json.loads(newest.read_text(encoding="utf-8"))["head"]
        if former is None:
            path.unlink(missing_ok=True)
        else:
            replace(path, former.encode())
        newest.unlink()
    except OSError as error:
        raise _unwritable(path, error) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigurationError(
            f"What was in force before cannot be read from {str(newest)!r}: {error}. Remove {str(path)!r} to let the "
            "reader judge as it came with Candor."
        ) from error
    return int(newest.stem)


def _folder(settings: Settings) -> Path:
    return settings.head_file.with_name(FOLDER)


def _kept(settings: Settings) -> list[Path]:
    found = _folder(settings).glob("*.json")
    return sorted((path for path in found if path.stem.isdecimal()), key=lambda path: int(path.stem))


def _unwritable(path: Path, error: OSError) -> ConfigurationError:
    return ConfigurationError(
        f"What the reader learned cannot be kept in {str(path)!r}: {error.strerror or error}. Check its folder, the "
        "permissions and the space on the disk."
    )
