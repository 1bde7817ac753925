"""The command line: as thin as a page. Reads arguments, makes one call, prints.

With `--json` one JSON object on standard output and nothing else; progress and complaints go to standard error.
Exit codes: 0 done, 1 the person can fix it, 2 a service is missing.
"""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag.errors import CandorError, InvalidQuery

if TYPE_CHECKING:
    from rag.candor import Candor
    from rag.stored import Promotion

app = typer.Typer(
    name="candor",
    help="Answers questions over your own documents, cites every sentence, and says so when it cannot.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
INTERRUPTED = 130
"""Exit code of a command that was interrupted, as shells know it."""
_NO_TEXT = (b"%PDF-", b"PK\x03\x04", b"\x89PNG", b"\xff\xd8\xff", b"\x7fELF")
"""First bytes of what people take for a text file by mistake."""
UsageError: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
"""What is raised for arguments that cannot be understood: the base of typer's own errors, which it does not export."""
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


class ModeOption(StrEnum):
    """The modes of a question, as the command line names them."""

    BOOK_WIDE = "book-wide"
    CHAPTER_AWARE = "chapter-aware"
    SELECTED_TEXT_ONLY = "selected-text-only"


class EstimatorOption(StrEnum):
    """The gate's estimators, as the command line names them."""

    MEAN_SIMILARITY = "mean_similarity"
    MAX_SIMILARITY = "max_similarity"
    CALIBRATED = "calibrated"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; an expected error is one clear line and its exit code, never a traceback."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        _require_text(given)
        code = app(args=given, prog_name="candor", standalone_mode=False)
    except CandorError as error:
        _print_error(error, as_json="--json" in given)
        typer.echo(f"{error.error_code}: {error.message}", err=True)
        sys.exit(error.exit_code)
    except UsageError as error:
        wrong = InvalidQuery(_usage(error))
        _print_error(wrong, as_json="--json" in given)
        typer.echo(f"{wrong.error_code}: {wrong.message}", err=True)
        sys.exit(wrong.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    if code == INTERRUPTED:
        typer.echo("Interrupted; what was done is kept.", err=True)
    sys.exit(code)


def _require_text(arguments: Sequence[str]) -> None:
    """Refuse an argument whose bytes are not UTF-8, unless it is the path of a file: what to do then is told of it."""
    for number, argument in enumerate(arguments, start=1):
        try:
            argument.encode()
        except UnicodeEncodeError as error:
            if not Path(argument).exists():
                shown = os.fsencode(argument)[:80].decode("utf-8", "backslashreplace")
                raise InvalidQuery(
                    f"Argument {number}, '{shown}', is not valid UTF-8. Type it in a terminal that is set to UTF-8, "
                    f"or convert it, as with `iconv -t UTF-8`."
                ) from error


def _usage(error: Any) -> str:
    """Return in one line what could not be understood, and which help explains it."""
    message = " ".join(error.format_message().split()).rstrip(".")
    path = error.ctx.command_path if getattr(error, "ctx", None) else "candor"
    return f"{message}. `{path} --help` explains the arguments."


def _print_error(error: CandorError, *, as_json: bool) -> None:
    if as_json:
        from rag.present import error_object

        _print_json(error_object(error))


@contextmanager
def _opened() -> "Iterator[Candor]":
    from rag.candor import Candor

    with Candor.open() as candor:
        yield candor


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, default=str))


@app.command()
def ingest(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Files and folders: .pdf .docx .html .md .txt", show_default=False)
    ] = None,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Ingest unchanged files again too; without a path: all that is indexed.")
    ] = False,
    prune: Annotated[bool, typer.Option("--prune", help="Remove documents whose file is gone from a folder.")] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Let a file take the place of another of its name in another folder.")
    ] = False,
    if_empty: Annotated[bool, typer.Option("--if-empty", help="Only where nothing is indexed yet.")] = False,
    as_json: AsJson = False,
) -> None:
    """Bring files and folders into the index; unchanged files are skipped, changed ones replaced."""
    from rag.firstingest import first_ingest
    from rag.progress import bar

    if not paths and not rebuild:
        raise InvalidQuery("Name the files or folders to ingest; `candor ingest --rebuild` takes all that is indexed.")
    with _opened() as candor, bar(quiet=as_json) as progress:
        if not paths:
            report = candor.rebuild(progress=progress)
        elif if_empty:
            report = first_ingest(candor, paths, progress=progress)
        else:
            report = candor.ingest(paths, progress=progress, force=rebuild, prune=prune, replace=replace)
        has_documents = bool(report.files) or bool(candor.documents())
    if paths and not report.files and not (if_empty and has_documents):
        raise _nothing_found(paths)
    if as_json:
        _print_json(report.model_dump(mode="json"))
    elif not report.files:
        typer.echo(
            "Documents are indexed already: nothing was ingested." if if_empty else "Nothing is indexed: nothing to do."
        )
    else:
        from rag.present import ingest_text

        typer.echo(ingest_text(report))
    if report.failed:
        raise typer.Exit(1)


