"""Eight people ask one server at the same moment, each in a browser of their own."""

from contextlib import ExitStack

import pytest
from watched import KNOWN, UNKNOWN, watching

pytestmark = pytest.mark.e2e
ASKED = (
    (KNOWN, "between 0.4 and 0.6 metres per second"),
    ("By what name are floods caused by volcanoes under the ice known in Iceland?", "jökulhlaup"),
    ("What happened to the glaciers after the Larsen B ice shelf broke up?", "several times faster"),
    (UNKNOWN, "The documents do not cover this"),
)


@pytest.fixture
def people(browser, server, tmp_path):
    """Eight pages that share nothing but the server."""
    with ExitStack() as contexts:
        yield [
            contexts.enter_context(watching(browser, server, folder=tmp_path, suffix=str(number)))
            for number in range(8)
        ]


def test_eight_people_who_ask_at_once_see_their_own_answers_only(people):
    for person in people:
        person.open()
    for number, person in enumerate(people):
        person.begin(ASKED[number % len(ASKED)][0])  # nobody waits for anybody
    for number, person in enumerate(people):
        question, answer = ASKED[number % len(ASKED)]
        person.page.get_by_role("button", name="Why?").first.wait_for(timeout=240_000)
        person.settle()
        said = person.page.get_by_test_id("stMain").inner_text()  # the menu lists the conversations of this machine
        assert question in said
        assert answer in said
        assert not [other for other, _ in ASKED if other != question and other in said]
    assert len({person.page.url for person in people}) == 8  # a conversation each
