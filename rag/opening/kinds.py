"""How a conversation opens: with a question to the documents, nearly always, or with something else."""

from typing import Final, Literal, TypeAlias, get_args

OpeningKind: TypeAlias = Literal["question", "greeting", "thanks", "about", "documents", "summary", "section"]
"""What a person wants: an answer from the documents, a greeting, nothing more, to know what Candor is and does or which
documents it has, a summary of a document or a part of one, or the text of a section."""
KINDS: Final[tuple[OpeningKind, ...]] = get_args(OpeningKind)
