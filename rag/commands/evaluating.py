"""`candor evaluate`, `compare`, `report`, `ground` and `bench`: figures."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from rag.commands.printing import AsJson, named_path, named_run, print_json


def evaluate(
    dataset: Annotated[
        Path, typer.Argument(help="A folder with questions.jsonl and documents.", parser=named_path, metavar="DATASET")
    ],
    out: Annotated[
        Path | None, typer.Option(help="Write a line for each question here.", parser=named_path, metavar="FILE")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Only the first so many questions, one or more.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask all again, also where --out has lines already.")] = False,
    as_json: AsJson = False,
) -> None:
    """Ask every question of a data set with the settings and the gate in force and print the figures."""
    from rag.commands.progress import bar, counter
    from rag.evaluation.evaluating import run
    from rag.evaluation.runlist import note_run
    from rag.evaluation.table import table
    from rag.language.counted import several
    from rag.settings import load_settings

    settings = load_settings()
    target = out or settings.data_dir / "runs" / f"{dataset.resolve().name}.jsonl"
    with bar(quiet=as_json) as ingesting, counter("question", quiet=as_json) as asking:
        found = run(
            dataset, settings, out=target, limit=limit, resume=not fresh, progress=asking, ingest_progress=ingesting
        )
    if found.resumed:
        were = "was" if found.resumed == 1 else "were"
        kept = f"{found.resumed} of {several(len(found.lines), 'answer')} {were} kept from the run before"
        typer.echo(f"{kept}: the times are of both. --fresh asks all again.", err=True)
    if as_json:
        print_json({**found.summary.model_dump(mode="json"), "decided": found.decided})
    else:
        typer.echo(table(found.summary))
        typer.echo("\n" + "\n".join(found.decided))
        typer.echo(f"Lines: {target}")
        if found.beyond:
            typer.echo(f"{found.beyond} more lines of an earlier run, beyond --limit, stay in that file.")
    note_run(settings.data_dir / "runs", target)  # so that the pages Evaluate and Tune list it


def compare(
    run_a: Annotated[Path, typer.Argument(help="Lines of the earlier run.", parser=named_run, metavar="RUN_A")],
    run_b: Annotated[Path, typer.Argument(help="Lines of the later run.", parser=named_run, metavar="RUN_B")],
    as_json: AsJson = False,
) -> None:
    """Compare two evaluation runs question by question, with a plain verdict."""
    from rag.evaluation.compare import compare_files, comparison_table

    found = compare_files(run_a, run_b)
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        typer.echo(comparison_table(found))
    if not found.paired:
        raise typer.Exit(1)


def report(
    out: Annotated[Path, typer.Option(help="Write the page here.", parser=named_path, metavar="FILE.html")],
    run: Annotated[Path | None, typer.Option(help="Lines of the run to show.", parser=named_run, metavar="RUN")] = None,
) -> None:
    """Write one page to print: what decides, how good it is, and who changed what and why."""
    from rag.commands.printing import opened
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
    claims: Annotated[
        Path, typer.Option(help='Lines of {"claim": ..., "evidence": ...}.', parser=named_path, metavar="FILE")
    ],
    out: Annotated[
        Path,
        typer.Option(
            help='Lines of {"supported": ..., "support": ...}, in the same order.', parser=named_path, metavar="FILE"
        ),
    ],
) -> None:
    """Check claims against their evidence, a line each."""
    from rag.commands.claim_file import ground_file
    from rag.settings import load_settings
    from rag.wiring import Wiring

    with closing(Wiring(load_settings())) as wiring:
        checked, supported = ground_file(claims, out, check=wiring.check)
    typer.echo(f"{supported} of {checked} claims are supported: {out}", err=True)


def bench(
    samples: Annotated[
        Path | None,
        typer.Option(
            help="Documents whose sentences make the corpus; default: the samples.", parser=named_path, metavar="PATH"
        ),
    ] = None,
    chunks: Annotated[int, typer.Option(min=1, help="About how many chunks to index.")] = 4000,
    as_json: AsJson = False,
) -> None:
    """Measure the figures that the README quotes, on this machine; with two cores it takes some ten minutes."""
    from rag.bench.run import run_benchmark
    from rag.process.product import samples_folder
    from rag.settings import load_settings

    corpus = samples or samples_folder()
    figures = run_benchmark(load_settings(), corpus, chunks=chunks, told=lambda step: typer.echo(step, err=True))
    if as_json:
        print_json({"figures": [figure.model_dump() for figure in figures]})
        return
    for figure in figures:
        typer.echo(f"{figure.name:66} {figure.value:10.2f} {figure.unit:9} {figure.detail}")
