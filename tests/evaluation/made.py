"""Small hand-made values that the tests of the evaluation share."""

from recorded import answered, refused

from rag.evaluation.datasets import Gold, Question
from rag.evaluation.lines import EvaluationLine, LineChunk, LineCitation, LineSentence
from rag.models import AnswerSentence, Citation, Fingerprints, Timings

FINGERPRINTS = Fingerprints(embedding="e1", index="i1", settings="s1", gate="g1", prompt="p1")


def chunk(rank=1, document="manual.md", *, page=None, section=None, content="Wear gloves.", chunk_id=None):
    return LineChunk(rank=rank, chunk_id=chunk_id or f"c{rank}", document=document, page=page, section=section,
                     similarity_score=0.5, content=content)  # fmt: skip


def gold(document="manual.md", **fields):
    return Gold(document=document, **fields)


def question(qid="q1", *, answerable=True, kind="span", answers=("gloves",), golds=None):
    places = (gold(),) if golds is None else tuple(golds)
    return Question(
        qid=qid, question=f"Question {qid}?", answerable=answerable, kind=kind, answers=answers, gold=places
    )


def line(
    qid="q1",
    *,
    answerable=True,
    answered=True,
    confidence=0.5,
    retrieved=(),
    text="Wear gloves.",
    stage="gate",
    kind="span",
    unsure=False,
):
    """A line; an answer is one sentence with one citation of the first chunk."""
    retrieved = tuple(retrieved)
    common = {"qid": qid, "question": f"Question {qid}?", "answerable": answerable, "kind": kind}
    common |= {"confidence": confidence, "retrieved": retrieved}
    if unsure or not answered:
        return EvaluationLine(**common, decision="unsure" if unsure else "refused", refusal_stage=stage)
    cited = retrieved[0] if retrieved else chunk()
    return EvaluationLine(
        **common,
        decision="answered",
        answer=text,
        sentences=(LineSentence(text=text, supported=True, support=0.9, citations=(0,)),),
        citations=(
            LineCitation(document=cited.document, page=cited.page, section=cited.section, chunk_id=cited.chunk_id,
                         excerpt=cited.content[:200], similarity_score=0.5),
        ),
    )  # fmt: skip


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
