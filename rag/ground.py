"""A draft -> its sentences, each checked against the passages that it cites, before anything is shown."""

import re
from collections.abc import Iterator, Sequence

from rag.grounding.claims import is_about_passages, missing_terms, strip_lead_in
from rag.grounding.evidence import EvidenceCheck as EvidenceCheck
from rag.grounding.excerpts import best_excerpt, edges_of
from rag.language.asked import understand
from rag.language.lexical import sentence_stems
from rag.language.orders import addresses_assistant, asks_about_orders, without_orders
from rag.language.quantities import quantities
from rag.language.rows import with_marks
from rag.language.text import fold, sentence_spans, stems
from rag.models import Draft, GroundedSentence, Grounding, RetrievedChunk
from rag.protocols import GroundingCheck
from rag.quoting.layout import is_question

SUPPORTED = 0.5
"""From this support on a sentence counts as carried by the passages that it cites."""
ATTRIBUTED = 0.75
"""From this support on a sentence that names no passage, or the wrong one, is given the passage that carries it."""

_SPACES = r"(?<!\s)\s*"
"""White space from where it begins: tried at each of its characters a long stretch would cost its square."""
_BARE_MARKER = _SPACES + r"\[\d{1,3}\]"
_LIST = r"\d{1,3}(?:\s*(?:,|;|-|–|and|&)\s*\d{1,3})*"
_MARKER = re.compile(
    rf"(?<!\s)\s*(?:\[\s*(?:passages?\s*)?({_LIST})\s*\]|【\s*({_LIST})(?:†[^】]*)?\s*】)", re.IGNORECASE
)
_PARENTHESIS = re.compile(
    r"(?<!\s)\s*\(\s*(?:passages?\s*)?(\d{1,2}(?:\s*,\s*\d{1,2})*)\s*\)(?=[.!?]?$)", re.IGNORECASE
)
_AFTER_STOP = re.compile(rf"(?<![.!?])([.!?]+[\"”’)]?)((?:{_MARKER.pattern})+)(?=\s|$)", re.IGNORECASE)
_BEFORE_SENTENCE = re.compile(rf"(\w(?:{_MARKER.pattern})+)[ \t]+(?=[A-Z\"“])")
_QUOTATION = re.compile(rf"(?s:.+?)(?:(?:{_BARE_MARKER})+(?=\s|$)|$)")
_SPACE_BEFORE_STOP = re.compile(r"(?<!\s)\s+([.,;:!?])(?=\s|$)")
_BULLET = re.compile(r"^\s*(?:[-*•‣▪–]|\(?\d{1,2}[.)])\s+(?=\S)")
_HOW_MANY = re.compile(
    r"\b(?:how (?:many|much|long|far|often|old|high|tall|deep|fast|hot|large|big|heavy)|what percent\w*)\b"
)
_NUMBER_WORDS = re.compile(
    r"\d|\b(?:once|twice|daily|weekly|monthly|yearly|annually|hourly|half|quarter|dozens?|each|every|always|never|none|no"
    r"|all|single|double|triple|several|many|few|unlimited|overnight|immediately)\b"
)
_WHEN = re.compile(r"^\s*(?:when|since when|in (?:what|which) (?:year|month|century)|what (?:year|date|time))\b")
_TIME_WORDS = re.compile(
    r"\d|\b(?:when|before|after|during|while|until|once|if|as soon|at (?:the )?\w+|upon|on|in|by|since|every|each|daily"
    r"|weekly|monthly|annually|yearly|always|never|immediately|morning|noon|evening|night|day|week|month|year|century)\b"
)
_TERM_ASKED = re.compile(r"\b(?:who|whom|whose|what|which|where|when|name|list|give|tell)\b")
_SAYING = re.compile(
    r"\b(?:i|you|he|she|it|we|they|this|that|there|is|are|was|were|be|been|am|do|does|did|has|have|had|can|could|may|might"
    r"|must|shall|should|will|would|not)\b|n't\b"
)
"""Words of a statement: of what, and that something is so."""
_ENDS = re.compile(r"[.!?…:][\"'”’)\]*_]*\s*$")
_YEAR = re.compile(
    r"(?<!\bsince )(?<!\bafter )(?<!\bbefore )(?<!\buntil )(?<!\bby )(?<!\bfrom )(?<!\bbetween )(?<!\band )(?<!\bto )"
    r"(?<![\w.,/-])(?:1[5-9]|20)\d\d(?:['’]?s)?(?![\w,/-]|\.\d)"
)


