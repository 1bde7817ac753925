"""Make more kinds of question from a labelled data set: yes/no questions, and questions one word away from it.

    python scripts/vary_questions.py DATASET --out FOLDER [--yes-no 1500] [--near 1500] [--seed 7]

Writes a data set of the same documents, with the questions of DATASET and the new ones. A yes/no question is a sentence
of a gold passage turned around; a near miss is an answerable question, or a yes/no question, in which one word that
the passage holds is replaced by something of the same kind that it does not hold: a neighbour among the model's word
embeddings, another name, another number. Only general English is known here: no subject, name or template.
"""

import argparse
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.adapters.reader_words import QUESTION_WORDS
from rag.evaluation.datasets import DataSet, Gold, load_dataset
from rag.language.text import STOPWORDS, sentence_spans, stems

NEIGHBOURS = 12
"""A word is replaced by one of so many neighbours."""
KIN = (0.2, 0.5)
"""Cosines between which a neighbour is of the same kind and not the same thing."""
WORDS = 18
"""The longest yes/no question."""
_WORD = re.compile(r"[^\W\d_](?:[\w'’-]*\w)?|\d(?:[\d.,]*\d)?")
_TURNS = re.compile(
    r"(?:[^,]{3,50}, )?(?P<subject>[\w'’-]+(?: [\w'’-]+){0,7}?) "
    r"(?P<verb>is|are|was|were|can|could|may|might|must|should|will|would|(?:has|have|had)(?= (?:been|become|\w+ed)\b))"
    r" (?P<rest>[^;:()\[\]\"“”]+?)[.]?$"
)
_UNCLEAR = STOPWORDS - {"the", "a", "an", "of", "in", "on", "at", "by", "for", "from", "with", "all", "no", "own"}
"""Words that leave open what a subject is."""
_BREAK = re.compile(r",| (?:because|which|who|that|when|where|while|although|so|and|but|after|before|since|if|as)\b.*")
_ENDINGS = ("ing", "ed", "ly", "s")


def yes_no(sentence: str, passage: str = "") -> str | None:
    """Return the question that a sentence answers by yes or no; None where it cannot be turned around simply.

    >>> yes_no("The pumps in the cellar are tested every month, because they rust.")
    'Are the pumps in the cellar tested every month?'
    >>> yes_no("It is not known."), yes_no("Ice must not be stored in glass.", "Cold ice")
    (None, 'Must ice be stored in glass?')
    """
    match = _TURNS.match(sentence.strip())
    if not match:
        return None
    first, *subject = match["subject"].split()
    rest = _BREAK.sub("", re.sub(r"^(?:not|never) ", "", match["rest"])).split()
    if not {word.lower() for word in (first, *subject)}.isdisjoint(_UNCLEAR):
        return None
    if len(rest) < 2 or 2 + len(subject) + len(rest) > WORDS:
        return None
    low = first.lower()
    is_plain = low in STOPWORDS or re.search(rf"\b{re.escape(low)}\b", passage)
    return " ".join([match["verb"].capitalize(), low if is_plain else first, *subject, *rest]) + "?"


@dataclass(frozen=True, slots=True)
class Kin:
    """What a word may be mistaken for: words by their static embeddings (rows of length 1), and a document's names."""

    words: Sequence[str]
    vectors: NDArray[np.float32]
    rows: Mapping[str, int]
    names: Mapping[str, Sequence[str]]

    def neighbours(self, word: str) -> list[str]:
        """Return words of the same kind and the same ending, nearest first."""
        row = self.rows.get(word)
        if row is None:
            return []
        cosines = self.vectors @ self.vectors[row]
        near = np.flatnonzero((cosines > KIN[0]) & (cosines < KIN[1]))
        ordered = [self.words[i] for i in near[np.argsort(-cosines[near], kind="stable")]]
        return [one for one in ordered if _ending(one) == _ending(word) and one[:4] != word[:4]]


def _ending(word: str) -> str:
    return next((ending for ending in _ENDINGS if word.endswith(ending)), "")


def near_miss(question: str, passage: str, document: str, kin: Kin, generator: random.Random) -> str | None:
    """Return the question with one word of the passage replaced by one that it lacks; None where none can be."""
    held, asked = set(stems(passage)), set(stems(question))
    places = [match for match in _WORD.finditer(question) if match.start() and _counts(match.group(), held)]
    generator.shuffle(places)
    for match in places:
        found = [
            word
            for word in _replacements(match.group(), document, kin, generator)
            if not set(stems(word)) & (held | asked) and word.lower() not in passage.lower()
        ]
        if found:
            chosen = generator.choice(found[:NEIGHBOURS])
            return question[: match.start()] + chosen + question[match.end() :]
    return None


def _counts(word: str, held: set[str]) -> bool:
    """Return whether a word says what is asked about, and the passage holds it."""
    low = word.lower()
    return low not in STOPWORDS and low not in QUESTION_WORDS and bool(set(stems(word)) & held)


