"""A web page made ready to be read: panels shown under their labels, forms as fields, what nobody reads removed."""

import re
from collections.abc import Iterator
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from rag.ingest.loaders.cleaning import squeeze

AGAIN = "data-candor-again"  # marks a heading that is repeated after a panel
_OPENERS = "[aria-controls], [data-target], [data-bs-target], a[href^='#'][role=tab], a[href^='#'][data-toggle]"
_TARGETS = ("aria-controls", "data-bs-target", "data-target", "href")
_FRAMES = (
    "nav, dialog, [role=dialog], [role=alertdialog], [role=navigation], [role=search], [role=menu], [role=tooltip], "
    "[role=listbox]"
)
_NO_PANELS = f"body, html, main, form, [aria-modal], {_FRAMES}, :is({_FRAMES}) *"
_PANEL_TAGS = ("div", "section", "article", "ul", "ol", "dl", "p", "table", "dd")
_LONGEST_OPENER, _LONGEST_REPEATED = 200, 1_000  # characters of a label, and of a heading that is repeated
_DEEPEST_PANEL = 100  # elements around one; of thousands within each other each would be searched to the innermost
FIELD = "candor-field"  # the element that stands for a field until blocks are made
_UNREAD = ("hidden", "password", "submit", "button", "reset", "image", "file", "search")
_INLINE = (
    "a abbr b bdi button cite code data em i kbd label mark output q small span strong time u var".split()  # noqa: SIM905
)
_OF_TYPE = frozenset(("b", "em", "i", "mark", "strong", "u"))  # they set parts of words in another type too
_SPACED = re.compile(  # an inline style that sets an element apart from what is left and right of it
    r"(?:margin|padding)(?:-(?:left|right|inline)[\w-]{,6})?\s?:[^;]{,20}[1-9]|display\s?:\s?(?:block|flex|grid|table)",
    re.I,
)
# The last signs of an element, and the first of the next, that are not of one word as `www.` and `12.99` are.
_MEET = re.compile(
    r"[^\W_]\0[^\W_]|[^\W\d_]:\0[^\W_]|[)%]\0[^\W_]|[\w€][,;€]\0[^\W\d_]|[^\W\d_]\0[$€£]\d"
    r"|(?:[^\W_]{2}|\d)[.!?]\0[^\W\d_a-z]|[^\W\d_]{2}\.\0\d"
)
_LONGEST_LABEL, _LONGEST_VALUE = 60, 200
_NEVER = (
    "script, style, noscript, template, svg, iframe, object, form button, nav, dialog, "
    "[role=navigation], [role=search], [aria-hidden=true], .toc, #toc, .navbox, .breadcrumb, .breadcrumbs, .noprint, "
    ".skip-link, .visually-hidden, .sr-only, .cookie-banner, .advertisement, sup.reference, .mw-editsection, "
    "a.headerlink, a.footnote-backref, del, s, strike, [aria-modal=true], aside.related, #comments, #disqus_thread, "
    ":is(div, section, aside, ol, ul):is(.comments, .comments-area, .comment-list, .commentlist, .comment-respond, "
    ".related-posts, .related-articles, .relatedposts, .yarpp-related, .jp-relatedposts)"
)
_CONSENT = re.compile(r"cookie|consent|gdpr|\bcc-window|\bcmp\b", re.I)
# Programs that draw such boxes, in the names that they give them.
_CONSENT_MAKERS = re.compile(r"\b(?:onetrust|usercentrics|didomi|qc-cmp|cybotcookiebot|cky|truste)", re.I)
_LONGEST_BOX = 1500  # characters of a box that asks for consent; a policy on cookies, which is text, is longer
_SHORTEST_HIDDEN = 40  # characters of a hidden part that is told of; a shorter one is a label, or a sign for machines
_NAMED = 3  # entries of a menu that a note names


