"""The built-in grounding check. Ground floor: no stage."""

import re

from rag.text import fold, sentence_spans, stems

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


class EvidenceCheck:
    """Implements `GroundingCheck` on words, numbers, names and negation alone."""

    name = "candor-evidence-1"

    def support(self, claim: str, evidence: str) -> float:
        """Return how strongly the evidence carries the claim: 0..1, supported from 0.5."""
        wanted = set(stems(claim))
        if not wanted:
            return 0.0
        best = 0.0
        for start, end in sentence_spans(evidence):
            sentence = evidence[start:end]
            if fold(sentence).strip(" .") == fold(claim).strip(" ."):
                return 1.0
            share = len(wanted & set(stems(sentence))) / len(wanted)
            if not set(_NUMBER.findall(claim)) <= set(_NUMBER.findall(sentence)):
                share *= 0.4
            best = max(best, share)
        return best * 0.6 if best < 0.8 else 0.5 + (best - 0.8) * 2
