"""Replies in the forms in which models write, and the sentences with the numbers of passages that they hold.

`kinds.jsonl` has a line for each form: its name, the reply, and of each sentence what is shown and which it cites.
"""

import json
from pathlib import Path

from passages import hit

from rag.models import DocumentMetadata
from rag.replies import ReplySentence

PASSAGES = [
    hit("Laminate gloves are required.", page=4, document="safety_manual.pdf"),
    hit("Goggles are worn.", rank=2, document="faq (new).html"),
    hit("Hoods are tested.", rank=3, page=5, document="safety_manual.pdf"),
    hit("Bring a badge.", rank=4, document="entry.docx").model_copy(
        update={"metadata": DocumentMetadata(title="Entry rules")}
    ),
]
GLOVES = "Laminate gloves are required"
Wanted = list[tuple[str, tuple[int, ...]]]


def _kinds() -> dict[str, tuple[str, Wanted]]:
    """Return each form by its name: the reply, and what is read of it."""
    lines = Path(__file__).with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return {row["kind"]: (row["reply"], [(text, tuple(cited)) for text, cited in row["sentences"]]) for row in rows}


KINDS = _kinds()


def form(sentences: list[ReplySentence]) -> Wanted:
    """What is shown of each sentence, and what it cites."""
    return [(one.shown, one.cited) for one in sentences]