def ground(
    draft: Draft,
    passages: Sequence[RetrievedChunk],
    *,
    check: GroundingCheck,
    question: str,
    abstained: bool = False,
) -> Grounding:
    """Check a whole draft, sentence by sentence, and say whether what is left answers the question.

    Args:
        draft: What the generator wrote, with markers `[n]`.
        passages: The passages in the prompt; marker 1 is the first of them.
        check: Judges one sentence against the text that it cites.
        question: The question, as asked.
        abstained: Whether the draft as a whole says that the passages hold no answer.

    Returns:
        All sentences of the draft, those to drop included, each with its reason; one that the limit of tokens cut off
        is dropped whatever it says. `answers` is false where nothing is
        supported, where the draft abstained, or where what is left misses what was asked for.
    """
    is_quoted = draft.generator.name == "extractive"
    texts = draft_sentences(draft.text, quoted=is_quoted)
    torn = draft.finish_reason == "length" and bool(texts) and not _ENDS.search(_MARKER.sub("", texts[-1]))
    whole = texts[:-1] if torn else texts
    sentences = tuple(
        ground_sentence(text, passages, check=check, question=question, is_quoted=is_quoted) for text in whole
    )
    if torn:
        bare, cited, invalid = parse_markers(texts[-1], len(passages))
        sentences += (_dropped(bare, 0.0, cited, invalid, "it was cut off at the limit of tokens"),)
    sentences = tuple(_without_repetition(sentences))
    beside = draft.generator.name == "ollama" and _is_beside(question, sentences)
    issues = [f"Dropped: {sentence.text!r}: {sentence.reason}" for sentence in sentences if not sentence.supported]
    issues += [
        f"{marker} points to no passage; there are {len(passages)}."
        for sentence in sentences
        for marker in sentence.invalid_markers
    ]
    elsewhen = _years_not_spoken_of(question, sentences, passages)
    issues += [f"The question asks about {year}, of which the passages cited say nothing." for year in elsewhen]
    issues += ["What was written shares no word with the question, nor do the passages' sentences."] if beside else []
    return Grounding(
        is_valid=bool(sentences) and all(sentence.supported for sentence in sentences),
        sentences=sentences,
        validation_issues=tuple(issues),
        answers=not (abstained or elsewhen or beside) and answers_question(question, sentences),
        method=check.name,
    )


def ground_sentence(
    text: str,
    passages: Sequence[RetrievedChunk],
    *,
    check: GroundingCheck,
    question: str = "",
    is_quoted: bool = False,
) -> GroundedSentence:
    """Check one sentence against the passages that it cites.

    A sentence that names no passage, or one that does not carry it, is given the passage that carries it strongly
    (`ATTRIBUTED`), so that what is shown always cites its source; one that names only passages that do not exist is
    not. Text of a passage that gives the assistant orders supports nothing, nor does what follows it in
    its paragraph, unless the question quotes such an order. A mere word or name of a model is no statement, and is
    supported only where the question asks for one.

    Args:
        text: A sentence with its markers: `[1]`, `[1, 2]`, `[1][3]`, `[1-3]`, `【1】` or, at its end, `(1)`.
        passages: The numbered passages.
        check: Judges one sentence against a text.
        question: The question, as asked.
        is_quoted: Whether the sentence is a quotation, chosen by the product, and not written by a model.

    Returns:
        The sentence without its markers. `passages` are those that carry it, each with its verbatim evidence of at
        most 200 characters; for a sentence that is not supported, those that it cites.
    """
    bare, cited, invalid = parse_markers(text, len(passages))
    asked_for = asks_about_orders(question)
    readable = [passage.content if asked_for else without_orders(passage.content) for passage in passages]
    texts = [with_marks(passage, text) for passage, text in zip(passages, readable, strict=True)]
    quoted = any(fold(bare).rstrip(".") in fold(texts[number - 1]) for number in cited)
    bare = bare if quoted else strip_lead_in(bare)
    reason = _refusal_reason(bare, asked_for, quoted)
    if not (reason or is_quoted) and _is_mere_word(bare, question):
        reason = "it is a word without a statement, and the question asks for none"
    if reason:
        return _dropped(bare, 0.0, cited, invalid, reason)
    support, carrying = _carried(bare, cited, texts, check)
    if support < SUPPORTED and (cited or not invalid):
        attributed = _attribute(bare, texts, check)
        if attributed:
            support, carrying = attributed
    if support < SUPPORTED:
        return _dropped(bare, support, cited, invalid, _why(bare, cited, invalid, texts))
    evidence = tuple(
        best_excerpt(bare, texts[number - 1], question=question, edges=edges_of(passages[number - 1]))
        for number in carrying
    )
    return GroundedSentence(
        text=bare, supported=True, support=support, passages=carrying, invalid_markers=invalid, evidence=evidence
    )


