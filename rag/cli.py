"""The command line: as thin as a page. Here commands get their names and errors their exit codes.

With `--json` one JSON object on standard output and nothing else; progress and complaints go to standard error.
Exit codes: 0 done, 1 the person can fix it, 2 a service is missing.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from rag.commands import asking, calibrating, documents, evaluating, keys, serving
from rag.commands.printing import print_json
from rag.errors import CandorError, InvalidQuery

app = typer.Typer(
    name="candor",
    help="Answers questions over your own documents, cites every sentence, and says so when it cannot.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (
    documents.ingest,
    documents.documents,
    documents.forget,
    asking.ask,
    serving.health,
    serving.serve,
    evaluating.evaluate,
    evaluating.compare,
    calibrating.calibrate,
    evaluating.ground,
    serving.mcp,
    evaluating.bench,
):
    app.command()(command)
app.add_typer(keys.keys, name="keys")
INTERRUPTED = 130
"""Exit code of a command that was interrupted, as shells know it."""
UsageError: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
"""What is raised for arguments that cannot be understood: the base of typer's own errors, which it does not export."""


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
        from rag.commands.present import error_object

        print_json(error_object(error))


if __name__ == "__main__":
    main()