def _nothing_found(paths: Sequence[Path]) -> CandorError:
    from rag.errors import InvalidDocument
    from rag.ingest.loaders import SUPPORTED_SUFFIXES

    named = ", ".join(repr(str(path)) for path in paths)
    return InvalidDocument(
        f"No files found to ingest in {named}. Candor reads {' '.join(SUPPORTED_SUFFIXES)}; files and folders whose "
        f"name begins with a dot are skipped."
    )


@app.command()
def documents(as_json: AsJson = False) -> None:
    """List what is indexed."""
    with _opened() as candor:
        found = candor.documents()
    if as_json:
        _print_json([record.model_dump(mode="json") for record in found])
    else:
        from rag.present import documents_text

        typer.echo(documents_text(found))


@app.command()
def forget(
    name: Annotated[str, typer.Argument(help="File name of the document, as 'candor documents' lists it.")],
    as_json: AsJson = False,
) -> None:
    """Remove a document and every chunk of it."""
    with _opened() as candor:
        candor.forget(name)
    if as_json:
        _print_json({"document": name, "removed": True})
    else:
        typer.echo(f"Removed {name}.")


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="The question.")],
    top_k: Annotated[int | None, typer.Option(help="Chunks that the answer may rest on, 1 to 20.")] = None,
    source: Annotated[str | None, typer.Option(help="Only this document.")] = None,
    chapter: Annotated[int | None, typer.Option(help="Only this chapter; with chapter-aware: preferably.")] = None,
    section: Annotated[str | None, typer.Option(help="Only this section, by number or title.")] = None,
    module: Annotated[str | None, typer.Option(help="Only documents of this module.")] = None,
    page: Annotated[int | None, typer.Option(help="Only this page.")] = None,
    similarity_threshold: Annotated[float | None, typer.Option(help="Drop chunks less similar, 0 to 1.")] = None,
    confidence_threshold: Annotated[float | None, typer.Option(help="Refuse below this confidence, 0 to 1.")] = None,
    estimator: Annotated[EstimatorOption | None, typer.Option(help="How confidence is computed.")] = None,
    mode: Annotated[ModeOption | None, typer.Option(help="Where the answer may come from; default: book-wide.")] = None,
    context_file: Annotated[Path | None, typer.Option(help="A text file: the answer comes from it only.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Longest answer of a model, 1 to 2000.")] = None,
    temperature: Annotated[float | None, typer.Option(help="Sampling temperature of a model, 0 to 1.")] = None,
    seed: Annotated[int | None, typer.Option(help="Sampling seed of a model; default: CANDOR_SEED or 0.")] = None,
    no_llm: Annotated[bool, typer.Option("--no-llm", help="Quote only, even where a model answers.")] = False,
    as_json: AsJson = False,
) -> None:
    """Ask a question; the answer has a source for every sentence, a refusal has its reason."""
    filters = {"source": source, "chapter": chapter, "section": section, "module": module, "page": page}
    options: dict[str, Any] = {
        "top_k": top_k,
        "filters": {name: value for name, value in filters.items() if value is not None},
        "similarity_threshold": similarity_threshold,
        "confidence_threshold": confidence_threshold,
        "estimator": estimator.value if estimator else None,
        "mode": _mode_of(mode, context_file).value,
        "context": _read_context(context_file),
        "max_tokens": max_tokens,
        "temperature": temperature,
        "seed": seed,
        "no_llm": no_llm,
    }
    with _opened() as candor:
        promotion = candor.put_in_force()
        _require_known_filters(candor, question, options)
        answer = candor.ask(question, **options)
        answer = answer.model_copy(update={"notes": (*answer.notes, *_in_force(promotion))})
        if as_json:
            typer.echo(answer.model_dump_json())
        else:
            from rag.present import answer_text

            typer.echo(answer_text(answer))
        if answer.query.mode.value != ModeOption.SELECTED_TEXT_ONLY:
            _warn_of_old_documents(candor)


