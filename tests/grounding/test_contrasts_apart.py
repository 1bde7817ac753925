"""What is set apart by `unlike`, `except` or `but` is no part of what is said of the rest. All written by hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
PINE = "Unlike oak, pine floats and burns quickly."
FERRY = "Apart from Sundays, the ferry sails every day."
CLINIC = "The clinic is open every day but Friday."
ENGINE = "Apart from the engine, everything was rebuilt in 1950."
MODEL = "In contrast to the older model, which needs oil, the new model runs dry."
MIXTURE = "The mixture is harmless to bees but lethal to wasps."
SHOP = "The shop sells bread and cakes but closes on Mondays."
NURSE = "She trained as a nurse but became a pilot in 1960."
FARE = "The fare includes breakfast but excludes drinks."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Oak floats.", PINE),
        ("Unlike pine, oak floats.", PINE),
        ("The older model runs dry.", MODEL),
        ("Hens need open water.", "Ducks, as opposed to hens, need open water."),
        ("The forecast grew in June.", "Contrary to the forecast, exports grew in June."),
        ("Most bats do not use sonar.", "Unlike most bats, the flying fox does not use sonar."),
        ("The ferry sails on Sundays.", FERRY),
        ("The ferry sails every day.", FERRY),
        ("The clinic is open on Friday.", CLINIC),
        ("The clinic is open every day.", CLINIC),
        ("The bus stops at Orne.", "The bus stops at every village save Orne."),
        ("The engine was rebuilt in 1950.", ENGINE),
        ("Everything was rebuilt in 1950.", ENGINE),
        ("In emergencies, the stairs must not be used.", "Except in emergencies, the stairs must not be used."),
        ("All guests pay, day visitors among them.", "Guests pay at the gate, except day visitors."),
        ("The mixture is harmless to bees and wasps.", MIXTURE),
        ("The shop sells bread on Mondays.", SHOP),
        ("She trained as a pilot in 1960.", NURSE),
        ("Breakfast is excluded.", FARE),
    ],
)
def test_what_is_set_apart_is_not_said_of_it(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Pine burns quickly.", PINE),
        ("Unlike oak, pine floats.", PINE),
        ("The new model runs dry.", MODEL),
        ("The older model needs oil.", MODEL),
        ("The ferry sails every day apart from Sundays.", FERRY),
        ("The clinic is open every day but Friday.", CLINIC),
        ("The mixture is lethal to wasps.", MIXTURE),
        ("The shop closes on Mondays.", SHOP),
        ("She became a pilot in 1960.", NURSE),
        ("He later returned to Oslo.", "He moved to Rome but later returned to Oslo."),
        (
            "The firm has offices in Basel and Zug.",
            "Apart from Bern, the firm also has offices in Basel and Zug.",
        ),
        ("Nobody but the curator has a key.", "Nobody but the curator has a key to it."),
        (
            "Each run is brushed.",
            "Each run is brushed, and starts and stops are set at least 20 millimetres apart from those beneath.",
        ),
    ],
)
def test_what_is_said_of_the_rest_is_carried(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The fare does not include drinks.", FARE),
        ("Drinks are not included in the fare.", FARE),
        ("Drinks are excluded.", FARE),
        ("The policy excludes theft.", "The policy does not cover theft."),
        ("The policy does not cover theft.", "The policy covers fire but excludes theft."),
        ("The insurance excludes floods.", "The insurance covers fire but does not cover floods."),
    ],
)
def test_what_is_excluded_is_not_covered(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The fare does not include breakfast.", FARE),
        ("The fare includes drinks.", FARE),
        ("The fare excludes breakfast.", FARE),
        ("The policy does not exclude theft.", "The policy does not cover theft."),
        ("The insurance excludes fire.", "The insurance covers fire but does not cover floods."),
    ],
)
def test_what_is_covered_is_not_excluded(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5
