"""The commands together: here they get their names, and errors their exit codes.

With `--json` one JSON object on standard output and nothing else; progress and complaints go to standard error.
Exit codes: 0 done, 1 the person can fix it, 2 a service is missing.
"""

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from rag.cli import INTERRUPTED
from rag.commands import asking, backing, documents, evaluating, library, serving
from rag.commands.printing import tell
from rag.errors import CandorError, InvalidQuery
from rag.process.collector import collect_seldom

app = typer.Typer(
    name="candor",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["--help", "-h"]},
)
for command in (
    documents.ingest, documents.documents, documents.forget, documents.watch, asking.ask, serving.health, serving.serve,
    asking.unanswered, evaluating.evaluate, evaluating.compare, evaluating.report, evaluating.calibrate,
    evaluating.train, evaluating.ground, serving.mcp, evaluating.bench, backing.backup, backing.restore,
):  # fmt: skip
    app.command()(command)
app.add_typer(library.keys, name="keys")
app.add_typer(library.collection, name="collection")
app.add_typer(library.words, name="words")


def _print_version(wanted: bool) -> None:
    if wanted:
        from rag.process.product import product_version

        typer.echo(f"candor {product_version()}")
        raise typer.Exit


_VERSION = typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")


@app.callback()
def candor(version: Annotated[bool, _VERSION] = False) -> None:
    """Answers questions over your own documents, cites every sentence, and says so when it cannot."""


UsageError: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
"""What is raised for arguments that cannot be understood: the base of typer's own errors, which it does not export."""
OF_THE_MACHINE = (
    errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EACCES, errno.EPERM,
    errno.ENAMETOOLONG, errno.ELOOP, errno.EISDIR, errno.ENOTDIR, errno.EMFILE, errno.ENFILE,
)  # fmt: skip
"""What a path, a disk or their permissions may refuse wherever one is used; any other error of the system is a bug."""


def run(given: Sequence[str]) -> None:
    """Run a command line and end; an expected error is one clear line and its exit code, never a traceback."""
    collect_seldom()
    try:
        _require_text(given)
        code = app(args=[*given], prog_name="candor", standalone_mode=False)
    except CandorError as error:
        _fail(error, given)
    except OSError as error:
        if error.errno not in OF_THE_MACHINE:
            raise
        _fail(InvalidQuery(_refused(error)), given)
    except UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            typer.echo(error.format_message(), err=True)
            sys.exit(InvalidQuery.exit_code)
        _fail(InvalidQuery(_usage(error, given)), given)
    except typer.Abort:
        raise KeyboardInterrupt from None
    if code == INTERRUPTED:
        raise KeyboardInterrupt
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


def _usage(error: Any, given: Sequence[str]) -> str:
    message = " ".join(error.format_message().split()).rstrip(".").replace(": Value error, ", ": ")
    value = _value_of(getattr(getattr(error, "param", None), "opts", ()), given)
    if value is not None and repr(value) not in message:
        message = message.replace("Invalid value for", f"Invalid value {value!r} for", 1)
    path = error.ctx.command_path if getattr(error, "ctx", None) else "candor"
    return f"{message}{'' if message.endswith('?') else '.'} `{path} --help` explains the arguments."


def _value_of(names: Sequence[str], given: Sequence[str]) -> str | None:
    for argument, following in zip(given, [*given[1:], ""], strict=True):
        name, joined, value = argument.partition("=")
        if name in names:
            return value if joined else following
    return None


def _refused(error: OSError) -> str:
    """Return in one line what the system would not read or write, and what to do."""
    reason = error.strerror or str(error)
    if error.filename is None:
        with suppress(OSError):  # let go of what is still to be written: it would fail once more at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return f"The output cannot be written: {reason}. Check the disk or the program that it goes to."
    what = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else str(error.filename)
    return f"{what!r} cannot be read or written: {reason}. Check the path, its permissions and the space on its disk."


def _fail(error: CandorError, given: Sequence[str]) -> NoReturn:
    """Say what went wrong, in one line and, where asked for, as one object, and end with its exit code."""
    if "--json" in given:
        from rag.records.logline import error_object

        tell(error_object(error), "", as_json=True)
    typer.echo(f"{error.error_code}: {error.message}", err=True)
    sys.exit(error.exit_code)