def _in_force(promotion: "Promotion | None") -> Sequence[str]:
    """Return the note that says which promoted settings the answer was made with."""
    if promotion is None:
        return ()
    named = ", ".join(f"{name} {value}" for name, value in promotion.settings.items() if value is not None)
    return (f"Promotion {promotion.number} is in force: {named}.",)


def _warn_of_old_documents(candor: "Candor") -> None:
    """Say it where some of the index was read by another version of Candor."""
    from rag.ingest.version import outdated_notice

    notice = outdated_notice(candor.wiring.catalogue)
    if notice:
        typer.echo(notice, err=True)


def _mode_of(mode: ModeOption | None, context_file: Path | None) -> ModeOption:
    """Return the mode of a question; a text file alone means that only it may answer."""
    if context_file and mode not in (None, ModeOption.SELECTED_TEXT_ONLY):
        raise InvalidQuery(
            f"--context-file {str(context_file)!r} would not be read with --mode {mode.value}: an answer comes from "
            f"the file only. Leave out --mode, or leave out --context-file.",
            details={"field": "mode"},
        )
    return mode or (ModeOption.SELECTED_TEXT_ONLY if context_file else ModeOption.BOOK_WIDE)


def _require_known_filters(candor: "Candor", question: str, options: dict[str, Any]) -> None:
    """Refuse filter values that the index does not hold, as retrieval does for a chapter."""
    if not options["filters"] or options["mode"] == ModeOption.SELECTED_TEXT_ONLY:
        return
    from rag.known import require_known

    query = candor.query(question, **options)
    require_known(query.filters, store=candor.wiring.fitting_store, catalogue=candor.wiring.catalogue)


def _read_context(path: Path | None) -> str | None:
    if path is None:
        return None
    from rag.ingest.loaders.cleaning import decode

    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidQuery(
            f"The selected text in {str(path)!r} cannot be read: {error.strerror}. Check the path and its permissions."
        ) from error
    if data.startswith(_NO_TEXT):
        raise InvalidQuery(
            f"{str(path)!r} is no text file. Ingest it with `candor ingest`, and ask with --source; or save its text."
        )
    return decode(data)


@app.command()
def health(as_json: AsJson = False) -> None:
    """Say what works: exit code 0 healthy, 1 degraded, 2 unavailable. Beside a running server: what that one says."""
    with _opened() as candor:
        found = candor.health()
        if candor.is_index_in_use():
            from rag.holder import health_beside

            chosen = candor.settings
            found = health_beside(found, chosen.data_dir / "index", configured=f"http://{chosen.host}:{chosen.port}")
    if as_json:
        typer.echo(found.model_dump_json())
    else:
        from rag.present import health_text

        typer.echo(health_text(found))
    raise typer.Exit({"healthy": 0, "degraded": 1, "unavailable": 2}[found.status])


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on; default: CANDOR_HOST or 127.0.0.1.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; default: CANDOR_PORT or 8501.")] = None,
) -> None:
    """Serve the dashboard and the HTTP API."""
    from rag.serving import serve as run

    run(host=host, port=port)


@app.command()
def evaluate(
    dataset: Annotated[Path, typer.Argument(help="A folder with documents/ and questions.jsonl.")],
    out: Annotated[Path | None, typer.Option(help="Write a line for each question here.")] = None,
    limit: Annotated[int | None, typer.Option(help="Only the first so many questions.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask all again, also where --out has lines already.")] = False,
    as_json: AsJson = False,
) -> None:
    """Ask every question of a data set with the shipped settings and print the figures."""
    from rag.evaluation.own_index import run
    from rag.evaluation.table import table
    from rag.progress import bar, counter
    from rag.settings import load_settings

    settings = load_settings()
    target = out or settings.data_dir / "runs" / f"{dataset.resolve().name}.jsonl"
    with bar(quiet=as_json) as ingesting, counter("question", quiet=as_json) as asking:
        found = run(
            dataset, settings, out=target, limit=limit, resume=not fresh, progress=asking, ingest_progress=ingesting
        )
    if as_json:
        _print_json(found.summary.model_dump(mode="json"))
    else:
        typer.echo(table(found.summary))
        typer.echo(f"Lines: {target}")


