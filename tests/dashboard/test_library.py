"""Collections and house words on the pages: edited on Documents, chosen on Ask, undone at the answer."""

import pytest
from seen import button, logged_in, offers, text_of

from dashboard import resources
from rag.models import HouseWord

ASKED = "Which skin cover does dichloromethane need?"


@pytest.fixture
def library(library):
    """The library; what a test keeps in it goes again."""
    yield library
    sessions = library.wiring.sessions
    for one in sessions.collections.list():
        sessions.collections.remove(one.name)
    for word in sessions.house_words.list():
        sessions.house_words.remove(word.word)


def test_a_document_is_put_into_a_collection_which_is_asked_alone_and_taken_out_again(open_page, library):
    test = open_page("documents", shown="faq.html")
    test.multiselect(key="collections-of-faq.html").set_value(["Office"]).run()
    assert [(one.name, one.documents) for one in library.wiring.sessions.collections.list()] == [
        ("Office", ("faq.html",))
    ]
    listed = open_page("documents", within="Office").dataframe[0].value
    assert listed[["document", "collections"]].to_numpy().tolist() == [["faq.html", "Office"]]
    open_page("ask", collection="Office").chat_input[0].set_value("Which gloves are required?").run()
    (newest, *_) = library.wiring.recorder.requests(limit=1)
    assert newest.collection == "Office"
    assert set(newest.retrieved_documents) == {"faq.html"}
    for page, key in (("documents", "within"), ("ask", "collection")):
        gone = open_page(page, **{key: "Offices"})
        assert [one.proto.title for one in gone.warning] == ["There is no collection Offices"]
    test.multiselect(key="collections-of-faq.html").set_value([]).run()
    assert [one.documents for one in library.wiring.sessions.collections.list()] == [()]


def test_an_answer_says_which_house_word_it_was_read_with_and_the_way_back_is_one_click(open_page, library):
    library.wiring.sessions.house_words.add([HouseWord(word="skin cover", means="gloves")])
    library.wiring.house_words._until = 0.0
    test = open_page("ask")
    test.chat_input[0].set_value(ASKED).run()
    assert "Read as: Which gloves does dichloromethane need? (house word: skin cover)" in text_of(test)
    assert [one.value for one in test.text_input if one.label == "Question"] == [
        "Which gloves does dichloromethane need?"
    ]
    button(test, "As I wrote it").click().run()
    newest, before = library.wiring.recorder.requests(limit=2)
    assert (newest.question, newest.house_words) == (ASKED, ())
    assert before.house_words == ("skin cover = gloves",)


def test_a_file_of_house_words_that_is_dropped_is_kept_and_one_that_is_none_is_refused(open_empty):
    test = open_empty("documents", tab="House words")
    test.file_uploader[0].set_value(("words.csv", b"word,means\nPPE,protective gear\n", "text/csv")).run()
    assert [str(one) for one in resources.get_candor().wiring.sessions.house_words.list()] == ["PPE = protective gear"]
    test = open_empty("documents", tab="House words")
    test.file_uploader[0].set_value(("words.csv", b"PPE\n", "text/csv")).run()
    assert "has one column" in text_of(test)


def test_an_expert_reads_documents_and_edits_house_words_and_changes_nothing_else(open_page, library, monkeypatch):
    logged_in(monkeypatch, "Ada", "ask", "key-a")
    test = open_page("documents", shown="faq.html")
    assert "Who pays for consumables?" in text_of(test)
    assert test.multiselect(key="collections-of-faq.html").disabled
    assert not [*test.get("file_uploader"), *(one for one in ("Read again", "Remove it") if offers(test, one))]
    assert [one.label for one in test.tabs] == ["Documents", "House words"]
    test = open_page("documents", tab="House words")
    stored = library.wiring.sessions.house_words
    test.session_state["House words-0"] = {"added_rows": [{"word": "PPE", "means": "gloves"}], "edited_rows": {},
                                           "deleted_rows": []}  # fmt: skip
    button(test.run(), "Save").click().run()
    assert [(one.word, one.means, one.by) for one in stored.list()] == [("PPE", "gloves", "Ada")]
    button(test, "Undo").click().run()
    assert [*stored.list()] == []
