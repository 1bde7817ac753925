"""`candor calibrate`: from folders of labelled questions to the fit that the pipeline reads."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pydantic import Field

from rag.candor import Candor
from rag.confidence.calibrated import FILE_NAME, UNPROVEN, load_fit
from rag.confidence.drift import IndexState, index_state
from rag.errors import ConfigurationError
from rag.evaluation.calibration import Calibration, Counted, calibrate, counted_by, require_rates
from rag.evaluation.datasets import load_dataset
from rag.evaluation.labelled import Labelled, Part, collect, of_corpora, once, require_enough, without_known
from rag.evaluation.own_index import opened
from rag.evaluation.risk import Horizon
from rag.evaluation.runs import replace_text
from rag.settings import Settings
from rag.text.counted import several

FEW_DOCUMENTS = 10  # below so many it is said that the questions which decide a threshold are about few documents


class Fitted(Calibration):
    """A fit, where it was written, and which gate decides now."""

    path: Path = Field(description="The file of the fit.")
    in_force: bool = Field(description="Whether it decides now; a threshold that is set goes before its own.")
    gate: str = Field(description="Which gate decides now, in words.")
    shared_documents: float | None = Field(description="Share of the indexed documents it was fitted on; null: none.")
    before: dict[str, Counted] = Field(description="The same by the gate of before, not out of fold; empty: no gate.")
    notes: tuple[str, ...] = Field(description="What is in force now and what the guarantee is about, in words.")
    next_steps: tuple[str, ...] = Field(description="How to change that, in words.")


_IN_FORCE = {True: "In force from now on", False: "The gate of estimator 'calibrated' from now on"}


def fit_gate(
    folders: Sequence[Path],
    settings: Settings,
    *,
    max_false_answer_rate: float,
    max_refused_rate: float = 0.1,
    threshold_on: Sequence[str] = (),
    horizon: Horizon = "as labelled",
    without_guarantee: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Fitted:
    """Fit the gate on data sets, each in an index of its own, and put it in force where its threshold is proven.

    A fit without a proven threshold, or one that answers none of the answerable questions, is written beside
    (`UNPROVEN`), so that no gate that keeps a rate, or answers something, gives way to it.

    Args:
        folders: Data sets.
        settings: Where the fit is written: `gate_dir`, by default the data folder.
        max_false_answer_rate, max_refused_rate, threshold_on, horizon: As for `rag.evaluation.calibration.calibrate`.
        without_guarantee: Put it in force also where nothing is proven of its threshold; not where it answers nothing.
        progress: Told how far each data set is.

    Raises:
        ConfigurationError: As `calibrate`; or a data set is malformed, or `threshold_on` names none.
        ServiceUnavailable: The database of promotions or the catalogue cannot be read.
    """
    require_rates(max_false_answer_rate, max_refused_rate)
    _check(folders, threshold_on, max_false_answer_rate, horizon)
    use = _in_use(settings)
    asked = _collected(folders, settings, progress)
    found = calibrate(
        asked.rows,
        max_false_answer_rate=max_false_answer_rate,
        max_refused_rate=max_refused_rate,
        threshold_on=threshold_on,
        horizon=horizon,
        embedding=asked.embedding,
        reader=asked.reader,
        indexes=[*filter(None, [use.index]), *asked.indexes],
    )
    cautions = _cautions(asked, threshold_on, use)
    return _put_in_force(found, asked, use, settings, cautions, without_guarantee=without_guarantee)


@dataclass(frozen=True)
class _Use:
    """What decides before a fit is written: the settings in force, a gate that was promoted, what the index holds."""

    settings: Settings
    promoted: Path | None = None
    index: IndexState | None = None
    versions: Sequence[tuple[str, str]] = ()


@dataclass
class _Collected:
    rows: list[Labelled] = field(default_factory=list)
    indexes: list[IndexState] = field(default_factory=list)
    documents: set[tuple[str, str]] = field(default_factory=set)
    embedding: str = ""
    reader: str = ""
    repeated: int = 0


def _collected(folders: Sequence[Path], settings: Settings, progress: Callable[[int, int], None] | None) -> _Collected:
    """Ask every data set's index its questions, each once; return their signals and what the indexes hold."""
    found, known, parts = _Collected(), set[tuple[str, bool | None]](), list[Part]()
    # no gate of before decides anything, and the shipped one need not know the reader
    ungated = settings.model_copy(update={"gate_dir": settings.data_dir / "evaluation", "confidence_threshold": 1.0})
    for folder in folders:
        with opened(folder, ungated) as (candor, dataset, _):
            wiring = candor.wiring
            found.embedding, found.reader = wiring.embedder.fingerprint, wiring.reader_name
            new = without_known(dataset, known)
            found.repeated += len(once(dataset.questions)) - len(new.questions)
            rows = [*collect(new, partial(candor.retrieve, estimator="calibrated"), progress=progress)]
            parts.append(Part(rows, wiring.catalogue.versions()))
            found.indexes += filter(None, [index_state(wiring.catalogue)])
            found.documents |= {*parts[-1].versions}
    found.rows = of_corpora(parts)
    return found


