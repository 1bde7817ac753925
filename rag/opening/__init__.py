"""First contact: what is no question to the documents, and how a question is read that is not put well.

An opening (`opening_of`) is a greeting, thanks, a question about Candor or its documents, or asks for a summary or a
section. `is_foreign` and `corrected` look at ordinary questions: in another language, or misspelt.
"""

from rag.opening.classifier import opening_of
from rag.opening.english import ENGLISH_ONLY, is_foreign
from rag.opening.kinds import KINDS, Opening, OpeningKind
from rag.opening.places import Passage, beginning_of, named_in, place_named, whole_of
from rag.opening.replies import reply
from rag.opening.spelling import Correction, corrected

__all__ = [
    "ENGLISH_ONLY",
    "KINDS",
    "Correction",
    "Opening",
    "OpeningKind",
    "Passage",
    "beginning_of",
    "corrected",
    "is_foreign",
    "named_in",
    "opening_of",
    "place_named",
    "reply",
    "whole_of",
]
