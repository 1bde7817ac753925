"""`candor collection`, `words` and `keys`, and asking with them."""

import pytest
from library import NOBODY
from questions import GLOVES

from rag.record import Recorder


def test_a_collection_is_made_asked_listed_and_removed(inside, home):
    made = inside("collection", "add", "Office", "faq.html", "travel_policy.docx", data_dir=home)
    listed = inside("documents", "--collection", "Office", "--json", data_dir=home)
    answer = inside("ask", GLOVES, "--collection", "Office", "--json", data_dir=home)
    less = inside("collection", "remove", "Office", "faq.html", "--json", data_dir=home)
    gone = inside("collection", "remove", "Office", data_dir=home)

    assert made.out == "Office: faq.html, travel_policy.docx\n"
    assert [one["document"] for one in listed.json] == ["faq.html", "travel_policy.docx"]
    assert {hit["document"] for hit in answer.json["retrieved"]} <= {"faq.html", "travel_policy.docx"}
    assert answer.json["query"]["filters"]["collection"] == "Office"
    assert (less.json["documents"], gone.out) == (["travel_policy.docx"], "Removed the collection Office.\n")
    assert inside("collection", "list", "--json", data_dir=home).json == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["ask", GLOVES, "--collection", "Offices"], "There is no collection 'Offices'. Collections: none"),
        (["collection", "add", "Office"], "Name the documents of the collection 'Office'"),
        (["collection", "add", "Office", "faq.htm"], "There is no document 'faq.htm' in the index"),
        (["collection", "remove", "Offices"], "There is no collection 'Offices'"),
        (["words", "add", "PPE", "ppe"], "'PPE' cannot be its own meaning"),
        (["words", "remove", "PPE"], "There is no house word 'PPE'"),
    ],
)
def test_what_is_not_there_is_refused_by_name(inside, home, arguments, told):
    ran = inside(*arguments, data_dir=home)

    assert ran.code == 1
    assert told in ran.err


def test_house_words_are_added_listed_imported_exported_and_removed(inside, tmp_path):
    home, file = tmp_path / "data", tmp_path / "words.csv"
    file.write_text("word,means,by\nSDS,safety data sheet,ada\nPPE,protective gear,\n", encoding="utf-8")
    added = inside("words", "add", "PPE", "protective gear", data_dir=home)
    read = inside("words", "import", str(file), "--json", data_dir=home)
    listed = inside("words", "list", "--csv", data_dir=home)
    gone = inside("words", "remove", "SDS", data_dir=home)

    assert (added.out, read.json) == ("PPE = protective gear\n", {"new": 1, "read": 2})
    assert listed.out.splitlines()[0] == "word,means,by"
    assert listed.out.splitlines()[2] == "SDS,safety data sheet,ada"
    assert gone.out == "Removed SDS.\n"
    assert inside("words", "list", data_dir=home).out == "PPE = protective gear\n"


def test_every_command_for_keys_takes_json(inside, tmp_path):
    made = inside("keys", "create", "desk", "--json", data_dir=tmp_path / "data")
    key_id = made.json["key_id"]
    revoked = inside("keys", "revoke", key_id, "--json", data_dir=tmp_path / "data")
    listed = inside("keys", "list", "--json", data_dir=tmp_path / "data")
    again = inside("keys", "revoke", key_id, "--json", data_dir=tmp_path / "data")

    assert (revoked.code, revoked.json) == (0, {"key_id": key_id, "revoked": True})
    assert [key["key_id"] for key in listed.json if key["revoked_at"]] == [key_id]
    assert again.code == 1
    assert key_id in again.err


def test_questions_asked_in_vain_are_listed_together_until_they_are_dismissed(inside, home):
    for question in (NOBODY, NOBODY.lower()):
        asked = inside("ask", question, "--json", data_dir=home)
    listed = inside("unanswered", "--json", data_dir=home)
    told = inside("unanswered", data_dir=home)

    assert asked.json["outcome"] == "refused"
    (group,) = [
        one for one in listed.json if asked.json["request_id"] in [each["request_id"] for each in one["questions"]]
    ]
    assert group["times"] == 2
    assert f"   2 x  {group['last'][:10]}  {group['question']}  (2 refused)" in told.out.splitlines()
    Recorder(home).dismiss([asked.json["request_id"]])
    assert NOBODY.lower() not in inside("unanswered", data_dir=home).out
