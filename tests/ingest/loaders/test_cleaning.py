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


DAMAGED = "Größe und Maß der Röhre\nDas Gerät mißt 5 µm.".encode()


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html"])
def test_one_bad_byte_in_utf8_is_replaced_and_noted_and_the_rest_is_read(name: str) -> None:
    document = load_bytes(name, DAMAGED.replace(b" 5", b"\xff 5"))
    assert "Größe und Maß der Röhre" in document.text
    assert "Gerät mißt\ufffd 5 µm." in document.text
    assert document.notes == (
        "1 place is not valid UTF-8, on line 2: U+FFFD stands there. Save the file as UTF-8 again.",
    )


def test_a_file_that_ends_within_a_character_is_utf8() -> None:
    document = load_bytes("a.txt", DAMAGED + "é".encode()[:1])
    assert document.text.endswith("mißt 5 µm.\ufffd")
    assert len(document.notes) == 1


def test_several_bad_bytes_are_counted_and_the_first_is_placed() -> None:
    data = DAMAGED.replace(b"und", b"\xfe").replace(b" 5", b"\xff 5")
    assert load_bytes("a.txt", data).notes[0].startswith("2 places are not valid UTF-8, the first on line 1:")


def test_a_page_that_declares_utf8_and_has_a_bad_byte_is_utf8() -> None:
    document = load_bytes("a.html", b'<meta charset="utf-8"><p>' + DAMAGED + b"\xff</p>")
    assert "Größe und Maß" in document.text
    assert len(document.notes) == 1


def test_the_replacement_character_itself_is_a_character() -> None:
    document = load_bytes("a.txt", DAMAGED + "\ufffd".encode())
    assert document.notes == ()
    again = load_bytes("a.txt", DAMAGED + "\ufffd".encode() + b"\xff")
    assert again.notes[0].startswith("1 place is")


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "cp1251", "koi8-r", "gbk", "shift_jis"])
def test_other_encodings_are_not_taken_for_damaged_utf8(encoding: str) -> None:
    texts = {
        "cp1251": "Лаборатория открыта до семнадцати часов, перчатки обязательны для всех сотрудников. ",
        "koi8-r": "Лаборатория открыта до семнадцати часов, перчатки обязательны для всех сотрудников. ",
        "gbk": "实验室从早上九点开放到下午五点，所有员工必须佩戴手套。",
        "shift_jis": "実験室は午前九時から午後五時まで開いています。",
    }
    text = texts.get(encoding, "Der Prüfer mißt am Gerät, und in Maß und Größe steht es fest. ") * 6
    document = load_bytes("a.txt", text.encode(encoding))
    assert document.text.strip() == text.strip()
    assert document.notes == ()


def test_a_sharp_s_before_a_closing_quotation_mark_is_windows_1252() -> None:
    text = "Er sagte: „Spaß“, und die Größe paßte für das Gerät und für den Prüfer."  # ß“ would be valid UTF-8
    assert load_bytes("a.txt", text.encode("cp1252")).text == text


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
        ("1½ cups, ½ cup, H½", "1 ½ cups, ½ cup, H½"),
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


@pytest.mark.parametrize("declared", ["iso-8859-1", "windows-1252", "latin1"])
def test_valid_utf8_wins_over_another_declaration(declared: str) -> None:
    page = f'<html><head><meta charset="{declared}"></head><body><h1>Müller</h1></body></html>'
    assert load_bytes("a.html", page.encode()).text == "Müller"
    assert load_bytes("a.html", page.encode("cp1252")).text == "Müller"


@pytest.mark.parametrize("declared", ["utf-16", "UTF-16LE", "utf-32", "unicode"])
def test_a_declaration_of_wide_characters_in_a_page_of_bytes_is_no_matter(declared: str) -> None:
    page = f'<html><head><meta charset="{declared}"></head><body><h1>Größe</h1></body></html>'
    assert load_bytes("a.html", page.encode()).text == "Größe"
    assert load_bytes("a.html", page.encode("utf-16")).text == "Größe"


@pytest.mark.parametrize(
    ("text", "encoding", "name"),
    [
        ("Zgodnie z regulaminem każdy pracownik otrzymuje urlop, a wniosek składa w biurze.", "cp1250", "Windows-1250"),
        ("Zgodnie z regulaminem każdy pracownik otrzymuje ścieżkę źródła w biurze.", "iso8859_2", "ISO 8859-2"),
        ("A szerződés időtartama két év, a felek döntésével hosszabbítható, őszre szűkül.", "cp1250", "Windows-1250"),
        ("Bu kışın çalışan kişi için süre uzatılır ve ödeme yapılır, dedi müdür.", "cp1254", "Windows-1254"),
        ("The café of Müller is open and the façade is new — “good” price.", "mac_roman", "Mac OS Roman"),
        ("Die Straße in Köln ist für den Verkehr gesperrt, und zwar über Nacht.", "cp850", "code page 850"),
    ],
)
def test_an_encoding_that_the_words_speak_for_is_taken_and_said_to_be_a_guess(
    text: str, encoding: str, name: str
) -> None:
    document = load_bytes("a.txt", text.encode(encoding))
    assert document.text == text
    assert document.notes == (
        f"Its encoding is not declared: it was read as {name} by its words. Save it as UTF-8 to be sure.",
    )


@pytest.mark.parametrize(
    "text",
    [
        "Müller and José met Søren at the café in Zürich for a façade of 5 m².",
        "“Quoted” – the café’s price is 5 €, and the coöperation of Zoë–Noël.",
        "El Niño está aquí mañana, ¿no?",
        "São Paulo não tem limitações, são três.",
        "Le garçon a mangé à la crème brûlée, où ça ? L’été, naïf.",
        "Søren Kierkegaard, Søren Lie and Søren Ek were naïve; the résumé says so.",
        "5 °C, 10 µm and ½ of it; § 4 · 3×2.",
    ],
)
def test_western_text_stays_windows_1252_without_a_note(text: str) -> None:
    document = load_bytes("a.txt", text.encode("cp1252"))
    assert document.text == text
    assert document.notes == ()
