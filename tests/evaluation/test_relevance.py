import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.evaluation.relevance import is_relevant, judge, overlaps, same_section, section_number

from .made import chunk, gold


def test_another_document_is_never_relevant():
    assert not is_relevant(chunk(document="other.md"), gold())
    assert is_relevant(chunk(), gold())


def test_a_given_page_must_equal():
    assert is_relevant(chunk(page=3), gold(page=3))
    assert not is_relevant(chunk(page=4), gold(page=3))
    assert not is_relevant(chunk(page=None), gold(page=3))
    assert is_relevant(chunk(page=4), gold())


def test_a_given_section_is_compared_by_number():
    assert is_relevant(chunk(section="2.2 Working with hoods"), gold(section="2.2"))
    assert not is_relevant(chunk(section="2.20 Other"), gold(section="2.2"))
    assert not is_relevant(chunk(section=None), gold(section="2.2"))
    assert is_relevant(chunk(section=None), gold(section=" "))


def test_chapter_is_not_part_of_relevance():
    assert is_relevant(chunk(), gold(chapter=9))


@pytest.mark.parametrize(
    ("section", "number"),
    [
        ("2.2 Hoods", "2.2"),
        ("2.2.", "2.2"),
        ("Section 4: Spills", "4"),
        ("§ 12.1 Lids", "12.1"),
        ("A.1 Forms", "a.1"),
        ("3rd party rules", None),
        ("Glossary", None),
        (None, None),
    ],
)
def test_section_numbers_are_read_from_the_front(section, number):
    assert section_number(section) == number


def test_sections_without_a_number_are_compared_by_title():
    assert same_section("  GLOSSARY ", "Glossary")
    assert not same_section("Glossary", "Preface")


def test_text_overlaps_when_one_contains_the_other_whatever_case_and_space():
    assert overlaps("Wear  GLOVES\nalways.", "wear gloves")
    assert overlaps("gloves", "Wear gloves always.")
    assert not overlaps("Wear goggles.", "Wear gloves.")
    assert not overlaps("  ", "Wear gloves.")


def test_a_shared_run_of_60_characters_is_enough_and_59_are_not():
    shared = "".join(chr(ord("a") + index * index % 26) + str(index % 10) for index in range(40))
    assert overlaps("XX" + shared[:60] + "YY", "UU" + shared[:60] + "VV")
    assert not overlaps("XX" + shared[:59] + "YY", "UU" + shared[:59] + "VV")


@given(st.text("ab", max_size=40), st.text("ab", max_size=40), st.integers(1, 12))
def test_the_shared_run_is_found_as_by_brute_force(one, other, run):
    brute = any(one[start : start + run] in other for start in range(len(one) - run + 1))
    contained = bool(one) and bool(other) and (one in other or other in one)
    assert overlaps(one, other, run=run) == (contained or (brute and bool(other)))


def test_any_of_several_places_suffices_and_missed_places_are_counted():
    chunks = [chunk(1, page=9), chunk(2, page=3), chunk(3, page=4), chunk(4, document="other.md", page=3)]
    judged = judge(chunks, [gold(page=3), gold(page=5), gold("third.md")])
    assert judged.relevant == (False, True, False, False)
    assert judged.document == (True, True, True, False)
    assert judged.page == (False, True, False, False)
    assert judged.unmatched == 2


def test_pages_are_not_judged_where_none_is_known():
    assert judge([chunk()], [gold()]).page is None
