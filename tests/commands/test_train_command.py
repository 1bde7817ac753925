"""The command `candor train`: what experts judged changes the reader, and can be taken back."""

import json

import pytest
from library import quiet_settings

from rag import Candor
from rag.workspace.values import Label

SUBJECTS = ("lamp", "crane", "bridge", "boiler", "ladder", "winch", "pump", "valve")
PARTS = ("handle", "hinge", "plate")
COLOURS = ("green", "grey", "brown")


def sentence(subject, part):
    return f"The {part} of the {subject} is painted {COLOURS[PARTS.index(part)]}."


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    """Eight documents of three sentences, and 24 questions, every third of which none of them answers."""
    folder = tmp_path_factory.mktemp("labels") / "yard"
    (folder / "documents").mkdir(parents=True)
    lines = []
    for number, subject in enumerate(SUBJECTS):
        text = " ".join(sentence(subject, part) for part in PARTS)
        (folder / "documents" / f"{subject}.md").write_text(f"# The {subject}\n\n{text}\n", encoding="utf-8")
        asked = [(f"Who sold the {subject} to the harbour?", [])]
        for part in PARTS[:2]:
            gold = {"document": f"{subject}.md", "text": sentence(subject, part)}
            asked.append((f"What colour is the {part} of the {subject}?", [gold]))
        lines += [
            {"qid": f"{number}-{place}", "question": question, "answerable": bool(places), "gold": places}
            for place, (question, places) in enumerate(asked)
        ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return folder


def test_labels_of_a_folder_change_the_reader_and_can_be_taken_back(inside, dataset, tmp_path):
    home = tmp_path / "data"
    taught = inside("train", str(dataset), "--force", "--json", data_dir=home)
    found = taught.json["comparison"]
    asked = ("ask", "What colour is the hinge of the crane?", "--json")
    inside("ingest", str(dataset / "documents"), data_dir=home)
    with_head = inside(*asked, data_dir=home).json
    undone = inside("train", "--undo", data_dir=home)
    without = inside(*asked, data_dir=home).json
    assert (taught.code, taught.json["number"], taught.json["sources"]) == (0, 1, {"yard": 24})
    assert (found["questions"], found["answerable"], found["unseen"]) == (24, 16, 0)
    assert found["answering"] == 16
    for figures in (found["before"], found["after"]):
        assert figures["choice"]["denominator"] == figures["right"]["denominator"] == 16
        assert figures["false_answers"]["denominator"] == 8
    assert (undone.code, undone.out.startswith("Lesson 1 was undone")) == (0, True)
    one, other = ([hit["window_readings"] for hit in answer["retrieved"]] for answer in (with_head, without))
    assert one != other
    assert not (home / "reader-head.json").exists()


def test_answers_that_were_judged_here_are_labels_and_what_is_no_better_changes_nothing(inside, dataset, tmp_path):
    home = tmp_path / "judged"
    with Candor.open(quiet_settings(home)) as candor:
        candor.ingest([dataset / "documents"])
        for line in (dataset / "questions.jsonl").read_text(encoding="utf-8").splitlines():
            question = json.loads(line)
            answer = candor.ask(question["question"])
            said = [("answerable", "", "yes" if question["answerable"] else "no")]
            for gold in question["gold"]:
                said += [("chunk", hit.chunk_id, "relevant") for hit in answer.retrieved if gold["text"] in hit.content]
            for aspect, item, verdict in said:
                label = Label(target=answer.request_id, aspect=aspect, item=item, labeller="ada", verdict=verdict)
                candor.wiring.sessions.labels.put(label)
    ran = inside("train", data_dir=home)
    again = inside("train", "--json", data_dir=home).json
    assert "24 judged questions (24 from this index), 16 of them answerable" in ran.out
    assert "answered right " in ran.out
    assert "AUROC of confidence " in ran.out
    assert ran.code == (0 if again["is_better"] else 1)
    assert (home / "reader-head.json").exists() is again["is_better"]
    assert ("NOT put in force: it is no better." in ran.out) is not again["is_better"]


def test_too_few_labels_are_told_without_a_lesson_none_is_undone_and_a_published_reader_is_not_taught(inside, tmp_path):
    ran, undone = inside("train", "--json"), inside("train", "--undo")
    assert (ran.code, ran.json["details"]) == (1, {"questions": 0, "needed": 20})
    assert (undone.code, "There is no lesson to take back" in undone.err) == (1, True)
    (tmp_path / "model").mkdir()
    settings = {"CANDOR_READER_MODEL": str(tmp_path / "model"), "CANDOR_CONFIDENCE_THRESHOLD": "0.5"}
    ran = inside("train", data_dir=tmp_path / "data", **settings)
    assert (ran.code, "Only the reader that comes with Candor can be taught" in ran.err) == (1, True)
