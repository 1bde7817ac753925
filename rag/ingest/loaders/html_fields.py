"""The fields of a web page: what its forms hold, and rows of a label and a value, as `Label: value`."""

from typing import TYPE_CHECKING

from rag.ingest.loaders.cleaning import squeeze

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

FIELD = "candor-field"
"""The element that stands for a field until blocks are made."""
_UNREAD = ("hidden", "password", "submit", "button", "reset", "image", "file", "search")
_INLINE = (
    "a abbr b bdi button cite code data em i kbd label mark output q small span strong time u var".split()  # noqa: SIM905
)
_OF_TYPE = frozenset(("b", "em", "i", "mark", "strong", "u"))
"""Elements that set a part of a word in another type as well."""
_LONGEST_LABEL, _LONGEST_VALUE = 60, 200


def write_fields(tree: "LexborHTMLParser") -> None:
    """Put a field in the place of each control of a form that holds something, and of its label; the others go."""
    labels = {node.attributes["for"]: node for node in tree.css("label[for]")}
    for control in tree.css("input, select, textarea"):
        value, around = _value(control), _label_around(control)
        label = around or labels.get(control.attributes.get("id"))
        legend = _legend(control) if control.attributes.get("type") == "radio" else ""
        name = _name(control, label)
        if value is not None and control.attributes.get("type") in ("checkbox", "radio"):
            name, value = (legend, name) if legend and value == "yes" else (name, value)
        if value in ("yes", "no") and not name:
            control.replace_with("☒" if value == "yes" else "☐")
            continue
        said = None if value is None or (legend and value == "no") else f"{name}: {value}" if name else value
        _replace(tree, control if around is None else around, said)
        if label is not None and around is None and value is not None:
            label.decompose()
    for term in tree.css("dl > dt, dl > div > dt"):
        _write_term(tree, term)


def part_inline(tree: "LexborHTMLParser") -> None:
    """Put a space between elements in a line that would run together: `<span>Date</span><span>3 May</span>`."""
    for node in tree.css(", ".join(_INLINE)):
        after = node.next
        if after is not None and after.tag in _INLINE and _runs_together(node, after):
            node.insert_after(" ")


def pair_of(node: "LexborNode") -> str | None:
    """Return `Label: value` for a row of two elements in a line, where a row beside it has the same form."""
    pair = _pair(node)
    rows = [one for one in (_beside(node, "prev"), _beside(node, "next")) if one is not None]
    is_list = any(one.tag == node.tag and _class(one) == _class(node) and _pair(one) for one in rows)
    return f"{pair[0].rstrip(': ')}: {pair[1]}" if pair and is_list else None


def _pair(node: "LexborNode") -> tuple[str, str] | None:
    parts = [one for one in node.iter(include_text=True) if one.tag != "-text" or one.text(strip=True)]
    if len(parts) != 2 or any(one.tag not in _INLINE or one.tag == "a" for one in parts):
        return None
    label, value = (squeeze(one.text()) for one in parts)
    is_pair = 0 < len(label) <= _LONGEST_LABEL and 0 < len(value) <= _LONGEST_VALUE and label[-1] not in ".!?,;"
    return (label, value) if is_pair else None


def _beside(node: "LexborNode", side: str) -> "LexborNode | None":
    beside: LexborNode | None = getattr(node, side)
    while beside is not None and beside.tag == "-text" and not beside.text(strip=True):
        beside = getattr(beside, side)
    return beside


def _class(node: "LexborNode") -> str:
    return (node.attributes or {}).get("class") or ""


def _runs_together(before: "LexborNode", after: "LexborNode") -> bool:
    """Return whether two elements have words of their own with nothing between: not a part of a word, nor code."""
    one, other = before.text(), after.text()
    if len(one) < 2 or not (one[-1].isalnum() and other[:1].isalnum()) or before.css_matches("pre *, code *"):
        return False
    is_one_word = {before.tag, after.tag} & _OF_TYPE and not (
        other[0].isupper() or one[-1].isdigit() != other[0].isdigit()
    )
    return not is_one_word


def _value(control: "LexborNode") -> str | None:
    """Return what a control holds; None for nothing, and for what is no reader's to see."""
    kind = (control.attributes.get("type") or "text").casefold()
    if control.tag == "select":
        chosen = (squeeze(one.text()) for one in control.css("option") if "selected" in one.attributes)
        return ", ".join(filter(None, chosen)) or None
    if control.tag == "textarea":
        return squeeze(control.text()) or None
    if kind in ("checkbox", "radio"):
        return "yes" if "checked" in control.attributes else "no"
    return None if kind in _UNREAD else squeeze(control.attributes.get("value") or "") or None


def _label_around(control: "LexborNode") -> "LexborNode | None":
    above = control.parent
    while above is not None and above.tag in _INLINE and above.tag != "label":
        above = above.parent
    return (
        above if above is not None and above.tag == "label" and len(above.css("input, select, textarea")) == 1 else None
    )


def _name(control: "LexborNode", label: "LexborNode | None") -> str:
    if label is None:
        return squeeze(control.attributes.get("aria-label") or control.attributes.get("title") or "").rstrip(":")
    inside = label.css("select, textarea")
    words = squeeze(label.text(separator=" "))
    for one in inside:
        words = words.replace(squeeze(one.text(separator=" ")), "")
    return words.strip().rstrip(":").strip()


def _legend(control: "LexborNode") -> str:
    above = control.parent
    while above is not None and above.tag != "fieldset":
        above = above.parent
    legend = above.css_first("legend") if above is not None else None
    return squeeze(legend.text()).rstrip(":") if legend is not None else ""


def _write_term(tree: "LexborHTMLParser", term: "LexborNode") -> None:
    """Make one field of a term and its only, short description."""
    value = _beside(term, "next")
    after = _beside(value, "next") if value is not None else None
    if (
        value is None
        or value.tag != "dd"
        or (after is not None and after.tag == "dd")
        or value.css_first("p, ul, ol, dl, div, pre")
    ):
        return
    name, said = squeeze(term.text()).rstrip(":"), squeeze(value.text())
    if name and said and len(name) <= _LONGEST_LABEL and len(said) <= _LONGEST_VALUE and not term.css_first("p, div"):
        _replace(tree, term, f"{name}: {said}")
        value.decompose()


def _replace(tree: "LexborHTMLParser", node: "LexborNode", said: str | None) -> None:
    if said is None:
        node.decompose()
        return
    field = tree.create_node(FIELD)
    field.insert_child(said)
    node.replace_with(field)
