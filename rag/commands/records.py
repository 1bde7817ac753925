"""`candor unanswered`: what was asked and got no good answer."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from rag.commands.printing import AsJson, opened, print_json


def unanswered(
    days: Annotated[int, typer.Option(min=1, max=3650, help="How far to look back.")] = 30,
    limit: Annotated[int, typer.Option(min=1, help="The most groups to list.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the recorded questions that got no good answer, alike ones together; dismissed ones are left out."""
    with opened() as candor:
        found = candor.unanswered(since=datetime.now(UTC) - timedelta(days=days))
    groups = [group for group in found if not group.dismissed][:limit]
    if as_json:
        print_json([group.model_dump(mode="json") for group in groups])
    else:
        from rag.commands.present import unanswered_text

        typer.echo(unanswered_text(groups))
