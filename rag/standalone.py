"""Stage 2: the ways in which a question may be read; the reading that finds more wins.

Without a model a follow-up is read both as asked and together with the question before it. Nobody decides by its words
whether it leans on that: what is found decides.
"""

from typing import Final

from rag.models import Query
from rag.validate import MAX_LENGTH

READ_AS: Final = "Read as: "
"""How the note begins that says how a question was read."""


def joined_to_previous(query: Query) -> Query | None:
    """Return the question joined to the one before it; None where there is none, or both together are too long.

    >>> joined_to_previous(Query(question="And acids?", previous="Which gloves for ethers?")).question
    'Which gloves for ethers? And acids?'
    """
    if not query.previous or query.previous.strip() == query.question:
        return None
    text = f"{query.previous.strip()} {query.question}"
    return query.model_copy(update={"question": text}) if len(text) <= MAX_LENGTH else None