def draft_sentences(text: str, *, quoted: bool = False) -> list[str]:
    """Return the sentences of a draft; a marker that follows a full stop belongs to the sentence before it.

    Args:
        text: The draft.
        quoted: Whether it is made of quotations that each end with a marker, so that only markers part them: a quoted
            table row or heading has no full stop.

    >>> draft_sentences("Wear gloves. [1] Wash hands [2].")
    ['Wear gloves [1].', 'Wash hands [2].']
    >>> draft_sentences("nitrile: a rubber [1] Wash hands. [2]", quoted=True)
    ['nitrile: a rubber [1]', 'Wash hands. [2]']
    """
    if quoted:
        return [piece.strip() for piece in _QUOTATION.findall(text.strip()) if _has_words(piece)]
    moved = _AFTER_STOP.sub(lambda match: f" {match[2].strip()}{match[1]}", text)
    moved = _BEFORE_SENTENCE.sub(r"\1\n\n", moved)
    sentences = [_BULLET.sub("", moved[start:end]).strip("*_ ") for start, end in sentence_spans(moved)]
    return [sentence for sentence in sentences if _has_words(sentence)]


def _has_words(text: str) -> bool:
    return any(character.isalnum() for character in _MARKER.sub("", text))


def parse_markers(text: str, count: int) -> tuple[str, tuple[int, ...], tuple[str, ...]]:
    """Return the sentence without markers, the passages it cites, and the markers that point to none of them.

    >>> parse_markers("Wear gloves [1, 3][7].", 3)
    ('Wear gloves.', (1, 3), ('[7]',))
    """
    pattern = _MARKER if _MARKER.search(text) else _PARENTHESIS
    valid: dict[int, None] = {}
    invalid: dict[str, None] = {}
    for match in pattern.finditer(text):
        numbers = list(_numbers(next(group for group in match.groups() if group)))
        valid.update(dict.fromkeys(number for number in numbers if 1 <= number <= count))
        if not all(1 <= number <= count for number in numbers):
            invalid[match[0].strip()] = None
    bare = _SPACE_BEFORE_STOP.sub(r"\1", pattern.sub("", text)).strip()
    return bare, tuple(valid), tuple(invalid)


def _numbers(group: str) -> Iterator[int]:
    """Yield the numbers of `1, 3-5`; for what is no range (`3-1`, `1-3-5`) 0, the number of no passage."""
    for part in re.split(r"\s*(?:,|;|and|&)\s*", group):
        first, *more = map(int, re.split(r"[-–]", part))
        last = more[0] if more else first
        yield from range(first, last + 1) if len(more) < 2 and first <= last else (0,)


def _refusal_reason(text: str, asked_for: bool, quoted: bool) -> str:
    """Return why a sentence is no statement of the documents at all, or nothing."""
    if not quoted and is_about_passages(text):
        return "it speaks about the passages or the assistant, not about the subject"
    if not asked_for and addresses_assistant(text):
        return "it is an instruction to the assistant, not a fact"
    return ""


def _is_mere_word(text: str, question: str) -> bool:
    """Return whether a sentence is one word, or names alone, and not what the question asks for.

    A question for a number or a time asks for none but such; one for a name, a term, yes or no for any. Without a
    question nothing is known.

    >>> _is_mere_word("PWNED.", "How many cars are there?"), _is_mere_word("Three.", "How many cars are there?")
    (True, False)
    """
    asked, said = fold(question), fold(text)
    if not asked or _SAYING.search(said):
        return False
    small = stems(" ".join(word for word in text.split() if not word[:1].isupper()))
    if len(stems(text)) > 1 and small:
        return False
    if _HOW_MANY.search(asked):
        return not (_NUMBER_WORDS.search(said) or quantities(said))
    if _WHEN.search(asked):
        return not _TIME_WORDS.search(said)
    return not (_TERM_ASKED.search(asked) or understand(question).yes_or_no)


def _carried(
    text: str, cited: Sequence[int], texts: Sequence[str], check: GroundingCheck
) -> tuple[float, tuple[int, ...]]:
    """Return the support by the cited passages, and those of them that carry the sentence."""
    alone = {number: _strict_support(text, texts[number - 1], check) for number in cited}
    carrying = tuple(number for number, value in alone.items() if value >= SUPPORTED)
    if carrying or len(cited) < 2:
        return max(alone.values(), default=0.0), carrying
    union = _strict_support(text, "\n\n".join(texts[number - 1] for number in cited), check)
    return max(union, *alone.values()), tuple(cited) if union >= SUPPORTED else ()