def show_panels(tree: LexborHTMLParser) -> None:
    """Give each panel that a button, tab, summary or `aria-labelledby` names its label as heading, and show it.

    Words are taken before any heading is put in: a label or a heading that holds panels would grow with each of them.
    """
    panels: dict[int, tuple[LexborNode, list[LexborNode], str]] = {}
    for panel, labels in _named(tree):
        is_named = 0 < sum(len(label.text(strip=True)) for label in labels) <= _LONGEST_OPENER
        is_deep = panel is not None and next(islice(ancestors(panel), _DEEPEST_PANEL, None), None) is not None
        if panel is None or is_deep or not is_named or not panel.text(strip=True):
            continue
        if all(one.mem_id != panel.mem_id for one in panel.css(_NO_PANELS)):  # `css_matches` looks below it too
            words = squeeze(" ".join(label.text(separator=" ") for label in labels))
            panels.setdefault(panel.mem_id, (panel, labels, words))
    level = 1
    above: str | None = None
    inside: set[int] = set()
    used: dict[int, LexborNode] = {}
    for node in list(tree.root.traverse()) if tree.root and panels else ():
        if _is_title(node) and node.tag != "dt" and node.mem_id not in inside:
            level, above = int((node.tag or "h1")[1]), squeeze(node.text(separator=" "))
        elif node.mem_id in panels:
            panel, labels, words = panels[node.mem_id]
            inside |= {one.mem_id for one in node.traverse()}
            for name in ("hidden", "style", "aria-hidden"):
                if name in panel.attributes:
                    del panel.attrs[name]
            first = panel.first_child
            around = [one for label in labels for one in (label, label.parent) if one is not None]
            if first is None or any(map(_is_title, around)):
                continue
            first.insert_before(_heading(tree, min(level + 1, 6), words))
            if above is not None and len(above) <= _LONGEST_REPEATED:  # it heads what follows the panel
                again = _heading(tree, level, above)
                again.attrs[AGAIN] = ""
                panel.insert_after(again)
            used |= {label.mem_id: label for label in labels}
    for label in used.values():
        label.decompose()


def _named(tree: LexborHTMLParser) -> Iterator[tuple[LexborNode | None, list[LexborNode]]]:
    by_id = {str(node.attributes["id"]): node for node in tree.css("[id]") if node.attributes["id"]}
    for panel in tree.css("[role=tabpanel][aria-labelledby], [hidden][aria-labelledby], [style][aria-labelledby]"):
        yield panel, [by_id[name] for name in (panel.attributes["aria-labelledby"] or "").split() if name in by_id]
    for opener in tree.css(_OPENERS):
        address = next(filter(None, (opener.attributes.get(name) for name in _TARGETS)), "")
        yield by_id.get(address.removeprefix("#")), [opener]
    for summary in tree.css("details > summary"):
        yield summary.parent, [summary]
    for button in tree.css("button, [role=button], summary"):
        yield _opened_by(button), [button]


def _opened_by(button: LexborNode) -> LexborNode | None:
    """Return the hidden element that follows a button, or the heading that holds nothing but the button."""
    above = button.parent
    alone = above is not None and _is_title(above) and above.text(strip=True) == button.text(strip=True)
    after = _beside(above if above is not None and alone else button, "next")
    if after is None or after.tag not in _PANEL_TAGS:
        return None
    is_closed = "hidden" in after.attributes or "none" in (after.attributes.get("style") or "")
    return after if is_closed or "aria-expanded" in button.attributes else None


def _heading(tree: LexborHTMLParser, level: int, words: str) -> LexborNode:
    heading = tree.create_node(f"h{level}")
    heading.insert_child(words)
    return heading


def _is_title(node: LexborNode) -> bool:
    return node.tag in ("h1", "h2", "h3", "h4", "h5", "h6", "dt")


def ancestors(node: LexborNode) -> Iterator[LexborNode]:
    """Yield the elements around an element, the nearest first."""
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


def _beside(node: LexborNode, side: str) -> LexborNode | None:
    beside: LexborNode | None = getattr(node, side)
    while beside is not None and beside.tag in ("-text", "_comment", "-comment") and not beside.text(strip=True):
        beside = getattr(beside, side)
    return beside


def write_fields(tree: LexborHTMLParser) -> None:
    """Put a field in the place of each control of a form that holds something, and of its label; the others go."""
    labels = {node.attributes["for"]: node for node in tree.css("label[for]")}
    for control in tree.css("input, select, textarea"):
        value, around = _value(control), _label_around(control)
        label = around or labels.get(control.attributes.get("id"))
        legend = _legend(control) if control.attributes.get("type") == "radio" else ""
        name = _name(control, label)
        if legend and value == "yes":
            name, value = legend, name
        if value in ("yes", "no") and not name:
            control.replace_with("☒" if value == "yes" else "☐")
            continue
        said = None if value is None or (legend and value == "no") else f"{name}: {value}" if name else value
        _replace(tree, control if around is None else around, said)
        if label is not None and around is None and value is not None:
            label.decompose()
    for term in tree.css("dl > dt, dl > div > dt"):
        _write_term(tree, term)


