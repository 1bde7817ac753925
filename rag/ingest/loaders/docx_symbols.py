"""Signs of symbol fonts: Word stores them by their place in the font, where `m` stands for µ and 0xA3 for ≤."""

_HIDDEN = 0xF000
"""Word moves the places of symbol fonts up by this much, into the private use area."""
_UNREAD = "\ufffd"


def _rows(rows: dict[int, str]) -> dict[int, str]:
    """Return the sign of each place, given runs of signs by the place of their first; a space stands for none."""
    signs = {first + index: sign for first, run in rows.items() for index, sign in enumerate(run) if sign != " "}
    return {**signs, 0x20: " ", 0xA0: " "}


_SYMBOL = _rows(
    {
        0x21: "!∀#∃%&∋()∗+,−./0123456789:;<=>?",
        0x40: "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_",
        0x61: "αβχδεφγηιϕκλµνοπθρστυϖωξψζ{|}~",
        0xA0: "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…|—↵",
        0xC0: "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑",
        0xF1: "〉∫",
    }
) | {0xA0: "€"}
_WINGDINGS = _rows(
    {
        0x28: "☎✆✉",
        0x4A: "☺😐☹",
        0x6C: "●",
        0x6E: "■□",
        0x71: "❑❒",
        0x76: "❖",
        0x9E: "·•",
        0xA7: "▪",
        0xA8: "☐",
        0xD8: "➢",
        0xDF: "←→↑↓",
        0xE7: "←→↑↓",
        0xEF: "⇦⇨",
        0xFB: "✗✓☒☑",
    }
)
_WINGDINGS_2 = _rows({0x4F: "✗✓☒☑☒☒", 0xA3: "☐"})
_FONTS = {"symbol": _SYMBOL, "wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS_2}


def sign_of(code: int, font: str) -> str:
    """Return the sign that a font shows for a code, or U+FFFD where that is not known.

    >>> sign_of(0xF06D, "Symbol"), sign_of(0xF0A3, "Symbol"), sign_of(0xF0FC, "Wingdings")
    ('µ', '≤', '✓')
    >>> sign_of(0x2264, "Arial"), sign_of(0xF0A3, "House Icons") == "\ufffd"
    ('≤', True)

    Args:
        code: What the file has: a place in a symbol font, moved into the private use area or not, or a character.
        font: The font's name.
    """
    signs = _FONTS.get(font.casefold().strip())
    place = code - _HIDDEN if _HIDDEN <= code <= _HIDDEN + 0xFF else code
    if signs is not None and place <= 0xFF:
        return signs.get(place, _UNREAD)
    is_private = 0xE000 <= code <= 0xF8FF or not 0x20 <= code <= 0x10FFFF or 0xD800 <= code <= 0xDFFF
    return _UNREAD if is_private else chr(code)


def in_font(text: str, font: str) -> str:
    """Return a text as a font shows it: one of a symbol font has other signs than its letters say.

    A private place of a font that is not known is left to `clean`, which knows the bullets among them.

    >>> in_font("mg", "Symbol"), in_font("mg", "Arial")
    ('µγ', 'mg')
    """
    if font.casefold().strip() not in _FONTS:
        return text
    return "".join(sign_of(ord(character), font) if ord(character) > 0x1F else character for character in text)
