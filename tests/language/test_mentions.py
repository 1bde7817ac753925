import pytest
from passages import hit

from rag.language.lexical import passage_terms
from rag.language.mentions import doubts, elsewhere, misnamed, unmentioned

WASTE = hit("The waste store in Building D is open on Tuesday and Thursday from 09:00 to 11:00.", section="3.2 Waste")


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("When is the waste store in Building A open?", ("Building A",)),
        ("When is the waste store in Building D open?", ()),
        ("When is the waste store of Norway open?", ("Norway",)),
        ("When is Norway's waste store open?", ("Norway",)),
        ("Is the waste store open at 09:00?", ()),
        ("Is the waste store open at 14:00?", ("14:00",)),
        ("Does the Safety Manual say when the Waste store is open?", ()),
        ("Is it open on Tuesdays?", ()),
        ("Explain the waste store. Describe when it is open.", ()),
        ("May I use the store?", ()),
        ("What does the D building hold?", ()),
        ("Are vitamin K and vitamin A in the store?", ("K", "vitamin A")),
        ("What is meant by “A horizon”?", ()),
        ("Is room B-214 near Building D and Norway or Norway?", ("B-214", "Norway")),
        ("Is the store kept at 20 °C with 12 V for 30 kg?", ()),
        ("May a 5 year old dog, or 3 adult dogs, see the store?", ()),
        ("Is the store in room 12, for class 4, with form 7?", ("12", "4", "7")),
        ("Was it open in 2019, and people there?", ("2019",)),
        ("Is it open while I'm there?", ()),
        ("IS THE OLD STORE OPEN TO GUESTS?", ()),  # capitals throughout name nothing
        ("IS THE STORE OPEN IN 2019?", ("2019",)),
    ],
)
def test_names_and_numbers_that_no_quoted_passage_has_are_found(question, missing):
    assert unmentioned(question, [WASTE]) == missing


def test_one_of_several_passages_is_enough():
    other = hit("In Norway it is closed.", rank=2)

    assert unmentioned("Is the store in Norway in Building D?", [WASTE, other]) == ()


def test_a_file_name_and_a_heading_count_as_said():
    filing = hit("The company's sales rose.", document="2023_Q1_Acme.pdf", section="Item 2 Sales")

    assert unmentioned("Did sales of Acme rise in Q1 2023 (Item 2)?", [filing]) == ()


def test_nothing_is_missing_where_nothing_is_quoted():
    assert doubts("Is it in Norway?", []) == ()


def test_a_name_with_underscores_is_one_name():
    valve = hit("Open valve K_7_b before the pump.")

    assert unmentioned("What is K_7_b for?", [valve]) == ()
    assert unmentioned("What is K_7_c for?", [valve]) == ("K_7_c",)
    assert unmentioned("What is valve K for?", [valve]) == ()


def test_a_doubt_names_what_is_missing():
    (said,) = doubts("Is the store in Norway open in 2024?", [WASTE])

    assert "“Norway”, “2024”" in said


ACME = hit("Sales rose by 4 million.", document="2023_Q1_Acme.pdf")
BOLT = hit("Sales fell by 2 million.", rank=2, document="2023_Q2_Bolt.pdf")
BOTH = hit("Acme and Bolt sell more than all others.", rank=3, document="overview.pdf")


def shares(question, *passages):
    words = [passage_terms(passage.content, passage.sentences) for passage in passages]
    return misnamed(question, passages, words)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Did sales of Acme rise?", [0, 1, 0]),
        ("Did Acme's sales rise in Q2 2023?", [1 / 3, 1 / 3, 2 / 3]),  # Acme, Q2, 2023
        ("Did sales of Corvo rise?", [0, 0, 0]),  # heads none of them, so that it tells nothing apart
        ("Did sales rise by 4 million?", [0, 0, 0]),
        ("Acme: did sales rise?", [0, 0, 0]),  # what opens a sentence is no name
    ],
)
def test_a_passage_is_about_what_stands_in_its_place_or_text(question, found):
    assert shares(question, ACME, BOLT, BOTH) == pytest.approx(found)


def test_a_bare_number_in_a_file_name_is_no_name_and_a_lettered_class_is():
    five, class_a = hit("Wiped up.", document="5 spills.md"), hit("Wear two pairs.", document="class A.md")

    assert shares("What of more than 5 ml?", five, class_a) == [0, 0]
    assert shares("What must I wear with class A?", five, class_a) == [1, 0]


def test_a_heading_tells_no_documents_apart_and_says_what_its_passage_is_about():
    tundra = hit("Mosses grow there.", document="biomes.md", section="Arctic tundra")
    mosses = hit("Mosses stand cold and thaw.", rank=2, document="plants.md")
    arctic = hit("Snow.", rank=3, document="arctic.md")

    assert shares("Why do mosses grow in the Arctic?", tundra, mosses) == [0, 0]
    assert shares("Why do mosses grow in the Arctic?", tundra, mosses, arctic) == [0, 1, 0]


def test_a_name_within_an_address_or_a_file_name_counts():
    site = hit("Inventories fell.", document="2023_Q1-dune.com.pdf")

    assert shares("Did inventories of Dune fall in Q1?", site, ACME, BOTH) == pytest.approx([0, 1 / 2, 1])


def test_without_passages_there_is_nothing_to_say():
    assert shares("Is it in Norway?") == []


HOSTEL, HUT = "hostel_rules.docx", "hut_handbook.pdf"


def test_a_word_that_names_another_document_found_is_told():
    quoted, other = hit("Night duty ends at 7:00.", document=HOSTEL), hit("Dogs stay outside.", document=HUT, rank=2)
    (note,) = elsewhere("When does the night duty of the hut end?", [quoted], [quoted, other])

    assert note.startswith("“hut” stands in the title of hut_handbook.pdf, which the answer is not quoted from")


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("When does the night duty of the hut end?", "Night duty in the hut ends at 7:00."),
        ("When does the night duty end?", "Night duty ends at 7:00."),
        ("When does the night duty of the hostel end?", "Night duty ends at 7:00."),
        ("What does the handbook say of the night duty?", "Night duty ends at 7:00."),  # names no document
    ],
)
def test_a_word_that_what_is_quoted_has_or_that_names_none_is_not_told(question, text):
    quoted, other = hit(text, document=HOSTEL), hit("Dogs stay outside.", document=HUT, rank=2)

    assert elsewhere(question, [quoted], [quoted, other]) == ()
    assert elsewhere("Is it the hut?", [], [other]) == ()


def test_a_time_of_day_or_an_age_names_nothing_that_could_be_missing():
    assert doubts("Is it open at 14:00?", [WASTE]) == ()
    assert doubts("My son is 12. May he come?", [WASTE]) == ()
    assert doubts("Is room 412 open?", [WASTE])
