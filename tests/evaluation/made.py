"""Small hand-made values that the tests of the evaluation share."""

import json

from recorded import answered, refused

from rag.evaluation.datasets import Gold, Question, load_dataset
from rag.evaluation.lines import EvaluationLine, LineChunk, LineCitation
from rag.evaluation.runs import Run
from rag.evaluation.scores import score_lines
from rag.models import AnswerSentence, Citation, Fingerprints, Timings

FINGERPRINTS = Fingerprints(embedding="e1", index="i1", settings="s1", gate="g1", prompt="p1")


def chunk(rank=1, document="manual.md", *, content="Wear gloves.", **fields):
    made = {"rank": rank, "chunk_id": f"c{rank}", "document": document, "similarity_score": 0.5, "content": content}
    return LineChunk(**made, **fields)


def gold(document="manual.md", **fields):
    return Gold(document=document, **fields)


def question(qid="q1", *, answerable=True, kind="span", answers=("gloves",), golds=None):
    """A question; without golds an answerable one has its answer somewhere in the manual, others have none."""
    places = ((gold(),) if answerable else ()) if golds is None else tuple(golds)
    answers = answers if answerable else ()
    asked = f"Question {qid}?"
    return Question(qid=qid, question=asked, answerable=answerable, kind=kind, answers=answers, gold=places)


def data_set(folder, *lines, documents=None):
    """Write a data set of lines, as text or values, and documents, texts by name; by default one about gloves."""
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    texts = (one if isinstance(one, str) else json.dumps(one) for one in lines)
    (folder / "questions.jsonl").write_text("\n".join(texts), encoding="utf-8")
    for name, text in ({"manual.md": "Wear gloves."} if documents is None else documents).items():
        path = folder / "documents" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_dataset(folder)


def line(
    qid="q1", *, answerable=True, answered=True, confidence=0.5, retrieved=(), text="Wear gloves.", stage="gate",
    kind="span", unsure=False,
):  # fmt: skip
    """A line; an answer is one sentence with one citation of the first chunk."""
    common = {"qid": qid, "question": f"Question {qid}?", "answerable": answerable, "kind": kind}
    common |= {"confidence": confidence, "retrieved": tuple(retrieved)}
    if unsure or not answered:
        return EvaluationLine(**common, decision="unsure" if unsure else "refused", refusal_stage=stage)
    cited = retrieved[0] if retrieved else chunk()
    place = cited.model_dump(include={"document", "page", "section", "chunk_id", "similarity_score"})
    said = AnswerSentence(text=text, support=0.9, citations=(0,))
    source = LineCitation(**place, excerpt=cited.content[:200])
    return EvaluationLine(**common, decision="answered", answer=text, sentences=(said,), citations=(source,))


def scored_run(lines, questions, **fields):
    """A run over these lines; not finished."""
    scores = tuple(score_lines(lines, questions))
    return Run(**{"dataset": "set", "dataset_fingerprint": "d", "fingerprint": "f", "scores": scores, **fields})


def answer(text="Wear gloves.", *, confidence=0.8, hits=12, cite=1, fingerprints=FINGERPRINTS):
    """A real answer that rests on one of its hits."""
    cited = Citation(document="manual.md", excerpt="Wear gloves.", chunk_id=f"chunk-{cite}", similarity_score=0.5)
    spent = Timings(validate=0.1, embed=2.0, retrieve=3.0, read=6.0, gate=1.0, generate=4.0, ground=5.0, total=21.5)
    said = {"answer": text, "sentences": (AnswerSentence(text=text, support=0.9, citations=(0,)),)}
    made = {"confidence": confidence, "gate": None, "timings_ms": spent, "fingerprints": fingerprints}
    return answered(similarities=(0.5,) * hits).model_copy(update={**said, **made, "citations": (cited,)})


def refusal(*, confidence=0.2, fingerprints=FINGERPRINTS, stage="gate", outcome="refused"):
    whole = refused(stage=stage)
    made = {"confidence": confidence, "gate": None, "outcome": outcome, "fingerprints": fingerprints}
    return whole.model_copy(update={**made, "refusal": None if outcome == "talk" else whole.refusal})
