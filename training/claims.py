"""Claims with evidence and labels: what entailment is trained on, dealt to steps and batches.

Some sources do not tell a contradicted claim from one that the evidence leaves open: there only *supported or not* is
learned.
"""

import gzip
import hashlib
import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from rag.reader.pieces import PieceReader, pad, pair
from rag.speaking.entailment import ABSTAINS, GIVES_ORDERS, LONGEST_PLACE

SUPPORTED, CONTRADICTED, NEITHER, NOT_SUPPORTED = range(4)
"""Labels; the last is one of the two before it, it is not known which."""
NAMES = {"supported": SUPPORTED, "contradicted": CONTRADICTED, "not_supported": NEITHER}
"""The labels of written claims."""
WORTH = {
    "fm2": 3.0,
    "sufficient-facts": 3.0,
    "feverous-dev": 1.5,
    "summedits": 2.0,
    "factcg-doc": 1.0,
    "mnli-dev": 2.0,
    "counterfactual-nli": 1.5,
    "fever-symmetric": 1.5,
    "begin": 1.0,
    "negation-nli": 1.0,
    "evidence-inference": 0.7,
    "qa-claims": 1.0,
    "snli-devtest": 0.7,
    "tabfact-pairs": 0.7,
    "entailmentbank": 0.7,
    "scitail-dev": 0.5,
    "med": 0.5,
    "scone": 0.5,
    "fetaqa-claims": 0.5,
    "conjnli": 0.3,
    "folio": 0.3,
    "breaking-nli": 0.2,
}
"""How often a public source is drawn from, relative to the others; those not named are left out."""
WRITTEN, PUBLIC = 10, 14
"""Claims of each kind in a step."""
OWN = {"written": 4, "paraphrases": 9, "twists": 1, "orders": 2, "abstentions": 1, "fragments": 1}
"""Our own in a step."""
FACTS = ("written", "paraphrases", "twists", "fragments")
"""Those of them that are about what a text says, not of which kind it is."""
LABELLED = ("written", "paraphrases")
"""Those that tell a contradicted claim from one that is left open."""
ORDINARY = 3
"""Texts of documents in a step, with the claim that they give orders to an assistant, or find no answer."""
SHORTEST_SENTENCE = 4
WITH_QUESTION, WITH_LEAD_IN = 0.12, 0.08
"""How often a written claim is read behind its question, and behind words that say where it comes from."""
LEAD_INS = (
    "According to the passages, ",
    "Based on the provided text, ",
    "The document states that ",
    "As the manual says, ",
    "Sure! ",
    "From what is written here, ",
    "In short, ",
    "The answer is that ",
    "Per passage 2, ",
    "Yes: ",
)
PLACED, BURIED = 0.4, 0.25
"""How often evidence is read behind the headings of some document, and between sentences of another text: in use it is
read so, and neither says anything of the claim."""
LONGEST_BURIED = 60
"""Words of evidence that is put between others."""
LONGEST_EVIDENCE = 160
"""Words: of a longer text the end would be cut, and the label with it."""
BATCH = 8
HERE = Path(__file__).parent
CORPORA = HERE / "corpora"
LONGEST_FRAGMENT = 10
"""Words of a short answer."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim, what it is held against, and its label."""

    claim: str
    evidence: str
    label: int
    source: str = ""
    question: str = ""


def is_held_out(group: str) -> bool:
    """Return whether a group of claims is not trained on: one in ten, by its name."""
    return int(hashlib.md5(group.encode(), usedforsecurity=False).hexdigest(), 16) % 10 == 0


