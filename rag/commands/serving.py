"""`candor health`, `serve` and `mcp`: what runs."""

from typing import Annotated

import typer

from rag.commands.printing import AsJson, opened


def health(as_json: AsJson = False) -> None:
    """Say what works: exit code 0 healthy, 1 degraded, 2 unavailable. Beside a running server: what that one says."""
    from rag.commands.holder import health_beside, is_index_in_use
    from rag.commands.present import health_text

    with opened() as candor:
        found = candor.health()
        if is_index_in_use(candor):
            chosen = candor.settings
            found = health_beside(found, chosen.data_dir / "index", configured=f"http://{chosen.host}:{chosen.port}")
    typer.echo(found.model_dump_json() if as_json else health_text(found))
    raise typer.Exit({"healthy": 0, "degraded": 1, "unavailable": 2}[found.status])


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on; default: CANDOR_HOST or 127.0.0.1.")] = None,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Port to listen on; default: CANDOR_PORT, else PORT, else 8501."),
    ] = None,
) -> None:
    """Serve the dashboard and the HTTP API."""
    from rag.serving import serve as run

    if host is not None and not host.strip():
        raise typer.BadParameter(
            f"--host {host!r} is not an address. Leave it out to use CANDOR_HOST, or give an address."
        )
    run(host=host, port=port)


def mcp() -> None:
    """Serve ask, retrieve and list_documents to MCP clients over standard input and output."""
    from rag.mcp.server import run

    run()
