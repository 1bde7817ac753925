"""`candor evaluate`, `compare`, `report`, `ground` and `bench`: figures; `calibrate` and `train`: better ones."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from rag.commands.printing import AsJson, bar, counter, named_run, opened, path_argument, path_option, tell
from rag.errors import InvalidQuery
from rag.settings import load_settings
from rag.text.counted import several

if TYPE_CHECKING:
    from rag.evaluation.risk import Horizon

RESTART = "Restart a running server to use this."
_REFUSED = "The share of the answerable questions that may be refused; above it: unsure."
_HORIZON = "Keep the rate among so many unanswerable questions to come; default: as many as decide it."
_LONG_RUN = "Keep the rate in the long run: what is observed scatters around it."
_DECIDING = "Data sets whose unanswerable questions decide the threshold."
_UNPROVEN = "Use the fit even if no threshold is proven."
_CORPUS = "Documents whose sentences make the corpus; default: the samples."
_LABELS = "Folders with documents/ and labelled questions.jsonl, beside what was judged in the dashboard."


def evaluate(
    dataset: Annotated[Path, path_argument("A folder with questions.jsonl and documents.", "DATASET")],
    out: Annotated[Path | None, path_option("Write a line for each question here.")] = None,
    limit: Annotated[int | None, Option(help="Most questions to ask, in file order; at least 1.")] = None,
    fresh: Annotated[bool, Option("--fresh", help="Ask all questions again, even if --out already has lines.")] = False,
    as_json: AsJson = False,
) -> None:
    """Ask every question of a data set with the settings and the gate in force and print the figures."""
    from rag.evaluation.own_index import run
    from rag.evaluation.runlist import note_run
    from rag.evaluation.table import table

    settings = load_settings()
    target = out or settings.data_dir / "runs" / f"{dataset.resolve().name}.jsonl"
    with bar(quiet=as_json) as ingesting, counter("question", quiet=as_json) as asking:
        found = run(
            dataset, settings, out=target, limit=limit, resume=not fresh, progress=asking, ingest_progress=ingesting
        )
    if found.resumed:
        were = "was" if found.resumed == 1 else "were"
        kept = f"{found.resumed} of {several(len(found.lines), 'answer')} {were} kept from the run before"
        typer.echo(f"{kept}, and the times include both. Use --fresh to ask all again.", err=True)
    told = [table(found.summary), "", *found.decided, f"Lines: {target}"]
    if found.beyond:
        told.append(f"{found.beyond} more lines of an earlier run, beyond --limit, stay in that file.")
    tell({**found.summary.model_dump(mode="json"), "decided": found.decided}, "\n".join(told), as_json=as_json)
    note_run(settings.data_dir / "runs", target)  # so that the pages Evaluate and Tune list it


def compare(
    run_a: Annotated[Path, typer.Argument(help="Lines of the earlier run.", parser=named_run, metavar="RUN_A")],
    run_b: Annotated[Path, typer.Argument(help="Lines of the later run.", parser=named_run, metavar="RUN_B")],
    as_json: AsJson = False,
) -> None:
    """Compare two evaluation runs question by question, with a plain verdict."""
    from rag.evaluation.compare import compare_files, comparison_table

    found = compare_files(run_a, run_b)
    tell(found.model_dump(mode="json"), comparison_table(found), as_json=as_json)
    if not found.paired:
        raise typer.Exit(1)


def report(
    out: Annotated[Path, path_option("Write the page here.", "FILE.html")],
    run: Annotated[Path | None, Option(help="Lines of the run to show.", parser=named_run, metavar="RUN")] = None,
) -> None:
    """Write one page to print: what decides, how good it is, and who changed what and why."""
    from rag.evaluation.runlist import runs_in
    from rag.evaluation.runs import load_run, replace_text, run_name
    from rag.evaluation.signing import report_page, to_show

    with opened() as candor:
        candor.put_in_force()
        listed = [(run, load_run(run))] if run else runs_in(candor.settings.data_dir / "runs")
        runs = {run_name(path): found for path, found in reversed(listed)}
        name = to_show(dict(reversed(runs.items())), candor)
        history = candor.wiring.sessions.promotions.history() if candor.wiring.has_sessions else []
        page = report_page(candor, history, runs.get(name), called=name)
    replace_text(out, page)
    typer.echo(f"Report: {out}", err=True)


def ground(
    claims: Annotated[Path, path_option('Lines of {"claim": ..., "evidence": ...}.')],
    out: Annotated[Path, path_option('Lines of {"supported": ..., "support": ...}, in the same order.')],
) -> None:
    """Check claims against their evidence, a line each."""
    from rag.commands.claim_file import ground_file
    from rag.wiring import Wiring

    with closing(Wiring(load_settings())) as wiring:
        checked, supported = ground_file(claims, out, check=wiring.check)
    typer.echo(f"{supported} of {checked} claims are supported: {out}", err=True)


def bench(
    samples: Annotated[Path | None, path_option(_CORPUS, "PATH")] = None,
    chunks: Annotated[int, Option(min=1, help="About how many chunks to index.")] = 4000,
    as_json: AsJson = False,
) -> None:
    """Measure the figures that the README quotes, on this machine; with two cores it takes some ten minutes."""
    from rag.bench.run import run_benchmark
    from rag.process.product import samples_folder

    figures = run_benchmark(
        load_settings(), samples or samples_folder(), chunks=chunks, told=lambda step: typer.echo(step, err=True)
    )
    lines = [f"{figure.name:66} {figure.value:10.2f} {figure.unit:9} {figure.detail}" for figure in figures]
    tell({"figures": [figure.model_dump() for figure in figures]}, "\n".join(lines), as_json=as_json)


def calibrate(
    datasets: Annotated[list[Path], path_argument("Folders with documents/ and labelled questions.jsonl.", "DATASETS")],
    max_false_answer_rate: Annotated[float, Option(help="The rate of false answers to keep.")] = 0.05,
    max_refused_rate: Annotated[float, Option(help=_REFUSED)] = 0.1,
    threshold_on: Annotated[list[str] | None, Option(help=_DECIDING)] = None,
    horizon: Annotated[int | None, Option(min=1, help=_HORIZON)] = None,
    long_run: Annotated[bool, Option("--long-run", help=_LONG_RUN)] = False,
    without_guarantee: Annotated[bool, Option("--without-guarantee", help=_UNPROVEN)] = False,
    as_json: AsJson = False,
) -> None:
    """Fit the gate on labelled questions; it is put in force where its threshold is proven, else kept (exit code 1)."""
    from rag.commands.present import calibration_text
    from rag.evaluation.fitting import fit_gate

    if horizon is not None and long_run:
        raise InvalidQuery(f"--horizon {horizon} and --long-run exclude each other. Use one of them.")
    until: Horizon = None if long_run else horizon or "as labelled"
    with counter("question", quiet=as_json) as progress:
        found = fit_gate(
            datasets, load_settings(), threshold_on=threshold_on or [], horizon=until, progress=progress,
            max_false_answer_rate=max_false_answer_rate, max_refused_rate=max_refused_rate,
            without_guarantee=without_guarantee,
        )  # fmt: skip
    tell(found.model_dump(mode="json"), calibration_text(found), as_json=as_json)
    if not found.in_force:
        raise typer.Exit(1)


def train(
    labels: Annotated[list[Path] | None, path_argument(_LABELS, "LABELS")] = None,
    force: Annotated[bool, Option("--force", help="Use what was learned even if it is not better.")] = False,
    undo: Annotated[bool, Option("--undo", help="Undo the last lesson.")] = False,
    as_json: AsJson = False,
) -> None:
    """Teach the reader what experts judged; it is put in force where it is better, else nothing changes (exit code 1).

    It takes 20 judged questions. The figures before and after are of questions that were not learned from.
    """
    from rag.commands.present import taught_text
    from rag.experts import teaching

    settings = load_settings()
    if undo:
        if labels or force:
            raise InvalidQuery("--undo only undoes the last lesson. Leave out all other arguments.")
        number = teaching.undo(settings)
        told = f"Lesson {number} was undone; the reader is as it was before. {RESTART}"
        tell({"undone": number}, told, as_json=as_json)
        return
    with counter("question", quiet=as_json) as progress:
        found = teaching.teach(labels or [], settings, force=force, progress=progress)
    told = taught_text(found) + (f"\n{RESTART}" if found.number is not None else "")
    tell({**found.model_dump(mode="json"), "is_better": found.comparison.is_better}, told, as_json=as_json)
    if found.number is None:
        raise typer.Exit(1)