def _replacements(word: str, document: str, kin: Kin, generator: random.Random) -> list[str]:
    if word[0].isdigit():
        return [_other_number(word, generator)]
    if word[0].isupper():
        names = [name for name in kin.names.get(document, ()) if name != word]
        generator.shuffle(names)
        return names
    return kin.neighbours(word)


def _other_number(word: str, generator: random.Random) -> str:
    """Return another number of the same look."""
    digits = [place for place, letter in enumerate(word) if letter.isdigit()]
    place = generator.choice(digits[-2:])
    other = generator.choice([digit for digit in "123456789" if digit != word[place]])
    return word[:place] + other + word[place + 1 :]


def varied(dataset: DataSet, kin: Kin, *, polar: int, near: int, seed: int) -> list[dict[str, Any]]:
    """Return at most `polar` yes/no questions, each with a near miss, and `near` near misses of labelled questions."""
    generator = random.Random(seed)  # noqa: S311 (no secret)
    answered = [question for question in dataset.questions if question.answerable and question.gold]
    turned = _turned(dataset.documents, generator)[:polar]
    lines = [_line(f"yes-no-{n}", asked, gold, sentence) for n, (asked, gold, sentence) in enumerate(turned)]
    missed = [(asked, gold) for asked, gold, _ in turned]
    asking = [(question.question, question.gold[0]) for question in generator.sample(answered, len(answered))]
    for kind, source, limit in (("yes-no-miss", missed, polar), ("near-miss", asking, near)):
        found = list(_missed(source, kin, generator))[:limit]
        lines += [_line(f"{kind}-{n}", asked, gold, None) for n, (asked, gold) in enumerate(found)]
    return lines


def _turned(documents: Sequence[Path], generator: random.Random) -> list[tuple[str, Gold, str]]:
    """Return yes/no questions with their passage and sentence, in random order."""
    found = {}
    for path in documents:
        for passage in path.read_text(encoding="utf-8").split("\n\n"):
            sentences = [passage[start:end].strip() for start, end in sentence_spans(passage)]
            for sentence in sentences if not passage.startswith("#") else ():
                if asked := yes_no(sentence, passage):
                    found[asked] = (asked, Gold(document=path.name, text=passage), sentence)
    ordered = [found[asked] for asked in sorted(found)]
    generator.shuffle(ordered)
    return ordered


def _missed(source: Sequence[tuple[str, Gold]], kin: Kin, generator: random.Random) -> Iterator[tuple[str, Gold]]:
    for asked, gold in source:
        other = near_miss(asked, gold.text or "", gold.document, kin, generator)
        if other:
            yield other, gold


def _line(qid: str, asked: str, gold: Gold, sentence: str | None) -> dict[str, Any]:
    """Return a line of `questions.jsonl`; a question without a sentence that answers it is unanswerable."""
    kind = qid.rsplit("-", 1)[0]
    return {
        "qid": f"varied-{qid}",
        "question": asked,
        "answerable": sentence is not None,
        "kind": kind,
        "answers": [sentence] if sentence else [],
        "gold": [gold.model_dump()],
    }


def kin_of(dataset: DataSet) -> Kin:
    """Return the words of the packaged model's vocabulary that are words, and each document's names."""
    from rag.adapters.bert_encoder import BertEncoder
    from rag.adapters.packaged_model import packaged_model
    from rag.adapters.reader_states import StateReader, rows_to_unit

    folder = packaged_model()
    static = np.asarray(StateReader(BertEncoder(folder, precision="bfloat16")).words, dtype=np.float32)
    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    kept = [row for row, word in enumerate(vocabulary) if re.fullmatch(r"[a-z]{3,}", word) and word not in STOPWORDS]
    words = [vocabulary[row] for row in kept]
    names: dict[str, set[str]] = defaultdict(set)
    for question in dataset.questions:
        if question.gold:
            found = re.findall(r"(?<=\w )[A-Z][a-z]\w+", question.question)
            names[question.gold[0].document].update(found)
    rows = {word: row for row, word in enumerate(words)}
    return Kin(words, rows_to_unit(static[kept]), rows, {name: sorted(found) for name, found in names.items()})


def main() -> None:
    """Write the data set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--yes-no", type=int, default=1500)
    parser.add_argument("--near", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    dataset = load_dataset(options.dataset)
    more = varied(dataset, kin_of(dataset), polar=options.yes_no, near=options.near, seed=options.seed)
    (options.out / "documents").mkdir(parents=True, exist_ok=True)
    for path in dataset.documents:
        link = options.out / "documents" / path.name
        if not link.exists():
            link.symlink_to(path.resolve())
    own = [json.loads(question.model_dump_json()) for question in dataset.questions]
    lines = [json.dumps(line, ensure_ascii=False) for line in (*own, *more)]
    (options.out / "questions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
