"""What grounding must tell apart though the words are the same: names of one letter, frequencies, spans, bearers."""

import pytest
from passages import hit

from rag.ground import ground_sentence
from rag.grounding.claims import missing_terms
from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
SHOWERS = "Emergency showers are tested every week and eye showers every month."
OFFICERS = "The laser safety officer is Dr Mirela Costin. The safety officer is Dr Henrik Vaas."
LIMITS = "In class A the limit is 50 mg/kg and in class B the limit is 20 mg/kg."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The waste store in Building A is open Tuesday.", "The waste store in Building D is open Tuesday."),
        ("Room A 214 holds the first aid kit.", "Room B 214 holds the first aid kit."),
        ("Visitors enter through Gate A.", "Visitors enter through Gate C."),
        ("Route A leads to Gate C.", "Route 4 leads to Gate C."),
        ("Route A leads to Gate C.", "Route C leads to Gate A."),
        ("Route A leads to Gate C.", "Route B leads to Gate C. Gate A is closed."),
        ("In class A the limit is 20 mg/kg.", "In class B the limit is 20 mg/kg."),
        ("In class A the limit is 20 mg/kg.", LIMITS),
        ("Building A is open.", "A building is open."),
        ("Hepatitis b is spread by water.", "Hepatitis c is spread by water."),
    ],
)
def test_a_name_of_one_letter_is_held_against_the_text(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The waste store in Building A is open Tuesday.", "The waste store in Building A is open on Tuesday."),
        ("A waste store is open on Tuesday.", "The waste store in Building D is open on Tuesday."),
        ("Route A leads to Gate C.", "Routes A and B lead to Gate C."),
        ("In class B the limit is 20 mg/kg.", LIMITS),
    ],
)
def test_an_article_asks_for_nothing_and_a_letter_that_is_there_is_enough(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5
    assert missing_terms(claim, evidence) == ()


def test_a_letter_that_the_evidence_has_only_as_an_article_is_missing() -> None:
    assert missing_terms("Use Gate A.", "Use a gate. A guard opens it.") == ("A",)


@pytest.mark.parametrize(
    "claim",
    [
        "Emergency showers are tested every month and eye showers every week.",
        "Emergency showers are tested monthly and eye showers weekly.",
        "Emergency showers are tested every month.",
        "Eye showers are tested weekly.",
    ],
)
def test_a_frequency_belongs_to_its_subject(claim: str) -> None:
    assert CHECK.support(claim, SHOWERS) < 0.5


@pytest.mark.parametrize(
    "claim", [SHOWERS, "Emergency showers are tested weekly.", "Eye showers are tested every month."]
)
def test_a_frequency_of_its_own_subject_is_supported(claim: str) -> None:
    assert CHECK.support(claim, SHOWERS) >= 0.5


@pytest.mark.parametrize(
    ("span", "listed"),
    [
        ("The store is open from Tuesday to Thursday.", "The store is open on Tuesday and Thursday."),
        ("The store is open Monday-Friday.", "The store is open on Monday and Friday."),
        ("The path leads from Basel to Bern.", "The path leads to Basel and Bern."),
        ("Pages 3 to 7 are missing.", "Pages 3 and 7 are missing."),
    ],
)
def test_a_list_is_no_span_and_a_span_no_list(span: str, listed: str) -> None:
    assert CHECK.support(span, listed) < 0.5
    assert CHECK.support(listed, span) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The store is open Tuesday through Thursday.", "The store is open from Tuesday to Thursday."),
        ("The store is open Tuesday to Thursday.", "The store is open Tuesday-Thursday."),
        ("The store is open on Tuesday and Thursday.", "The store is open Tuesday and on Thursday."),
        ("The store is open on Thursday.", "The store is open on Tuesday and Thursday."),
    ],
)
def test_a_span_and_a_list_may_be_put_in_other_words(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The laser safety officer is Dr Henrik Vaas.", OFFICERS),
        ("Dr Henrik Vaas is the laser safety officer.", OFFICERS),
        ("The safety officer is Dr Mirela Costin.", OFFICERS),
        ("The deputy director is Ana Ruiz.", "The deputy director is Tom Hale. The director is Ana Ruiz."),
        ("The limit is 20 ppm.", "The limit at night is 20 ppm. The limit is 50 ppm."),
    ],
)
def test_a_name_or_number_belongs_to_the_subject_of_its_own_sentence(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The laser safety officer is Dr Mirela Costin.", OFFICERS),
        ("The safety officer is Dr Henrik Vaas.", OFFICERS),
        ("Marie Curie won the Nobel Prize.", "Marie Curie came from Warsaw. She won the Nobel Prize."),
        ("The exposure limit is 15 ppm.", "The exposure limit was set in Basel. The limit is 15 ppm."),
    ],
)
def test_a_sentence_that_continues_the_one_before_is_still_read_with_it(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize("claim", ["The store is open from 9 to 11.", "The store is open 9:00 to 11:00."])
def test_a_full_hour_may_be_said_without_its_zeros(claim: str) -> None:
    passage = hit("The store is open from 09:00 to 11:00.")
    assert ground_sentence(f"{claim} [1]", [passage], check=CHECK).supported


@pytest.mark.parametrize("claim", ["The store is open from 9 to 12.", "The store is open from 9 pm to 11 pm."])
def test_another_hour_is_not_supported(claim: str) -> None:
    assert CHECK.support(claim, "The store is open from 09:00 to 11:00.") < 0.5


def test_a_claim_that_repeats_itself_without_end_is_refused_and_a_long_quotation_is_not() -> None:
    numbers = ", ".join(f"{number} mg" for number in range(1, 41))
    table = f"The doses were {numbers}."
    assert CHECK.support(f"Its doses were {numbers}.", table) == 0.0  # 40 numbers; word by word, minutes
    assert CHECK.support("the pump " * 61 + "stops", "the pump stops " * 61) == 0.0  # 123 words
    assert CHECK.support(table, f"{table} They were given twice.") == 1.0
    assert CHECK.examine("the pump " * 61 + "stops", "The pump stops.").twists == ("it is too long for one statement",)


def test_a_row_below_a_head_with_a_question_mark_is_read_with_that_head():
    table = "| Tool | Price per day | Deposit? |\n| Chain saw | 30 euros | 100 euros |\n| Ladder | 8 euros | 20 euros |"

    assert EvidenceCheck().support("The price per day of a ladder is 8 euros.", table) >= 0.5
    assert EvidenceCheck().support("Chain saw: Ladder; 30 euros: 8 euros; 100 euros: 20 euros.", table) < 0.5