def written_claims(folder: Path, *, held_out: bool = False) -> list[Claim]:
    """Return the claims of `claims-*.jsonl`: of the groups that are held out, or of all others."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("claims-*.jsonl"))]
    lines = (line for text in texts for line in text.split("\n") if line)
    return list(_claims(lines, NAMES, held_out=held_out))


def public_claims(path: Path, *, held_out: bool = False) -> list[Claim]:
    """Return the claims of a gzip file of JSON lines: of the groups that are held out, or of all others."""
    names = {
        "supported": SUPPORTED,
        "contradicted": CONTRADICTED,
        "unrelated": NEITHER,
        "not_supported": NOT_SUPPORTED,
    }
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        found = list(_claims(lines, names, held_out=held_out))
    return [one for one in found if one.source in WORTH and len(one.evidence.split()) <= LONGEST_EVIDENCE]


def own_claims() -> dict[str, list[Claim]]:
    """Return our own claims by kind.

    `written`: texts of many kinds with claims as assistants write them. `paraphrases`: short texts, each with claims in
    other words that look alike, true and false. `twists`: sentences, and what one word more or
    another word makes of them. `orders`: texts that give orders to an assistant, texts that look like it, and what
    they are evidence for. `abstentions`: replies that say that nothing was found, and others. `fragments`: questions
    with short answers.
    """
    found = {}
    for kind in ("written", "paraphrases", "twists", "orders", "abstentions"):
        names = NAMES if kind in LABELLED else {"supported": SUPPORTED, "not_supported": NOT_SUPPORTED}
        with (HERE / "claims" / f"{kind}.jsonl").open(encoding="utf-8") as lines:
            found[kind] = list(_claims(lines, names, held_out=False))
    return {**found, "fragments": [one for folder in sorted(CORPORA.iterdir()) for one in _fragments(folder)]}


def _fragments(folder: Path) -> Iterator[Claim]:
    """Yield short answers behind their questions, behind the twins that they do not answer, and exchanged."""
    path = folder / "questions.jsonl"
    if not path.is_file():
        return
    rows = {row["qid"]: row for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())}
    answered = [row for row in rows.values() if row["answers"] and len(row["answers"][0].split()) <= LONGEST_FRAGMENT]
    for row, other in zip(answered, answered[1:] + answered[:1], strict=True):
        text, answer = row["gold"][0]["text"], row["answers"][0]
        yield Claim(f"{row['question']} {answer}", text, SUPPORTED, "fragments")
        if twin := rows.get(f"{row['qid']}t"):
            yield Claim(f"{twin['question']} {answer}", text, NOT_SUPPORTED, "fragments")
        if other["answers"][0] not in text and row["gold"][0]["document"] == other["gold"][0]["document"]:
            both = f"{text} {other['gold'][0]['text']}"
            yield Claim(f"{row['question']} {other['answers'][0]}", both, NOT_SUPPORTED, "fragments")


def _claims(lines: Iterable[str], names: dict[str, int], *, held_out: bool) -> Iterator[Claim]:
    for row in map(json.loads, lines):
        if is_held_out(row.get("group", "ours")) is held_out:
            label, source = names[row["label"]], row.get("source", "ours")
            yield Claim(row["claim"], row["evidence"], label, source, row.get("question", ""))


def steps(
    written: Sequence[Claim],
    public: Sequence[Claim],
    own: Mapping[str, Sequence[Claim]],
    seed: int,
    *,
    places: Sequence[str] = (),
) -> Iterator[list[Claim]]:
    """Yield the claims of one optimiser step after the other, without end.

    Claims that were written for this are gone through from first to last in an order drawn anew each time; the others
    are drawn. `places` are titles and headings of documents.
    """
    chance = random.Random(seed)  # noqa: S311 (no secret)
    sources: dict[str, list[Claim]] = {}
    for one in public:
        sources.setdefault(one.source, []).append(one)
    names = list(sources)
    queue: list[Claim] = []
    ordinary = [*written, *own["paraphrases"]]
    while True:
        if len(queue) < WRITTEN:
            queue = list(written)
            chance.shuffle(queue)
        chosen = [_as_replied(queue.pop(), chance) for _ in range(min(WRITTEN, len(queue)))]
        for name in chance.choices(names, [WORTH[name] for name in names], k=PUBLIC):
            chosen.append(chance.choice(sources[name]))
        of_facts = {kind: count for kind, count in OWN.items() if kind in FACTS}
        chosen += [one for kind, count in of_facts.items() for one in chance.choices(own[kind], k=count)]
        chosen = [_as_cited(one, chance, places, ordinary) for one in chosen]
        of_kinds = {kind: count for kind, count in OWN.items() if kind not in FACTS}
        chosen += [one for kind, count in of_kinds.items() for one in chance.choices(own[kind], k=count)]
        yield chosen + [_of_no_kind(one, chance) for one in chance.choices(ordinary, k=ORDINARY)]


def _of_no_kind(claim: Claim, chance: random.Random) -> Claim:
    """Return ordinary text, a sentence or all of it, with the claim that it is of a kind that it is not."""
    sentences = [one for one in claim.evidence.split(". ") if len(one.split()) > SHORTEST_SENTENCE]
    text = chance.choice(sentences) if sentences and chance.random() < 0.7 else claim.evidence
    return Claim(GIVES_ORDERS if chance.random() < 0.8 else ABSTAINS, text, NOT_SUPPORTED, "ordinary")


def _as_cited(claim: Claim, chance: random.Random, places: Sequence[str], others: Sequence[Claim]) -> Claim:
    """Return a claim with its evidence as passages have it: now and then among other sentences, or behind headings."""
    evidence = claim.evidence
    if chance.random() < BURIED and len(evidence.split()) <= LONGEST_BURIED:
        sentences = [f"{one.strip('. ')}." for one in chance.choice(others).evidence.split(". ")]
        cut = chance.randint(0, min(2, len(sentences)))
        evidence = " ".join([*sentences[:cut], evidence, *sentences[cut : cut + 2]])
    if places and chance.random() < PLACED:
        evidence = f"{' '.join(chance.choice(places).split()[-LONGEST_PLACE:])}\n{evidence}"
    return replace(claim, evidence=evidence) if len(evidence.split()) <= LONGEST_EVIDENCE else claim


def _as_replied(claim: Claim, chance: random.Random) -> Claim:
    """Return a claim as models write it: now and then behind its question, or behind where it comes from."""
    drawn = chance.random()
    if drawn < WITH_LEAD_IN:
        return replace(claim, claim=chance.choice(LEAD_INS) + claim.claim)
    if drawn < WITH_LEAD_IN + WITH_QUESTION and claim.question:
        return replace(claim, claim=f"{claim.question} {claim.claim}")
    return claim


def batches(
    pieces: PieceReader, claims: Sequence[Claim], size: int = BATCH
) -> Iterator[tuple[list[int], Tensor, Tensor]]:
    """Yield claims in batches of similar length: their places, ids and mask `(n, length)`."""
    said = pieces.read([one.claim for one in claims])
    read = pieces.read([one.evidence for one in claims])
    pairs = [pair(claim, text) for claim, text in zip(said, read, strict=True)]
    order = sorted(range(len(pairs)), key=lambda place: len(pairs[place].ids))
    for places in (order[at : at + size] for at in range(0, len(order), size)):
        ids, mask = pad([pairs[place] for place in places])
        yield places, torch.from_numpy(ids), torch.from_numpy(mask)
