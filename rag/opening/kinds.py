"""How a conversation opens: with a question to the documents, nearly always, or with something else."""

from typing import Final, Literal, NamedTuple, TypeAlias, get_args

OpeningKind: TypeAlias = Literal["question", "greeting", "thanks", "about", "documents", "summary", "section"]
"""What a person wants: an answer from the documents, a greeting, nothing more, to know what Candor is and does or which
documents it has, a summary of a document or a part of one, or the text of a section."""
KINDS: Final[tuple[OpeningKind, ...]] = get_args(OpeningKind)


class Opening(NamedTuple):
    """What a text is, and how likely, 0 to 1; for any kind but `question` the probability that it is none."""

    kind: OpeningKind
    probability: float
