"""`candor train`: the reader learns from labels that experts gave."""

from pathlib import Path
from typing import Annotated

import typer

from rag.commands.printing import AsJson, named_path, print_json
from rag.errors import InvalidQuery


def train(
    labels: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Folders with documents/ and labelled questions.jsonl, beside what was judged in the dashboard.",
            parser=named_path,
            metavar="LABELS",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Put it in force also where it is not better.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take the last lesson back.")] = False,
    as_json: AsJson = False,
) -> None:
    """Teach the reader what experts judged; it is put in force where it is better, else nothing changes (exit code 1).

    It takes 20 judged questions. The figures before and after are of questions that were not learned from.
    """
    from rag.settings import load_settings

    settings = load_settings()
    if undo:
        if labels or force:
            raise InvalidQuery("--undo takes back the last lesson and learns nothing. Leave out everything else.")
        from rag.experts.teaching import undo as take_back

        number = take_back(settings)
        if as_json:
            print_json({"undone": number})
        else:
            typer.echo(f"Lesson {number} is taken back; what was in force before it is again. {RESTART}")
        return
    from rag.commands.progress import counter
    from rag.experts.teaching import teach

    with counter("question", quiet=as_json) as progress:
        found = teach(labels or [], settings, force=force, progress=progress)
    if as_json:
        print_json({**found.model_dump(mode="json"), "is_better": found.comparison.is_better})
    else:
        from rag.commands.present import taught_text

        typer.echo(taught_text(found))
        if found.number is not None:
            typer.echo(RESTART)
    if found.number is None:
        raise typer.Exit(1)


RESTART = "A server that runs reads so once it is started again."
