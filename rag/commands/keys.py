"""`candor keys create|list|revoke`."""

from typing import Annotated

import typer

from rag.commands.printing import AsJson, print_json

keys = typer.Typer(help="API keys: create, list, revoke.", no_args_is_help=True, rich_markup_mode=None)
"""The group of these commands."""


@keys.command("create")
def create_key(
    name: Annotated[str, typer.Argument(help="Whose key it is.")],
    role: Annotated[str, typer.Option(help="ask, evaluate or admin.")] = "ask",
    as_json: AsJson = False,
) -> None:
    """Make a key; its token is shown once and never again."""
    from rag.stored.keys import create_key as create

    made = create(name, role)
    if as_json:
        print_json({"key_id": made.key.key_id, "token": made.token})
    else:
        typer.echo(
            f"{made.token}\nKeep it: it is not shown again. Revoke it with 'candor keys revoke {made.key.key_id}'."
        )


@keys.command("list")
def list_keys(as_json: AsJson = False) -> None:
    """List the keys, revoked ones included."""
    from rag.stored.keys import list_keys as listed

    found = listed()
    if as_json:
        print_json([key.model_dump(mode="json") for key in found])
    else:
        from rag.commands.present import keys_text

        typer.echo(keys_text(found))


@keys.command("revoke")
def revoke_key(
    key_id: Annotated[str, typer.Argument(help="Id of the key, as 'candor keys list' shows it.")],
    as_json: AsJson = False,
) -> None:
    """Refuse a key from now on."""
    from rag.stored.keys import revoke_key as revoke

    revoke(key_id)
    if as_json:
        print_json({"key_id": key_id, "revoked": True})
    else:
        typer.echo(f"Revoked {key_id}.")