@app.command()
def compare(
    run_a: Annotated[Path, typer.Argument(help="Lines of the earlier run.")],
    run_b: Annotated[Path, typer.Argument(help="Lines of the later run.")],
    as_json: AsJson = False,
) -> None:
    """Compare two evaluation runs question by question, with a plain verdict."""
    from rag.evaluation.compare import compare as compare_runs
    from rag.evaluation.compare import comparison_table
    from rag.evaluation.runs import load_run

    found = compare_runs(load_run(run_a), load_run(run_b))
    if as_json:
        _print_json(found.model_dump(mode="json"))
    else:
        typer.echo(comparison_table(found))


@app.command()
def calibrate(
    datasets: Annotated[list[Path], typer.Argument(help="Folders with documents/ and labelled questions.jsonl.")],
    max_false_answer_rate: Annotated[float, typer.Option(help="The rate of false answers to keep.")] = 0.05,
    threshold_on: Annotated[
        list[str] | None, typer.Option(help="Data sets whose unanswerable questions decide the threshold.")
    ] = None,
    horizon: Annotated[
        int | None,
        typer.Option(help="Keep the rate among so many unanswerable questions to come; default: in the long run."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Fit the gate on labelled questions and write it where the pipeline reads it."""
    from rag.evaluation.fitting import fit_gate
    from rag.progress import counter
    from rag.settings import load_settings

    with counter("question", quiet=as_json) as progress:
        found = fit_gate(
            datasets,
            load_settings(),
            max_false_answer_rate=max_false_answer_rate,
            threshold_on=threshold_on or [],
            horizon=horizon,
            progress=progress,
        )
    if as_json:
        _print_json(found.model_dump(mode="json"))
    else:
        from rag.present import calibration_text

        typer.echo(calibration_text(found))


@app.command()
def ground(
    claims: Annotated[Path, typer.Option(help='Lines of {"claim": ..., "evidence": ...}.')],
    out: Annotated[Path, typer.Option(help='Lines of {"supported": ..., "support": ...}, in the same order.')],
) -> None:
    """Check claims against their evidence, a line each."""
    from rag.claimfile import ground_file
    from rag.settings import load_settings
    from rag.wiring import Wiring

    checked, supported = ground_file(claims, out, check=Wiring(load_settings()).claim_check)
    typer.echo(f"{supported} of {checked} claims are supported: {out}", err=True)


@app.command()
def mcp() -> None:
    """Serve ask, retrieve and list_documents to MCP clients over standard input and output."""
    from rag.mcp_server import run

    run()


keys = typer.Typer(help="API keys: create, list, revoke.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(keys, name="keys")


@keys.command("create")
def create_key(
    name: Annotated[str, typer.Argument(help="Whose key it is.")],
    role: Annotated[str, typer.Option(help="ask, evaluate or admin.")] = "ask",
    as_json: AsJson = False,
) -> None:
    """Make a key; its token is shown once and never again."""
    from rag.keycommands import create_key as create

    made = create(name, role)
    if as_json:
        _print_json({"key_id": made.key.key_id, "token": made.token})
    else:
        typer.echo(
            f"{made.token}\nKeep it: it is not shown again. Revoke it with 'candor keys revoke {made.key.key_id}'."
        )


@keys.command("list")
def list_keys(as_json: AsJson = False) -> None:
    """List the keys, revoked ones included."""
    from rag.keycommands import list_keys as listed

    found = listed()
    if as_json:
        _print_json([key.model_dump(mode="json") for key in found])
    else:
        from rag.present import keys_text

        typer.echo(keys_text(found))


@keys.command("revoke")
def revoke_key(key_id: Annotated[str, typer.Argument(help="Id of the key, as 'candor keys list' shows it.")]) -> None:
    """Refuse a key from now on."""
    from rag.keycommands import revoke_key as revoke

    revoke(key_id)
    typer.echo(f"Revoked {key_id}.")


@app.command()
def bench(
    samples: Annotated[Path, typer.Option(help="Documents whose sentences make the corpus.")] = Path("samples"),
    chunks: Annotated[int, typer.Option(help="About how many chunks to index.")] = 4000,
    as_json: AsJson = False,
) -> None:
    """Measure the figures that the README quotes, on this machine."""
    from rag.bench import run_benchmark
    from rag.settings import load_settings

    figures = run_benchmark(load_settings(), samples, chunks=chunks)
    if as_json:
        _print_json([figure.model_dump() for figure in figures])
        return
    for figure in figures:
        typer.echo(f"{figure.name:64} {figure.value:10.2f} {figure.unit:9} {figure.detail}")
