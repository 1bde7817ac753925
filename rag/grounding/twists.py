"""All ways to say something else with the same words, in order. Ground floor."""

from collections.abc import Iterator, Sequence

from rag.grounding.agent_twists import agent_twists
from rag.grounding.anchor_twists import anchor_twists
from rag.grounding.clause_twists import clause_twists
from rag.grounding.comparison_twists import comparison_twists
from rag.grounding.condition_twists import condition_twists
from rag.grounding.contrast_twists import contrast_twists
from rag.grounding.direction_twists import direction_twists
from rag.grounding.embedded_twists import embedded_twists
from rag.grounding.exception_twists import exception_twists
from rag.grounding.exchange_twists import exchange_twists
from rag.grounding.limit_twists import limit_twists
from rag.grounding.matching import main_clauses, matches
from rag.grounding.modality_twists import modality_twists
from rag.grounding.modifier_twists import modifier_twists
from rag.grounding.number_twists import joint_twists, label_twists, number_twists
from rag.grounding.only_twists import only_twists
from rag.grounding.opening_twists import opening_twists
from rag.grounding.opposite_twists import opposite_twists
from rag.grounding.polarity_twists import polarity_twists
from rag.grounding.preposition_twists import preposition_twists
from rag.grounding.pronoun_twists import pronoun_twists
from rag.grounding.quantifier_twists import quantifier_twists
from rag.grounding.ratio_twists import ratio_twists
from rag.grounding.reading import Reading
from rag.grounding.reality_twists import reality_twists
from rag.grounding.report_twists import report_twists
from rag.grounding.role_twists import relation_twists, role_twists
from rag.grounding.scope_twists import scope_twists
from rag.grounding.statement_twists import statement_twists
from rag.grounding.step_twists import step_twists
from rag.grounding.subject_twists import subject_twists
from rag.grounding.tense_twists import tense_twists
from rag.grounding.verb_twists import verb_twists
from rag.grounding.weak_denial_twists import weak_denial_twists


def twists(claim: Reading, sentence: Reading, context: Sequence[Reading] = ()) -> Iterator[str]:
    """Yield why a claim whose words stand in a sentence still says something else; nothing where it does not."""
    matched = matches(claim, sentence)
    clauses = main_clauses(matched, sentence)
    yield from number_twists(claim, sentence, context)
    yield from joint_twists(claim, sentence)
    yield from label_twists(claim, sentence)
    yield from polarity_twists(claim, sentence, matched, clauses)
    yield from opposite_twists(claim, sentence)
    yield from clause_twists(claim, sentence)
    yield from role_twists(claim, sentence, matched)
    yield from direction_twists(claim, sentence)
    yield from quantifier_twists(claim, sentence, clauses)
    yield from modality_twists(claim, sentence, clauses)
    yield from reality_twists(claim, sentence)
    yield from report_twists(claim, sentence)
    yield from tense_twists(claim, sentence)
    yield from weak_denial_twists(claim, sentence)
    yield from condition_twists(claim, sentence)
    yield from exchange_twists(claim, sentence)
    yield from step_twists(claim, sentence)
    yield from preposition_twists(claim, sentence)
    yield from opening_twists(claim, sentence)
    yield from anchor_twists(claim, sentence)
    yield from statement_twists(claim, sentence)
    yield from relation_twists(claim, sentence, context)
    yield from subject_twists(claim, sentence, context)
    yield from agent_twists(claim, sentence)
    yield from pronoun_twists(claim, sentence)
    yield from comparison_twists(claim, sentence, context)
    yield from contrast_twists(claim, sentence)
    yield from exception_twists(claim, sentence)
    yield from scope_twists(claim, sentence)
    yield from modifier_twists(claim, sentence)
    yield from verb_twists(claim, sentence)
    yield from embedded_twists(claim, sentence)
    yield from only_twists(claim, sentence)
    yield from ratio_twists(claim, sentence)
    yield from limit_twists(claim, sentence)
