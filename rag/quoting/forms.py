"""What the form of a sentence says of it as an answer, whatever it is about. Ground floor."""

import re

from rag.language.asked import TYPE_BONUS
from rag.models import RetrievedChunk
from rag.quoting.layout import Layout
from rag.quoting.leaning import leans

EXISTENCE_FLAW = 0.3
"""What a sentence loses that only says that something is there, where a question asks what happens in a case."""
SIGNS_FLAW = 0.3
"""What a sentence loses that says how something is known, where a question asks what is to be done about it."""
SHORT_MARK = 5
"""A sentence of fewer characters is a list's mark that stands by itself."""
LONG_SENTENCE = 60
"""Words from which a sentence is too long to be a good answer."""

_DIGIT = re.compile(r"\d")
_ASKS_WHEN = re.compile(
    r"\bwhen (?:is|are|was|were|do|does|did|can|may|must|should|will|would|has|have)\b", re.IGNORECASE
)
_CLOCK = re.compile(
    r"\b\d{1,2}[:.]\d\d\b|\b\d{1,2} ?[ap]\.?m\b|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days\b|\b(?:noon|midnight)\b"
)
"""Times of the day and weekdays, which answer `when` as dates do."""
_ASKS_WHAT_IF = re.compile(r"\bwhat (?:happens )?(?:if|when)\b", re.IGNORECASE)
_EXISTS = re.compile(r"\W*(?:\d[\d.]* )?There (?:is|are|was|were) ")
"""What only says that something is there tells nobody what happens if it is lost."""
_ASKS_WHAT_TO_DO = re.compile(
    r"\bwhat (?:do|does|should|must|shall|can|will|has|have|is|are|to)\b.{0,40}?\b(?:do|done)\b", re.IGNORECASE
)
_SIGNS = re.compile(
    r"\W*(?:\d[\d.]* )?(?:(?:the |typical |first |other |early )*(?:signs?|symptoms?|indications?)\b"
    r"|suspect |to (?:recogni[sz]e|detect|tell|spot)\b)"
    r"|\b(?:is|are) (?:an? |early |typical )*(?:signs?|symptoms?) of\b|\b(?:is|are|can be|may be|should be|must be) "
    r"(?:recogni[sz]ed|detected|suspected|known) (?:by|if|when|from|where)\b",
    re.IGNORECASE,
)
"""How a sentence says by what something is known: `Signs of ... are`, `Suspect ... if`."""
_TERM = re.compile(r"[^\n:.!?]{1,60}: \S")
_AIMS = re.compile(
    r"\b(?:will|should|can|to)\b.{0,30}\bbe\s+able\s+to\b|\b(?:learning|course|chapter|lesson|unit)\s+(?:objectives?|outcomes?|goals?|aims?)\b"
    r"|\byou\s+(?:will|are\s+going\s+to)\s+learn\b",
    re.IGNORECASE,
)
"""What a list of things to be learnt is introduced by: its items order a pupil to describe, and describe nothing."""
_ASKS_ROLE = re.compile(
    r"^\W*who (?:is|counts as|is called|qualifies as) an? (?P<role>[\w’' -]+?)(?: (?:at|in|of|for|under|on) .*)?\W*$",
    re.IGNORECASE,
)
_OPTION = re.compile(r"\(?(?:\d{1,2}|[a-eA-E])[.)]\s")


def defines_role(question: str, text: str) -> bool:
    """Return whether a question asks who counts as something, and a sentence says whom that word means.

    >>> defines_role("Who is a visitor at the marina?", "- **Visitor** means anybody who stays for 28 nights.")
    True
    """
    match = _ASKS_ROLE.match(question)
    role = re.escape(match["role"]) if match else ""
    return bool(role) and bool(
        re.match(rf"[\W\d]*{role}\W+(?:means|is (?:an?|any|some)|refers to)", text, re.IGNORECASE)
    )


def form_of(question: str, answer: str, *, is_row: bool) -> float:
    """Return what the form of a sentence is worth beside what `Asked.fit` says; below 0 for a flaw.

    A row has no `until` or `after` that would show that it says when: only its times do.
    """
    if is_row and _ASKS_WHEN.search(question) and _CLOCK.search(answer):
        return TYPE_BONUS
    if _ASKS_WHAT_TO_DO.search(question) and _SIGNS.search(answer):
        return -SIGNS_FLAW
    return -EXISTENCE_FLAW if _ASKS_WHAT_IF.search(question) and _EXISTS.match(answer) else 0.0


def is_aim(hit: RetrievedChunk, layout: Layout, index: int) -> bool:
    """Return whether a sentence is an item of a list of what a pupil is to learn, as `Describe the kidney`."""
    head = layout.head_of(index)
    return head is not None and bool(_AIMS.search(hit.sentence_texts[head]))


def is_title_row(text: str) -> bool:
    """Return whether a row of a table has one cell only and no figure: it names the rows below and says nothing."""
    cell = text.strip("| \t")
    return text.startswith("|") and "|" not in cell and cell[-1:] not in ".!?" and not _DIGIT.search(cell)


def options_in(hit: RetrievedChunk, layout: Layout) -> frozenset[int]:
    """Return which sentences are numbered or lettered items below a question: options to choose from, mostly wrong."""
    found: set[int] = set()
    below = False
    for index, (start, end) in enumerate(hit.sentences):
        is_option = not layout.asks[index] and bool(_OPTION.match(hit.content, start, end))
        if below and is_option and not layout.has_marks:
            found.add(index)
        below = hit.content[start:end].rstrip().endswith("?") or (below and (is_option or end - start < SHORT_MARK))
    return frozenset(found)


def flaws(text: str, index: int) -> float:
    """Return what makes a sentence a poor answer whatever it says."""
    length = text.count(" ") + 1
    found = 0.0
    if text[-1:] not in '.!?:;"”’)]|' and not _TERM.match(text):
        found += 0.1 if _DIGIT.search(text) else 0.25
    if length < 4 or text.startswith("#"):
        found += 0.4
    if length > LONG_SENTENCE:
        found += 0.2
    if text.endswith(":"):
        found += 0.1
    if index == 0 and leans(text):
        found += 0.1
    return found
