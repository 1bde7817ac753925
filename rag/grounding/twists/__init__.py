"""All ways to say something else with the same words, in order. Ground floor."""

from collections.abc import Iterator, Sequence

from rag.grounding.matching import main_clauses, matches
from rag.grounding.reading import Reading
from rag.grounding.twists.addition import addition_twists
from rag.grounding.twists.agent import agent_twists
from rag.grounding.twists.alternative import alternative_twists
from rag.grounding.twists.anchor import anchor_twists
from rag.grounding.twists.ceiling import ceiling_twists
from rag.grounding.twists.clause import clause_twists
from rag.grounding.twists.comparison import comparison_twists
from rag.grounding.twists.condition import condition_twists
from rag.grounding.twists.contrast import contrast_twists
from rag.grounding.twists.counted import counted_twists
from rag.grounding.twists.direction import direction_twists
from rag.grounding.twists.embedded import embedded_twists
from rag.grounding.twists.exception import exception_twists
from rag.grounding.twists.exchange import exchange_twists
from rag.grounding.twists.late_subject import late_subject_twists, other_one_twists, relative_object_twists
from rag.grounding.twists.later_clause import later_clause_twists
from rag.grounding.twists.limit import limit_twists
from rag.grounding.twists.listed import listed_twists
from rag.grounding.twists.modality import modality_twists
from rag.grounding.twists.modifier import modifier_twists
from rag.grounding.twists.narrowed import narrowed_twists
from rag.grounding.twists.number import joint_twists, label_twists, number_twists
from rag.grounding.twists.only import only_twists
from rag.grounding.twists.opening import opening_twists
from rag.grounding.twists.opposite import opposite_twists
from rag.grounding.twists.parallel import parallel_twists
from rag.grounding.twists.passive import passive_twists
from rag.grounding.twists.polarity import polarity_twists
from rag.grounding.twists.predicate import predicate_twists
from rag.grounding.twists.preposition import preposition_twists
from rag.grounding.twists.pronoun import pronoun_twists
from rag.grounding.twists.quantifier import quantifier_twists
from rag.grounding.twists.ratio import ratio_twists
from rag.grounding.twists.reality import reality_twists
from rag.grounding.twists.report import report_twists
from rag.grounding.twists.role import relation_twists, role_twists
from rag.grounding.twists.scope import scope_twists
from rag.grounding.twists.shortened import shortened_twists
from rag.grounding.twists.statement import statement_twists
from rag.grounding.twists.step import step_twists
from rag.grounding.twists.subject import subject_twists
from rag.grounding.twists.tense import tense_twists
from rag.grounding.twists.title import title_twists
from rag.grounding.twists.two_clauses import two_clauses_twists
from rag.grounding.twists.two_verbs import two_verbs_twists
from rag.grounding.twists.verb import verb_twists
from rag.grounding.twists.weak_denial import weak_denial_twists


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
    yield from parallel_twists(claim, sentence)
    yield from shortened_twists(claim, sentence)
    yield from two_clauses_twists(claim, sentence)
    yield from two_verbs_twists(claim, sentence)
    yield from late_subject_twists(claim, sentence)
    yield from other_one_twists(claim, sentence)
    yield from relative_object_twists(claim, sentence)
    yield from counted_twists(claim, sentence)
    yield from alternative_twists(claim, sentence)
    yield from later_clause_twists(claim, sentence)
    yield from title_twists(claim, sentence, context)
    yield from passive_twists(claim, sentence)
    yield from addition_twists(claim, sentence)
    yield from ceiling_twists(claim, sentence)
    yield from narrowed_twists(claim, sentence)
    yield from predicate_twists(claim, sentence)
    yield from listed_twists(claim, sentence)
