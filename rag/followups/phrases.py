"""The parts of a question: what it asks for, its subject, what is said of it, and the phrases that it names."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rag.followups.grammar import Word, opening, words_of
from rag.followups.words import BE


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun with what belongs to it, and where it stands in the question."""

    text: str
    start: int
    end: int
    words: tuple[Word, ...]
    """The determiner and the nouns before the first preposition."""
    agrees: bool | None = None
    """Whether its verb is one of several ("do", "are"), where that is known."""

    @property
    def head(self) -> Word:
        """The noun that the others belong to."""
        return self.words[-1]

    @property
    def determiner(self) -> str:
        """Its article or the like; empty where it has none."""
        return self.words[0].low if self.words[0].kind == "determiner" else ""

    @property
    def is_many(self) -> bool:
        """Whether "they" may stand for it."""
        if self.agrees is not None and self.head.low != "data":
            return self.agrees
        return self.head.is_many or " and " in self.text

    @property
    def one(self) -> str | None:
        """One of what is spoken of, where any will do: "a laptop" for "laptops" and for "a laptop"."""
        if self.determiner in ("a", "an"):
            return self.text
        if self.determiner or not self.head.low.endswith("s") or self.head.is_name:
            return None
        article = "an" if self.text[0].lower() in "aeiou" else "a"
        head = self.head.text.removesuffix("ies") + "y" if self.head.low.endswith("ies") else self.head.text[:-1]
        return f"{article} {self.text[: self.head.start - self.start]}{head}"

    @property
    def many(self) -> str | None:
        """The phrase in the plural, where one of a kind is spoken of: "moraines" for "a moraine"."""
        if self.determiner not in ("a", "an") or len(self.words) < 2:
            return None
        head, start = self.head, self.words[1].start
        kept = self.text[start - self.start : head.start - self.start]
        return f"{kept}{with_s(head.text)}{self.text[head.end - self.start :]}"


def with_s(noun: str) -> str:
    """Return a noun in the plural, or a verb as one does it: "moraines", "passes"."""
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "z", "o", "ch", "sh")) else f"{noun}s"


@dataclass(frozen=True)
class Parts:
    """A question taken apart; what it does not have is empty.

    "How often must the hydraulic pump be serviced?" asks `How often`, its auxiliary is `must`, its subject `the
    hydraulic pump`, and `be serviced` is said of it. In "Who may use a hood?" what is asked for is the subject.
    """

    text: str
    words: tuple[Word, ...]
    auxiliary_at: int | None

    @cached_property
    def asks(self) -> str:
        """What is asked for: "How often", "Which gloves"; empty where yes or no is."""
        if self.auxiliary_at is not None:
            return self._between(0, self.auxiliary_at)
        verb = self._first_verb()
        return self._between(0, verb) if verb is not None else ""

    @cached_property
    def auxiliary(self) -> str:
        """The auxiliary; empty in "Who built it?"."""
        return self.words[self.auxiliary_at].low if self.auxiliary_at is not None else ""

    @cached_property
    def asked_noun(self) -> Phrase | None:
        """What stands with "which", "what" or "how many": `gloves` of "Which gloves are needed?"."""
        end = self.auxiliary_at if self.auxiliary_at is not None else self._first_verb()
        nouns = [word for word in self.words[:end] if word.kind == "noun"] if end else []
        return _phrase(self.text, nouns) if nouns else None

    @cached_property
    def rest(self) -> str:
        """All that follows the auxiliary, or what is asked for where there is none."""
        start = self.auxiliary_at + 1 if self.auxiliary_at is not None else self._first_verb() or 0
        return self._between(start, len(self.words))

    @cached_property
    def subject(self) -> str:
        """What stands between the auxiliary and what is said; empty where what is asked for is the subject."""
        end = self._subject_end()
        return self._between(self.auxiliary_at + 1, end) if self.auxiliary_at is not None and end is not None else ""

    @cached_property
    def said(self) -> str:
        """What is said of the subject: "be serviced", "need for acids"."""
        end = self._subject_end()
        return self._between(end, len(self.words)) if end is not None else self.rest

    @cached_property
    def phrases(self) -> tuple[Phrase, ...]:
        """The phrases of the question in order, each without what follows it after a preposition."""
        return tuple(_phrases(self.text, self.words))

    def _subject_end(self) -> int | None:
        """Return the place after the subject; None where there is none between."""
        if self.auxiliary_at is None or self.auxiliary_at + 1 >= len(self.words):
            return None
        start = self.auxiliary_at + 1
        first = self.words[start]
        if first.kind == "pronoun":
            return start + 1
        is_none = first.kind in ("verb", "preposition", "auxiliary") or self._owns()
        if is_none or (first.kind == "adverb" and not _grades(self.words, start)):
            return None
        if self.asked_noun and self.auxiliary in BE and first.kind == "noun" and not first.is_name:
            return None  # "Which gloves are best for ethers?"
        ends = ("verb", "auxiliary", "joint", "mark", "pronoun")
        return next((here for here in range(start, len(self.words)) if self._ends(here, start, ends)), len(self.words))

    def _owns(self) -> bool:
        """Whether the auxiliary is what is done: "Who has the keys?"."""
        is_done = any(word.kind == "verb" for word in self.words)
        return self.auxiliary in ("has", "have", "had") and bool(self.asks) and not is_done

    def _ends(self, here: int, start: int, ends: Sequence[str]) -> bool:
        word, before = self.words[here], self.words[here - 1]
        is_second = word.kind == "determiner" and before.kind == "noun" and here > start
        return is_second or (word.kind in ends and word.low != "and")

    def _first_verb(self) -> int | None:
        return next((here for here, word in enumerate(self.words) if word.kind == "verb"), None)

    def _between(self, start: int, end: int | None) -> str:
        chosen = list(self.words[start:end])
        while chosen and chosen[-1].kind == "mark" and chosen[-1].text in "?.!":
            chosen.pop()
        return self.text[chosen[0].start : chosen[-1].end] if chosen else ""


@lru_cache(maxsize=64)
def parts_of(question: str) -> Parts:
    """Return the parts of a question.

    >>> parts = parts_of("How often must the hydraulic pump be serviced?")
    >>> parts.asks, parts.auxiliary, parts.subject, parts.said
    ('How often', 'must', 'the hydraulic pump', 'be serviced')
    >>> parts_of("Which gloves are needed for ethers?").subject
    ''
    """
    words = words_of(question)
    return Parts(question, words, opening(words))


def _phrases(text: str, words: Sequence[Word]) -> Iterator[Phrase]:
    run: list[Word] = []
    for place, word in enumerate((*words, Word("?", len(text), len(text), "mark"))):
        begins = word.kind == "determiner" and any(held.kind == "noun" for held in run)
        belongs = word.kind in ("determiner", "noun") or (not run and _grades(words, place))
        if run and (begins or not belongs):
            if any(held.kind == "noun" for held in run):
                yield _phrase(text, run)
            run = []
        if belongs:
            run.append(word)


def _grades(words: Sequence[Word], place: int) -> bool:
    """Whether an adverb belongs to the noun after it: "acutely toxic substances"."""
    is_adverb = place + 1 < len(words) and words[place].kind == "adverb" and words[place].low.endswith("ly")
    return is_adverb and words[place + 1].kind == "noun"


def _phrase(text: str, words: Sequence[Word]) -> Phrase:
    start, end = words[0].start, words[-1].end
    return Phrase(text[start:end], start, end, tuple(words))