def _put_in_force(
    found: Calibration, asked: _Collected, use: _Use, settings: Settings, cautions: Iterable[str],
    *, without_guarantee: bool,
) -> Fitted:  # fmt: skip
    """Write a fit where it decides, or beside, and return it with what decides now."""
    answers_nothing = not any(one.coverage.numerator for one in found.counted.values())  # out of fold
    wanted = (found.control.threshold is not None or without_guarantee) and not answers_nothing
    target = settings.gate_home / (FILE_NAME if wanted else UNPROVEN)
    before = _before(use.settings, asked)  # of the gate that this one may take the place of
    target.parent.mkdir(parents=True, exist_ok=True)
    replace_text(target, found.fit.text())
    decides = wanted and use.promoted is None
    is_asked = use.settings.estimator == "calibrated"
    begin = _IN_FORCE[is_asked] if decides else "NOT put in force; what decides stays"
    gate = _gate_in_words(use.promoted or settings.gate_home, reader=asked.reader)
    if not wanted:
        next_step = _how_to_use(found, target, answers_nothing=answers_nothing)
    elif use.promoted is None:
        next_step = f"Delete {target} to go back to the shipped gate."
    else:
        next_step = (
            f"This fit is kept in {target}, but the gate {use.promoted} was promoted in the dashboard, which goes "
            "before. Undo that promotion on Evaluate to let this one decide."
        )
    return Fitted(
        **dict(found), path=target, in_force=decides and is_asked, gate=gate, shared_documents=_shared(asked, use),
        before=before, notes=(f"{begin}: {gate}.", *cautions), next_steps=(next_step,),
    )  # fmt: skip


def _shared(asked: _Collected, use: _Use) -> float | None:
    """Return the share of the indexed documents that a fit was made on; None without documents."""
    return len({*use.versions} & asked.documents) / len(use.versions) if use.versions else None


def _before(settings: Settings, asked: _Collected) -> dict[str, Counted]:
    """Return what the gate in force does to the same questions; nothing where none can be used or none decides."""
    if settings.estimator != "calibrated":
        return {}
    try:
        now = load_fit(settings.gate_home, reader=asked.reader, decides=settings.confidence_threshold is None)
    except ConfigurationError:
        return {}
    return counted_by(now.fit, asked.rows, threshold=settings.confidence_threshold)


def _in_use(settings: Settings) -> _Use:
    if not settings.database_url and not settings.data_dir.is_dir():
        return _Use(settings)
    with Candor.open(settings) as own:
        own.put_in_force()
        promoted = None if own.settings.gate_dir == settings.gate_dir else own.settings.gate_dir
        if not settings.database_url and not (settings.data_dir / "catalogue.db").is_file():
            return _Use(own.settings, promoted)
        catalogue = own.wiring.catalogue
        return _Use(own.settings, promoted, index_state(catalogue), catalogue.versions())


def _gate_in_words(folder: Path, *, reader: str) -> str:
    """Return which gate the pipeline takes from a folder, with its thresholds."""
    try:
        found = load_fit(folder, reader=reader)
    except ConfigurationError as error:  # the fit is not lost over a gate that it was meant to replace
        return f"none: {error.message}"
    whose = str(folder / FILE_NAME) if found.is_own else "the gate that came with Candor"
    return (
        f"{whose}, threshold {found.fit.threshold:.4f}, for at most {found.fit.max_false_answer_rate:.1%} false "
        f"answers, unsure from {found.fit.unsure_threshold:.4f} on"
    )


def _cautions(asked: _Collected, threshold_on: Sequence[str], used: _Use) -> Iterator[str]:
    """Yield what keeps the figures from being about the questions to come, or the fit from deciding."""
    shared, use = _shared(asked, used), used.settings
    set_thresholds = {"confidence threshold": use.confidence_threshold, "threshold of unsure": use.unsure_threshold}
    if shared is not None and shared < 1:
        yield (
            f"Of the documents of your index {shared:.0%} are among those that it was fitted on: about the others the "
            "threshold keeps its rate only as far as their questions are like these. Label questions of your own."
        )
    if use.estimator != "calibrated":
        yield f"But the estimator in use is {use.estimator!r}, which uses no fit: set 'calibrated'."
    for name, value in set_thresholds.items():
        if value is not None:
            yield f"But the {name} is set to {value}, which goes before that of any fit: unset it to use the fit's."
    deciding = [row for row in asked.rows if not row.answerable and (not threshold_on or row.dataset in threshold_on)]
    documents = len({row.group for row in deciding})
    if documents < FEW_DOCUMENTS:
        yield (
            f"The {several(len(deciding), 'unanswerable question')} that decide the threshold are about "
            f"{several(documents, 'document')}: questions about one text are less independent than the bound assumes."
        )
    if asked.repeated:
        yield (
            f"{several(asked.repeated, 'question')} with the words and the label of one in another data set: left out, "
            "for the same label proves nothing new."
        )


def _how_to_use(found: Calibration, target: Path, *, answers_nothing: bool) -> str:
    """Return what a fit that is not put in force lacks, and how to use it."""
    if answers_nothing:
        count = sum(one.coverage.denominator for one in found.counted.values())
        return (
            f"Its threshold {found.fit.threshold:.4f} answers none of the {count} answerable questions: such a gate is "
            "not put in force. Label questions of more documents, or let more false answers pass "
            f"(--max-false-answer-rate), then calibrate again. This fit is kept in {target}."
        )
    needed = found.control.needed
    more = f"Label {needed} more unanswerable questions at least, then calibrate again. " if needed else ""
    return f"{more}This fit is kept in {target}; --without-guarantee puts such a fit in force."


def _check(folders: Sequence[Path], threshold_on: Sequence[str], target: float, horizon: Horizon) -> None:
    datasets = [load_dataset(folder) for folder in folders]
    known = sorted(dataset.name for dataset in datasets)
    if unknown := sorted(set(threshold_on) - set(known)):
        raise ConfigurationError(f"--threshold-on names {unknown}, which are not among the data sets {known}.")
    asked = once([question for dataset in datasets for question in dataset.questions])
    labels = [question.answerable for question in asked if question.answerable is not None]
    require_enough(labels, target=target, horizon=horizon)
