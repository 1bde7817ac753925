"""`candor unanswered`: what was asked in vain, alike questions together."""

import shutil

import pytest
from library import NOBODY

from rag.record import Recorder


@pytest.fixture
def home(library_home, tmp_path):
    return shutil.copytree(library_home, tmp_path / "data")


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


def test_an_empty_record_is_said_to_be_one(inside, tmp_path):
    ran = inside("unanswered", data_dir=tmp_path / "data")

    assert (ran.code, ran.out) == (
        0,
        "No unanswered questions: every recorded question of this time got an answer that nobody called bad.\n",
    )
