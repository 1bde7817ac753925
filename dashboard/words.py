"""Values as words: escaping for Markdown, times, shares, places. Imports no streamlit."""

import re
from collections.abc import Hashable, Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from rag.evaluation.intervals import BoundedRate, Rate
from rag.evaluation.lines import LineChunk, LineCitation
from rag.models import Answer, Citation, GateDecision, GeneratorInfo, Mode, NearMiss, RetrievedChunk, page_of, part_of
from rag.text.counted import several as several  # the word for it here, too
from rag.whatif.history import ESTIMATORS

_MEANS_SOMETHING = re.compile(r"[\\`*_{}\[\]<>|~$]|:(?=[A-Za-z/])|&(?=[#A-Za-z])|^[#+=-]")
# Streamlit draws these otherwise than they stand there, even escaped: `->`, `--`, `>=`, `:smile:`, `:material/home:`.
_BECOMES_A_SYMBOL = re.compile(r"-(?=[->])|<(?=[-=])|[>~](?==)|:(?=[\w+-]+:|material/)")
_JOINER = "\u2060"  # an invisible sign, the word joiner: between two others it keeps them from becoming one
_BEGINS_A_LIST = re.compile(r"^(\d+)([.)])")
ASPECTS = {"answer": "Answers", "answerable": "Whether the documents answer it", "chunk": "Passages"}
ESTIMATOR_HELP = (
    "How confidence is computed from the passages found. Calibrated: fitted on labelled questions, it estimates from "
    "the readings the probability that the passages answer. Mean similarity: the written rule, the mean over the "
    "passages used. Best similarity: that of the best passage alone. The similarity estimators have no unsure."
)

INPUTS = {
    "best": ("Best reading", "Of the window that answers most probably, as log-odds: 0 is 50%, 2 is 88%, -2 is 12%."),
    "second": ("Second reading", "The same of the best window of another passage."),
    "agree": ("Agreement", "How many windows were read as answering: 1 for five or more, 0 for none."),
    "clear": ("Clear place", "Highest probability of a sentence in the best passage to be part of the answer."),
    "mean_similarity": ("Mean similarity", "Mean over the passages used; the written rule."),
    "max_similarity": ("Best similarity", "Of the most similar passage."),
    "chunks": ("Passages used", "How many passages the confidence was computed from."),
}


def md(text: str) -> str:
    r"""Return untrusted text so that Markdown shows it as it is: no image, no HTML, no directive; lines are joined.

    >>> print(md("![x](http://a)  *b*, 3 < 4"))
    !\[x\](http\://a) \*b\*, 3 \< 4
    >>> print(md("1. :red[x]"))
    1\. \:red\[x\]
    >>> md("p >= 5 -> go") == f"p \\>{_JOINER}= 5 -{_JOINER}\\> go"
    True
    """
    kept = _BECOMES_A_SYMBOL.sub(rf"\g<0>{_JOINER}", " ".join(text.split()))
    line = _MEANS_SOMETHING.sub(r"\\\g<0>", kept)
    return _BEGINS_A_LIST.sub(r"\1\\\2", line)


def first_of(names: Sequence[str], most: int) -> str:
    """Return a few names, and how many more there are.

    >>> first_of(["a.md", "b.md", "c.md"], 2)
    'a.md, b.md and 1 more'
    """
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def is_row(line: str) -> bool:
    """Return whether a line is a row of a table, as Candor keeps tables."""
    return len(line) > 1 and line.startswith("|") and line.endswith("|")


def passage(text: str) -> str:
    """Return a passage, escaped: its lines joined, but for the rows of a table, whose cells get dots between them.

    >>> passage("Whom to call,\\nand when:\\n| Fire | 112 |\\n| --- | --- |\\n| Night | 4444 |").split("  \\n")
    ['Whom to call, and when:', 'Fire · 112', 'Night · 4444']
    """
    parts: list[str] = []
    prose: list[str] = []
    for line in (*map(str.strip, text.splitlines()), "||"):  # the last ends the prose
        if not is_row(line):
            prose.append(line)
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        row = " · ".join(cell or "–" for cell in cells) if any(cell.strip("-:") for cell in cells) else ""
        parts += [md(" ".join(prose)), md(row)]
        prose = []
    return "  \n".join(filter(None, parts))


def quoted(excerpt: str) -> str:
    """Return an excerpt as a passage in quotation marks."""
    return f"“{passage(excerpt)}”"


def percent(value: float | None, *, digits: int = 1) -> str:
    """Return a share in percent; a dash where there is none."""
    return "–" if value is None or value != value else f"{value:.{digits}%}"


def count_of(one: Rate, *, none: str = "of none") -> str:
    """Return what a rate was counted from, as "3 of 4"; `none` where that is nothing."""
    return f"{one.numerator:g} of {one.denominator}" if one.denominator else none


