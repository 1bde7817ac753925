"""What a reader must know of a quoted list: that it goes on in the source. Ground floor."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from rag.language.counted import several
from rag.models import AnswerSentence, RetrievedChunk
from rag.quoting.company import passage_after
from rag.quoting.layout import MARK, announces, layout_of

FEWEST_SHOWN = 2
"""Items of a list; where fewer are shown, they alone were asked for."""

_ENDS_OPEN = (",", ";", " and", " or")


def one_item_a_line(texts: Sequence[str]) -> str:
    """Return the sentences of an answer as one text: each item of a list on a line of its own, and what follows it too.

    >>> one_item_a_line(["You bring:", "- gloves,", "- a spade.", "It rains.", "It is cold."])
    'You bring:\\n- gloves,\\n- a spade.\\nIt rains. It is cold.'
    """
    return joined(texts, texts, line="\n")


def joined(texts: Sequence[str], drawn: Sequence[str], *, line: str) -> str:
    """Return what is drawn of the sentences of an answer as one text, a break before and after each item of a list.

    >>> joined(["You bring:", "- gloves.", "It rains."], ["You bring: [1]", "- gloves. [1]", "It rains. [2]"], line="/")
    'You bring: [1]/- gloves. [1]/It rains. [2]'
    """
    said = ""
    for (before, text), one in zip(pairwise(["", *texts]), drawn, strict=True):
        said += (line if MARK.match(text) or MARK.match(before) else " ") + one
    return said.strip()


def list_notes(sentences: Sequence[AnswerSentence], found: Sequence[RetrievedChunk]) -> tuple[str, ...]:
    """Return for each list of which some items are quoted, but not all, that it goes on, and by how many items.

    Args:
        sentences: The sentences of an answer that is quoted.
        found: The passages found, those cited among them.
    """
    shown = {_plain(sentence.text) for sentence in sentences}
    notes = (note for hit in found for index in range(len(hit.sentences)) for note in _note(index, hit, shown, found))
    return tuple(dict.fromkeys(notes))


def _note(index: int, hit: RetrievedChunk, shown: set[str], found: Sequence[RetrievedChunk]) -> Iterable[str]:
    """Yield what is to be said of the list that a sentence announces."""
    texts = hit.sentence_texts
    if not announces(texts[index]) or _plain(texts[index]) not in shown:
        return
    items = [(hit, item) for item in layout_of(hit).list_below(index)]
    is_at_end = bool(items) and items[-1][1].last == len(texts) - 1
    following = passage_after(hit, found) if is_at_end else None
    if following is not None:
        items += [(found[following - 1], item) for item in layout_of(found[following - 1]).items_at_start()]
    quoted = sum(_plain(one.sentence_texts[item.first]) in shown for one, item in items)
    if quoted < min(len(items), FEWEST_SHOWN) or not items:
        return
    if len(items) > quoted:
        yield f"The list quoted goes on in the source: {several(len(items) - quoted, 'more item')}."
    elif is_at_end and following is None and texts[-1].endswith(_ENDS_OPEN):
        yield "The list quoted goes on in the source."


def _plain(text: str) -> str:
    """Return the words of a sentence alone, so that a quotation and its source are the same."""
    return "".join(sign for sign in text.casefold() if sign.isalnum())
