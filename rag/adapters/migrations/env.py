"""Run by alembic: apply the migrations on the connection that `rag.adapters.database` holds open."""

from alembic import context

from rag.adapters.migrations import VERSION_TABLE
from rag.adapters.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    render_as_batch=True,
)
context.run_migrations()
