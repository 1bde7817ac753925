"""`candor calibrate`: a gate of one's own."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rag.commands.printing import AsJson, named_path, print_json
from rag.errors import InvalidQuery

if TYPE_CHECKING:
    from rag.evaluation.risk import Horizon


def calibrate(
    datasets: Annotated[
        list[Path],
        typer.Argument(
            help="Folders with documents/ and labelled questions.jsonl.", parser=named_path, metavar="DATASETS"
        ),
    ],
    max_false_answer_rate: Annotated[float, typer.Option(help="The rate of false answers to keep.")] = 0.05,
    max_refused_rate: Annotated[
        float, typer.Option(help="The share of the answerable questions that may be refused; above it: unsure.")
    ] = 0.1,
    threshold_on: Annotated[
        list[str] | None, typer.Option(help="Data sets whose unanswerable questions decide the threshold.")
    ] = None,
    horizon: Annotated[
        int | None,
        typer.Option(
            min=1, help="Keep the rate among so many unanswerable questions to come; default: as many as decide it."
        ),
    ] = None,
    long_run: Annotated[
        bool, typer.Option("--long-run", help="Keep the rate in the long run: what is observed scatters around it.")
    ] = False,
    without_guarantee: Annotated[
        bool, typer.Option("--without-guarantee", help="Put the fit in force also where no threshold is proven.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Fit the gate on labelled questions; it is put in force where its threshold is proven, else kept (exit code 1)."""
    from rag.commands.progress import counter
    from rag.evaluation.fitting import fit_gate
    from rag.settings import load_settings

    settings = load_settings()
    with counter("question", quiet=as_json) as progress:
        found = fit_gate(
            datasets,
            settings,
            max_false_answer_rate=max_false_answer_rate,
            max_refused_rate=max_refused_rate,
            threshold_on=threshold_on or [],
            horizon=_horizon(horizon, long_run),
            without_guarantee=without_guarantee,
            progress=progress,
        )
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        from rag.commands.present import calibration_text

        typer.echo(calibration_text(found))
    if not found.in_force:
        raise typer.Exit(1)


def _horizon(given: int | None, long_run: bool) -> "Horizon":
    if given is not None and long_run:
        raise InvalidQuery(
            f"--horizon {given} and --long-run cannot both hold: a promise is about so many questions or about all to "
            f"come. Give one of the two."
        )
    return None if long_run else "as labelled" if given is None else given