def _value(control: LexborNode) -> str | None:
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


def _label_around(control: LexborNode) -> LexborNode | None:
    above = next((one for one in ancestors(control) if one.tag not in _INLINE or one.tag == "label"), None)
    is_its_own = above is not None and above.tag == "label" and len(above.css("input, select, textarea")) == 1
    return above if is_its_own else None


def _name(control: LexborNode, label: LexborNode | None) -> str:
    if label is None:
        return squeeze(control.attributes.get("aria-label") or control.attributes.get("title") or "").rstrip(":")
    words = squeeze(label.text(separator=" "))
    for one in label.css("select, textarea"):
        words = words.replace(squeeze(one.text(separator=" ")), "")
    return words.strip().rstrip(":").strip()


def _legend(control: LexborNode) -> str:
    above = next((one for one in ancestors(control) if one.tag == "fieldset"), None)
    legend = above.css_first("legend") if above is not None else None
    return squeeze(legend.text()).rstrip(":") if legend is not None else ""


def _write_term(tree: LexborHTMLParser, term: LexborNode) -> None:
    value = _beside(term, "next")
    after = _beside(value, "next") if value is not None else None
    if value is None or value.tag != "dd" or (after is not None and after.tag == "dd"):
        return
    name, said = squeeze(term.text()).rstrip(":"), squeeze(value.text())
    is_short = 0 < len(name) <= _LONGEST_LABEL and 0 < len(said) <= _LONGEST_VALUE
    if is_short and not term.css_first("p, div") and not value.css_first("p, ul, ol, dl, div, pre"):
        _replace(tree, term, f"{name}: {said}")
        value.decompose()


def _replace(tree: LexborHTMLParser, node: LexborNode, said: str | None) -> None:
    if said is None:
        node.decompose()
        return
    field = tree.create_node(FIELD)
    field.insert_child(said)
    node.replace_with(field)


def part_inline(tree: LexborHTMLParser) -> None:
    """Put a space between elements in a line that would run together: `<span>Date</span><span>3 May</span>`."""
    for node in tree.css(", ".join(_INLINE)):
        before, after = node.prev, node.next
        if before is not None and before.tag == "-text" and _is_apart(node, before, node):
            node.insert_before(" ")
        if after is None or after.tag not in (*_INLINE, "-text"):
            continue
        if _is_apart(node, node, after) if after.tag == "-text" else _runs_together(node, after):
            node.insert_after(" ")


def _is_apart(node: LexborNode, one: LexborNode, other: LexborNode) -> bool:
    """Return whether an element is apart from the text beside it: a box, or a link where a capital begins a word."""
    return _is_box(node) or (node.tag == "a" and one.text()[-1:].islower() and other.text()[:1].isupper())


def _is_box(node: LexborNode) -> bool:
    """Return whether a browser shows space around an element; a letter with space around it begins a word."""
    has_space = node.tag in ("button", "label") or _SPACED.search(node.attributes.get("style") or "")
    return bool(has_space) and len(node.text(strip=True)) > 1


def _runs_together(before: LexborNode, after: LexborNode) -> bool:
    """Return whether two elements have words of their own with nothing between: not a part of a word, nor code."""
    one, other = before.text(), after.text()
    if len(one) < 2 or not _MEET.search(f"{one[-3:]}\0{other[:2]}") or before.css_matches("pre *, code *"):
        return False
    if _is_box(before) or _is_box(after) or not (one[-1].isalnum() and other[0].isalnum()):
        return True
    is_of_type = {before.tag, after.tag} & _OF_TYPE and "a" not in (before.tag, after.tag)
    return not is_of_type or other[0].isupper() or one[-1].isdigit() != other[0].isdigit()


