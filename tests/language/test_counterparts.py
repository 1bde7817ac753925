"""What another party does, or what something is with for without, is the counterpart of what is asked."""

import pytest

from rag.language.counterparts import counterpart_in, is_of_counterpart, speaks_of_it


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("When must the Lessee return the keys?", "The Lessor shall return the keys within a week."),
        ("How much must the Buyer pay?", "The Seller must pay 40 euros for storage."),
        ("What notice must the tenant give to end the lease?", "The landlord may end the lease with a month's notice."),
        ("What does a stall without power cost?", "A stall with power costs 30 euros a day."),
        ("What does a stall with a roof cost?", "A stall without a roof costs 20 euros a day."),
    ],
)
def test_the_counterpart_of_what_is_asked_is_known(question: str, text: str) -> None:
    assert is_of_counterpart(question, text)
    assert not speaks_of_it(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("When must the Lessee return the keys?", "The Lessee shall return the keys within a week."),
        (
            "When must the Lessee return the keys?",
            "The keys are returned by the Lessee; the Lessor may return the bond.",
        ),
        ("When must the Lessee return the keys?", "The Lessor may keep the bond."),  # another deed
        ("Must the Lessee return the keys?", "The Lessor shall return the keys."),  # who does is the answer
        ("When must the ferry leave?", "The visitor must leave by noon."),  # a thing is no party
        ("When must the keys be returned?", "The Lessor shall return the keys within a week."),  # no party is asked of
        ("What does a stall without power cost?", "A stall without power costs 20 euros, one with power 30."),
        ("What does a stall without power cost?", "A stall with a roof costs 30 euros."),
        ("What does a stall cost?", "A stall with power costs 30 euros."),
        ("Can I have a stall without power?", "A stall is let with power only."),  # the contrary answers it
        ("How does the water enter the tower?", "The river can enter the cellar."),  # neither is a party
    ],
)
def test_what_tells_what_is_asked_or_something_else_is_no_counterpart(question: str, text: str) -> None:
    assert not is_of_counterpart(question, text)


def test_what_is_asked_is_spoken_of_where_party_and_deed_or_company_are() -> None:
    assert speaks_of_it("When must the Lessee return the keys?", "The Lessee returns the keys in May.")
    assert not speaks_of_it("When must the Lessee return the keys?", "The Lessee paints the door.")
    assert speaks_of_it("What does a stall without power cost?", "Without power it is 20 euros.")
    assert speaks_of_it("What does a stall without power cost?", "Those who need no power pay 20 euros.")
    assert not speaks_of_it("What does a stall without power cost?", "A table costs 3 euros.")


def test_the_party_that_is_named_does_the_deed_that_was_asked_of_another_one() -> None:
    text = "The Agent may help, the Lessor shall pay, and the Lessor shall keep a copy."
    assert counterpart_in("When must the Lessee pay?", text) == "what the Lessor does"
    assert (
        counterpart_in("What does a stall without power cost?", "With power it is 30 euros.") == "what holds With power"
    )
    assert counterpart_in("When must the Lessor pay?", text) == ""
