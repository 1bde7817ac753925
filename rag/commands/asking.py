"""`candor ask`, its options checked before anything is loaded, and `candor unanswered`."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from rag.commands.printing import AsJson, opened, path_option, tell, watching
from rag.errors import InvalidQuery
from rag.models import EstimatorName, Mode

if TYPE_CHECKING:
    from rag.candor import Candor

Share = float | None
_CHAPTER = "Only this chapter; in chapter-aware mode, this chapter first."
_UNSURE = "Show passages that may answer if the confidence is at least this, else refuse; 0 to 1."
_MODE = "Where the answer may come from; default: book-wide."
_MODEL = "The model to use, such as `ollama/llama3.2:3b`; default: the configured one."
_AS_ASKED = "Read the question as written: no house words, no spelling correction."
_VERBOSE = "Show the figures, and which sentences were left out and why."


def ask(
    question: Annotated[str, typer.Argument(help="The question.")],
    top_k: Annotated[int | None, Option(help="Number of chunks to answer from, 1 to 20.")] = None,
    source: Annotated[str | None, Option(help="Only this document.")] = None,
    collection: Annotated[str | None, Option(help="Only the documents of this collection.")] = None,
    chapter: Annotated[int | None, Option(help=_CHAPTER)] = None,
    section: Annotated[str | None, Option(help="Only this section, by number or title.")] = None,
    module: Annotated[str | None, Option(help="Only documents of this module.")] = None,
    page: Annotated[int | None, Option(help="Only this page.")] = None,
    similarity_threshold: Annotated[Share, Option(help="Drop chunks less similar, 0 to 1.")] = None,
    confidence_threshold: Annotated[Share, Option(help="Answer if the confidence is at least this, 0 to 1.")] = None,
    unsure_threshold: Annotated[Share, Option(help=_UNSURE)] = None,
    estimator: Annotated[EstimatorName | None, Option(help="How confidence is computed.")] = None,
    mode: Annotated[Mode | None, Option(help=_MODE)] = None,
    context_file: Annotated[Path | None, path_option("A text file: the answer comes from it only.")] = None,
    max_tokens: Annotated[int | None, Option(help="Longest answer of a model, 1 to 2000.")] = None,
    temperature: Annotated[float | None, Option(help="Sampling temperature of a model, 0 to 1.")] = None,
    seed: Annotated[int | None, Option(help="Sampling seed of a model; default: CANDOR_SEED or 0.")] = None,
    model: Annotated[str | None, Option(help=_MODEL)] = None,
    no_llm: Annotated[bool, Option("--no-llm", help="Quote the documents; use no model.")] = False,
    as_asked: Annotated[bool, Option("--as-asked", help=_AS_ASKED)] = False,
    verbose: Annotated[bool, Option("--verbose", "-v", help=_VERBOSE)] = False,
    as_json: AsJson = False,
) -> None:
    """Ask a question: an answer has a source for every sentence, else you get what may answer or is nearest, and why.

    The exit code is 0 for each of these.
    """
    places = {"source": source, "collection": collection, "chapter": chapter, "section": section, "module": module,
              "page": page}  # fmt: skip
    options: dict[str, Any] = {
        "top_k": top_k, "similarity_threshold": similarity_threshold, "confidence_threshold": confidence_threshold,
        "unsure_threshold": unsure_threshold, "estimator": estimator, "max_tokens": max_tokens, "seed": seed,
        "temperature": temperature, "model": model, "no_llm": no_llm, "as_asked": as_asked,
        "filters": {name: value for name, value in places.items() if value is not None},
        "mode": _mode_of(mode, context_file, chapter).value, "context": _read_context(context_file),
    }  # fmt: skip
    _ask_and_tell(question, options, verbose=verbose, as_json=as_json)


def _ask_and_tell(question: str, options: dict[str, Any], *, verbose: bool, as_json: bool) -> None:
    from rag.commands.present import answer_text
    from rag.ingest.version import outdated_notice
    from rag.validate import GREETING_LENGTH

    with opened() as candor:
        promotion = candor.put_in_force()
        _require_known_filters(candor, question, options)
        with watching(quiet=as_json) as watch:
            answer = candor.ask(question, watch=watch, shortest=GREETING_LENGTH, **options)
        notes = list(answer.notes)
        if promotion and promotion.settings:
            named = ", ".join(f"{name} {value}" for name, value in promotion.settings.items() if value is not None)
            notes.append(f"Promotion {promotion.number} is in force: {named}.")
        notes += filter(None, [candor.set_aside])
        answer = answer.model_copy(update={"notes": tuple(notes)})
        typer.echo(answer.model_dump_json() if as_json else answer_text(answer, verbose=verbose))
        if answer.query.mode is not Mode.SELECTED_TEXT_ONLY and (old := outdated_notice(candor.wiring.catalogue)):
            typer.echo(old, err=True)


def _mode_of(mode: Mode | None, context_file: Path | None, chapter: int | None) -> Mode:
    """Return the mode of a question; a text file alone means that only it may answer."""
    if context_file and mode not in (None, Mode.SELECTED_TEXT_ONLY):
        said = f"--context-file {str(context_file)!r} cannot be used with --mode {mode.value}. Leave out --mode or "
        raise InvalidQuery(f"{said}--context-file.", details={"field": "mode"})
    if mode is Mode.SELECTED_TEXT_ONLY and not context_file:
        said = "--mode selected-text-only needs a text to answer from. Add --context-file FILE."
        raise InvalidQuery(said, details={"field": "context"})
    if mode is Mode.CHAPTER_AWARE and chapter is None:
        said = "--mode chapter-aware needs a chapter. Add --chapter NUMBER."
        raise InvalidQuery(said, details={"field": "filters.chapter"})
    return mode or (Mode.SELECTED_TEXT_ONLY if context_file else Mode.BOOK_WIDE)


def _require_known_filters(candor: "Candor", question: str, options: dict[str, Any]) -> None:
    """Refuse filter values that the index does not hold, as retrieval does for a chapter."""
    if not options["filters"] or options["mode"] == Mode.SELECTED_TEXT_ONLY:
        return
    from rag.asking.known_filters import require_known

    query = candor.query(question, **options)
    require_known(query.filters, store=candor.wiring.fitting_store, catalogue=candor.wiring.catalogue)


def _read_context(path: Path | None) -> str | None:
    """Return the selected text of a file; refused is what ingestion would refuse in a text file, too."""
    if path is None:
        return None
    from rag.errors import InvalidDocument
    from rag.ingest.loaders.cleaning import decode
    from rag.ingest.loaders.source import Source, check_content
    from rag.validate import MAX_CONTEXT_LENGTH

    most_bytes = 4 * MAX_CONTEXT_LENGTH + 4  # of the widest encoding, and its mark
    try:
        with path.open("rb") as file:
            data = file.read(most_bytes + 1)  # no more: a device never ends
        if len(data) > most_bytes:
            raise InvalidQuery(
                f"The selected text in {str(path)!r} is too long: name a file of at most {MAX_CONTEXT_LENGTH} "
                "characters, or ingest it with `candor ingest` and ask with --source.",
                details={"field": "context", "maximum": MAX_CONTEXT_LENGTH},
            )
        check_content(Source("selected.txt", data))
    except OSError as error:
        raise InvalidQuery(
            f"The selected text in {str(path)!r} cannot be read: {error.strerror}. Check the path and its permissions."
        ) from error
    except InvalidDocument as error:
        raise InvalidQuery(
            f"{str(path)!r} is not a text file: {error.details['reason']}. Ingest it with `candor ingest`, and ask "
            "with --source; or save its text."
        ) from error
    if not (text := decode(data)).strip():
        raise InvalidQuery(f"{str(path)!r} contains no text to answer from. Choose another file.")
    return text


def unanswered(
    days: Annotated[int, typer.Option(min=1, max=3650, help="How far to look back.")] = 30,
    limit: Annotated[int, typer.Option(min=1, help="The most groups to list.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the recorded questions that got no good answer, alike ones together; dismissed ones are left out."""
    from rag.commands.present import unanswered_text

    with opened() as candor:
        found = candor.unanswered(since=datetime.now(UTC) - timedelta(days=days))
    groups = [group for group in found if not group.dismissed][:limit]
    tell([group.model_dump(mode="json") for group in groups], unanswered_text(groups), as_json=as_json)