IN_BRACKETS = "In brackets: the counts, and the 95% confidence interval of the share."


def counted(one: Rate) -> str:
    """Return a rate with what it was counted from and its 95% interval; a dash over nothing."""
    if one.value is None or one.low is None or one.high is None:
        return "–"
    return f"{one.value:.1%} ({count_of(one)}; {one.low:.1%} to {one.high:.1%})"


def bounded(one: BoundedRate) -> str:
    """Return a rate that must stay low, with what it was counted from and how high it may be; a dash over nothing."""
    if one.value is None:
        return "–"
    return f"{one.value:.1%} ({count_of(one)}; with 95% confidence at most {percent(one.upper_bound)})"


def milliseconds(value: float | None) -> str:
    """Return a duration as people read it.

    >>> milliseconds(0.02), milliseconds(0.42), milliseconds(41.6), milliseconds(12_340.0), milliseconds(None)
    ('< 0.1 ms', '0.4 ms', '42 ms', '12.3 s', '–')
    """
    if value is None or value != value:
        return "–"
    if 0 < value < 0.05:
        return "< 0.1 ms"
    if value < 10:
        return f"{value:.1f} ms"
    return f"{value:.0f} ms" if value < 1000 else f"{value / 1000:.1f} s"


def score(value: float | None) -> str:
    """Return a score with two decimals; a dash where there is none."""
    return "–" if value is None or value != value else f"{value:.2f}"


def decimals(gate: GateDecision) -> int:
    """Return with how many decimals confidence and threshold are told apart: two, or four where they are close."""
    return 2 if abs(gate.margin) >= 0.01 else 4


def held_against(gate: GateDecision) -> tuple[str, str]:
    """Return confidence and threshold with as many decimals as tell them apart."""
    digits = decimals(gate)
    return f"{gate.confidence:.{digits}f}", f"{gate.threshold:.{digits}f}"


def size(count: int) -> str:
    """Return a file size.

    >>> size(31_464), size(2_500_000), size(480), size(1)
    ('31 kB', '2.5 MB', '480 bytes', '1 byte')
    """
    if count < 1000:
        return several(count, "byte")
    return f"{count / 1000:.0f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def moment(value: datetime | None, zone: tzinfo = UTC) -> str:
    """Return a moment to the second with its time zone; a dash where there is none."""
    return "–" if value is None else f"{value.astimezone(zone):%Y-%m-%d %H:%M:%S %Z}"


def request_label(row: Mapping[Hashable, Any], zone: tzinfo = UTC) -> str:
    """Return how a request of one of the report's tables is called in a choice; what is not recorded of it is said."""
    found = (row.get(name) for name in ("question", "outcome", "verdict"))
    question, outcome, verdict = (one if isinstance(one, str) else "" for one in found)
    if question:
        return f"{row['request_id']}: {question}"
    missing = "question not recorded" if outcome else "question and outcome not recorded"
    ended = outcome or (f"judged {verdict}" if verdict else "")
    return f"{row['request_id']}: {missing}{', ' if ended else ''}{ended} {moment(row['timestamp'], zone)}"


def where(place: Citation | LineChunk | LineCitation | NearMiss | RetrievedChunk) -> str:
    """Return document, page and section, or chapter without one, those that are known, with dots between them."""
    page = page_of(place.page, getattr(place, "printed", None))
    part = part_of(place.section, getattr(place, "chapter", None), getattr(place, "chapter_title", None))
    return " · ".join(one for one in (place.document, page, part) if one)


def estimator(name: str | None) -> str:
    """Return what an estimator is called."""
    return ESTIMATORS.get(name or "", name or "–")


def model_of(generator: GeneratorInfo) -> str:
    """Return the name of the model that spoke, and where it is if not on this machine."""
    return (generator.model or "a model of unknown name") + (f" at {generator.server}" if generator.server else "")


def wrote(answer: Answer) -> str:
    """Return who wrote an answer, or what was written and then held back."""
    name, refused = answer.generator.name, answer.refusal is not None
    if answer.generator.is_model:
        return f"Model {model_of(answer.generator)}" + (", not shown" if refused else "")
    if refused and name == "extractive":
        return "Quotes chosen, held back by the check"
    source = "the pasted text" if answer.query.mode is Mode.SELECTED_TEXT_ONLY else "the documents"
    return {"extractive": f"Quoted from {source}", "none": "Nothing written"}.get(name, name)


SPANS = {"1 hour": 1, "24 hours": 24, "7 days": 7 * 24, "30 days": 30 * 24, "All": None}  # in hours; None: everything


def since(span: str | None) -> datetime | None:
    """Return when a length of time began."""
    hours = SPANS.get(span or "All")
    return datetime.now(UTC) - timedelta(hours=hours) if hours else None