def _strict_support(text: str, evidence: str, check: GroundingCheck) -> float:
    """Return the support; a number the evidence does not state, or a name not written there, caps it below half."""
    support = check.support(text, evidence)
    return min(support, 0.49) if support >= SUPPORTED and missing_terms(text, evidence) else support


def _attribute(text: str, texts: Sequence[str], check: GroundingCheck) -> tuple[float, tuple[int, ...]] | None:
    """Return the one passage that carries a sentence strongly, or None."""
    scores = [(_strict_support(text, content, check), -number) for number, content in enumerate(texts, 1)]
    support, negative = max(scores, default=(0.0, 0))
    return (support, (-negative,)) if support >= ATTRIBUTED else None


def _dropped(
    text: str, support: float, cited: tuple[int, ...], invalid: tuple[str, ...], reason: str
) -> GroundedSentence:
    return GroundedSentence(
        text=text,
        supported=False,
        support=min(support, 0.49),
        passages=cited,
        invalid_markers=invalid,
        evidence=("",) * len(cited),
        reason=reason,
    )


def _why(text: str, cited: Sequence[int], invalid: Sequence[str], texts: Sequence[str]) -> str:
    """Return in plain words why a sentence is not supported."""
    if not cited:
        return "it cites only passages that do not exist" if invalid else "it cites nothing, and no passage carries it"
    where = " and ".join(f"passage {number}" for number in cited)
    missing = missing_terms(text, "\n\n".join(texts[number - 1] for number in cited))
    if missing:
        return f"{', '.join(repr(term) for term in missing)} does not stand in {where}"
    return f"{where} does not say this"


def answers_question(question: str, sentences: Sequence[GroundedSentence]) -> bool:
    """Return whether the supported sentences answer the question, as far as its form tells.

    They do not where none is supported, or none but questions; where the question asks for a number or a time and they
    hold none; or where a dropped sentence met the question's words clearly better than all that is left.
    """
    left = [sentence for sentence in sentences if sentence.supported]
    stated = [sentence.text for sentence in left if not is_question(sentence.text)]
    if not stated:
        return False
    asked = fold(question)
    shown = fold(" ".join(stated))
    if _HOW_MANY.search(asked) and not (_NUMBER_WORDS.search(shown) or quantities(shown)):
        return False
    if _WHEN.search(asked) and not _TIME_WORDS.search(shown):
        return False
    wanted = set(stems(question))
    dropped = [sentence for sentence in sentences if not sentence.supported]
    best_dropped = max((_share(wanted, sentence.text) for sentence in dropped), default=0.0)
    return _share(wanted, shown) >= best_dropped - 0.25 or _share(wanted, shown) >= 0.75


def _without_repetition(sentences: Sequence[GroundedSentence]) -> Iterator[GroundedSentence]:
    """Yield the sentences, a supported one that was said before as one to drop."""
    said: set[str] = set()
    for sentence in sentences:
        folded = fold(sentence.text)
        again = sentence.supported and folded in said
        said.add(folded)
        yield _dropped(sentence.text, 0.49, sentence.passages, (), "it was said before") if again else sentence


def _is_beside(question: str, sentences: Sequence[GroundedSentence]) -> bool:
    """Return whether neither what is left nor its evidence has any of the question's words: true, but no answer."""
    wanted = set(stems(question))
    left = [sentence for sentence in sentences if sentence.supported]
    return bool(left) and _share(wanted, " ".join(text for one in left for text in (one.text, *one.evidence))) == 0.0


def _years_not_spoken_of(
    question: str, sentences: Sequence[GroundedSentence], passages: Sequence[RetrievedChunk]
) -> list[str]:
    """Return the years that a question asks about and no cited passage, with its headings and title, speaks of.

    A decade is spoken of where any of its years is; a year that only bounds the question (`since 2015`) is not meant.
    """
    numbers = sorted({number for sentence in sentences if sentence.supported for number in sentence.passages})
    cited = [passages[number - 1] for number in numbers]
    known = " ".join(
        f"{chunk.document} {chunk.context} {chunk.content} {chunk.metadata.model_dump_json()}" for chunk in cited
    )
    years = _YEAR.findall(question) if cited else []
    return [year for year in years if not _speaks_of(known, year)]


def _speaks_of(text: str, year: str) -> bool:
    if not year.isdigit():
        return year[:3] in text
    return year in text or bool(re.search(rf"{year[:2]}\d\d\s?[-–/]\s?{year[2:]}(?!\d)", text))


def _share(wanted: set[str], text: str) -> float:
    return len(wanted & set(sentence_stems(text))) / len(wanted) if wanted else 1.0