def pair_of(node: LexborNode) -> str | None:
    """Return `Label: value` for a row of two elements in a line, where a row beside it has the same form."""
    pair = _pair(node)
    rows = [one for one in (_beside(node, "prev"), _beside(node, "next")) if one is not None]
    alike = (one for one in rows if one.tag == node.tag and one.attributes.get("class") == node.attributes.get("class"))
    return f"{pair[0].rstrip(': ')}: {pair[1]}" if pair and any(map(_pair, alike)) else None


def _pair(node: LexborNode) -> tuple[str, str] | None:
    parts = [one for one in node.iter(include_text=True) if one.tag != "-text" or one.text(strip=True)]
    if len(parts) != 2 or any(one.tag not in _INLINE or one.tag == "a" for one in parts):
        return None
    label, value = (squeeze(one.text()) for one in parts)
    is_pair = 0 < len(label) <= _LONGEST_LABEL and 0 < len(value) <= _LONGEST_VALUE and label[-1] not in ".!?,;"
    return (label, value) if is_pair else None


def remove_unseen(tree: LexborHTMLParser) -> tuple[str, ...]:
    """Remove what no reader of the page sees, from the last element to the first: inner ones before outer ones.

    Returns:
        A note where parts with a text of their own are hidden, and nothing names them.
    """
    for node in reversed(tree.css(_NEVER)):
        node.decompose()
    hidden: list[str] = []
    for node in reversed(tree.css("[hidden], [style]")):
        is_hidden = "hidden" in node.attributes or _hides(node.attributes.get("style") or "")
        if node.tag not in ("html", "body") and is_hidden:
            hidden.insert(0, squeeze(node.text(separator=" ")))
            node.decompose()
    for node in reversed(tree.css("div[class], div[id], section[class], section[id], aside[class], form[class]")):
        if _asks_for_consent(node):
            node.decompose()
    if not (told := [text for text in hidden if len(text) >= _SHORTEST_HIDDEN]):
        return ()
    begins = " ".join(told[0].split()[:8])
    return (f"Hidden parts of the page that no label opens were left out: {len(told)}, the first from {begins!r} on.",)


def _hides(style: str) -> bool:
    """Return whether an inline style hides its element; of two values of one property the last counts."""
    said = (each.partition(":") for each in re.sub(r"/\*.*?(?:\*/|\Z)", "", style, flags=re.S).casefold().split(";"))
    values = {name.strip(): re.sub(r"!\s*important$", "", value.strip()).strip() for name, _, value in said}
    return values.get("display") == "none" or values.get("visibility") == "hidden"


def _asks_for_consent(node: LexborNode) -> bool:
    """Return whether an element is a box that asks a reader to accept cookies: by its name, and what it holds."""
    name = f"{node.attributes.get('class') or ''} {node.attributes.get('id') or ''}"
    if _CONSENT_MAKERS.search(name) or not _CONSENT.search(name):
        return _CONSENT_MAKERS.search(name) is not None
    text = node.text()
    is_box = len(text) <= _LONGEST_BOX and node.css_first("h1") is None
    return is_box and "cookie" in text.casefold() and node.css_first("button, a, input") is not None


def remove_menus(root: LexborNode) -> tuple[str, ...]:
    """Remove the lists below an element that only lead elsewhere, and return a note on each, outer ones first."""
    notes = []
    menus = [one for one in root.css("ul, ol") if _is_menu(one)]
    for node in menus:
        names = [squeeze(link.text()) for link in node.css("a")]
        told, more = ", ".join(map(repr, names[:_NAMED])), len(names) - _NAMED
        notes.append(
            f"A list of {len(names)} links was left out as a menu: {told}{f' and {more} more' if more > 0 else ''}."
        )
    for node in reversed(menus):
        node.decompose()
    return tuple(notes)


def _is_menu(node: LexborNode) -> bool:
    """Return whether a list only leads elsewhere: most of its words are links, and no paragraph introduces it."""
    items = node.css("li")
    linked = sum(len(link.text(strip=True)) for link in node.css("a"))
    length = len(node.text(strip=True))
    if len(items) < 8 or linked < 0.85 * length or length > 45 * len(items):
        return False
    before = _beside(node, "prev")
    if before is None or before.tag not in ("p", "-text"):
        return True
    links = before.css("a") if before.tag == "p" else []
    return 2 * sum(len(link.text(strip=True)) for link in links) >= len(before.text(strip=True))
