"""Characters, encodings, and raised and lowered figures, which never join the number before them."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.ingest.loaders import load_bytes
from rag.ingest.loaders.cleaning import clean, decode, squeeze
from rag.ingest.loaders.raised import lowered, raised, settle

SENTENCE = "Der Prüfer mißt am Gerät 5 °C – „genau“."
UNICODE = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")
RUSSIAN = "Лаборатория открыта до семнадцати часов, перчатки обязательны для всех сотрудников. " * 6
GERMAN = "Der Prüfer mißt am Gerät, und in Maß und Größe steht es fest. " * 6


ENCODED = [
    *((SENTENCE, encoding, "") for encoding in UNICODE),
    (SENTENCE, "cp1252", ""),
    (GERMAN, "latin-1", ""),
    (RUSSIAN, "cp1251", ""),
    ("実験室は午前九時から午後五時まで開いています。" * 6, "shift_jis", ""),
    ("Er sagte: „Spaß“, und die Größe paßte für das Gerät und den Prüfer.", "cp1252", ""),  # ß“ would be valid UTF-8
    ("Müller and José met Søren at the café in Zürich for a façade of 5 m².", "cp1252", ""),
    ("“Quoted” – the café’s price is 5 €, and the coöperation of Zoë–Noël.", "cp1252", ""),
    ("5 °C, 10 µm and ½ of it; § 4 · 3×2.", "cp1252", ""),
    ("Größe und Maß\ufffd der Röhre", "utf-8", ""),  # the replacement character itself is a character
    ("Zgodnie z regulaminem każdy pracownik otrzymuje urlop, a wniosek składa w biurze.", "cp1250", "Windows-1250"),
    ("Bu kışın çalışan kişi için süre uzatılır ve ödeme yapılır, dedi müdür.", "cp1254", "Windows-1254"),
    ("The café of Müller is open and the façade is new — “good” price.", "mac_roman", "Mac OS Roman"),
    ("Die Straße in Köln ist für den Verkehr gesperrt, und zwar über Nacht.", "cp850", "code page 850"),
]


@pytest.mark.parametrize(("text", "encoding", "guess"), ENCODED)
def test_encodings_are_found_and_one_that_only_the_words_speak_for_is_said_to_be_a_guess(text, encoding, guess):
    document = load_bytes("a.txt", text.encode(encoding))
    note = f"Its encoding is not declared: it was read as {guess}, judging by its words. Save it as UTF-8 to be sure."
    assert (document.text.strip(), document.notes) == (text.strip(), (note,) if guess else ())


DAMAGED = "Größe und Maß der Röhre\nDas Gerät mißt 5 µm.".encode()
META = b'<meta charset="utf-8">'


@pytest.mark.parametrize(
    ("name", "data", "place"),
    [
        ("a.md", DAMAGED.replace(b" 5", b"\xff 5"), "1, the first on line 2"),
        ("a.html", META + DAMAGED + b"\xff", "1, the first on line 2"),
        ("a.txt", DAMAGED + "é".encode()[:1], "1,"),
        ("a.txt", DAMAGED + "\ufffd".encode() + b"\xff", "1,"),  # the character itself is none
        ("a.txt", DAMAGED.replace(b"und", b"\xfe") + b"\xff", "2, the first"),
    ],
)
def test_bad_bytes_in_utf8_are_replaced_and_noted_and_the_rest_is_read(name: str, data: bytes, place: str) -> None:
    document = load_bytes(name, data)
    assert "\ufffd" in document.text
    assert "Maß der Röhre" in document.text
    assert document.notes[0].startswith(f"Places that are not valid UTF-8, replaced by U+FFFD: {place}")
    assert document.notes[0].endswith("Save the file as UTF-8 again.")


@pytest.mark.parametrize("declared", ["iso-8859-1", "UTF-16LE", "utf-16"])
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_what_a_page_is_written_in_wins_over_what_it_declares(declared: str, encoding: str) -> None:
    page = f'<html><head><meta charset="{declared}"></head><body><h1>Größe</h1></body></html>'
    assert load_bytes("a.html", page.encode(encoding)).text == "Größe"


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("a\r\nb\rc", "a\nb\nc"),
        ("e\u0301", "\u00e9"),
        ("\ufb01lter and \ufb02ow, o\ufb03ce", "filter and flow, office"),
        ("5\u00a0°C and\u2009thin", "5 °C and thin"),
        ("co\u00adoperate zero\u200bwidth", "cooperate zerowidth"),
        ("bell\x07 and\x00 nul\x85next", "bell and nul\nnext"),
        ("right\u202eleft", "rightleft"),
        ("\ud800 lone", " lone"),
        ("1½ cups, ½ cup, H½", "1 ½ cups, ½ cup, H½"),
    ],
)
def test_characters_become_canonical(raw: str, cleaned: str) -> None:
    assert clean(raw) == cleaned


@given(st.text())
def test_cleaning_leaves_no_control_character_and_changes_nothing_twice(text: str) -> None:
    cleaned, squeezed = clean(text), squeeze(text)
    assert not [c for c in cleaned if unicodedata.category(c) in ("Cc", "Cs") and c != "\n"]
    assert clean(cleaned) == cleaned
    assert squeezed == " ".join(squeezed.split())


@given(st.binary(), st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"])))
def test_decoding_never_fails_and_decodes_utf8_as_utf8(data: bytes, text: str) -> None:
    assert isinstance(decode(data), str)
    assert decode(text.encode()) == text.removeprefix("\ufeff")


@given(
    st.lists(st.tuples(st.text(), st.sampled_from([str, raised, lowered]))), st.integers(2, 9999), st.integers(2, 99)
)
def test_of_raised_and_lowered_text_nothing_is_lost_no_mark_stays_and_no_two_figures_join(pieces, base, power):
    text = settle("".join(marked(piece) for piece, marked in pieces))
    assert not re.search(r"[\x0e-\x10]", text)
    assert [*filter(str.isalpha, text)] == [*filter(str.isalpha, "".join(piece for piece, _ in pieces))]
    assert f"{base}{power}" not in settle(f"{base}{raised(str(power))}")
