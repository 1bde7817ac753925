"""Characters and encodings."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.ingest.loaders import load_bytes
from rag.ingest.loaders.cleaning import clean, decode, squeeze

SENTENCE = "Der Prüfer mißt am Gerät 5 °C – „genau“."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_encoding_is_detected(encoding: str) -> None:
    assert load_bytes("a.txt", SENTENCE.encode(encoding)).text == SENTENCE


def test_encoding_of_another_script_is_detected() -> None:
    text = "Лаборатория открыта с девяти до семнадцати часов. Перчатки обязательны для всех сотрудников. " * 5
    assert load_bytes("a.txt", text.encode("cp1251")).text.startswith("Лаборатория открыта")


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("a\r\nb\rc", "a\nb\nc"),
        ("e\u0301", "\u00e9"),
        ("\ufb01lter and \ufb02ow, o\ufb03ce", "filter and flow, office"),
        ("5\u00a0°C and\u2009thin", "5 °C and thin"),
        ("co\u00adoperate zero\u200bwidth", "cooperate zerowidth"),
        ("bell\x07 and\x00 nul\x85next", "bell and nul\nnext"),
        ("\uf0b7 item", "• item"),
        ("right\u202eleft", "rightleft"),
        ("\ud800 lone", " lone"),
    ],
)
def test_characters_become_canonical(raw: str, cleaned: str) -> None:
    assert clean(raw) == cleaned


@given(st.text())
def test_cleaning_leaves_no_control_character_and_changes_nothing_twice(text: str) -> None:
    cleaned = clean(text)
    assert not [c for c in cleaned if unicodedata.category(c) in ("Cc", "Cs") and c != "\n"]
    assert clean(cleaned) == cleaned


@given(st.text())
def test_squeezed_text_is_one_line_without_double_spaces(text: str) -> None:
    squeezed = squeeze(text)
    assert "\n" not in squeezed
    assert "  " not in squeezed
    assert squeezed == squeezed.strip()


@given(st.binary())
def test_decoding_never_fails(data: bytes) -> None:
    assert isinstance(decode(data), str)


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"])))
def test_utf8_is_decoded_as_utf8(text: str) -> None:
    assert decode(text.encode()) == text.removeprefix("\ufeff")
