"""Panels of a web page that open when their label is pressed: content, with the label as their heading."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rag.ingest.loaders.cleaning import squeeze

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

AGAIN = "data-candor-again"
"""Marks a heading that is repeated after a panel."""
_OPENERS = "[aria-controls], [data-target], [data-bs-target], a[href^='#'][role=tab], a[href^='#'][data-toggle]"
_TARGETS = ("aria-controls", "data-bs-target", "data-target", "href")
_NO_PANELS = ("dialog", "nav", "form", "body", "html", "main")
_NO_PANEL_ROLES = ("dialog", "alertdialog", "navigation", "search", "menu", "tooltip", "listbox")
_PANEL_TAGS = ("div", "section", "article", "ul", "ol", "dl", "p", "table", "dd")
_LONGEST_LABEL = 200


def show_panels(tree: "LexborHTMLParser") -> None:
    """Give each panel that a button, tab, summary or `aria-labelledby` names its label as heading, and show it."""
    panels: dict[int, tuple[LexborNode, list[LexborNode]]] = {}
    for panel, labels in _named(tree):
        panels.setdefault(panel.mem_id, (panel, labels))
    heading: LexborNode | None = None
    inside: set[int] = set()
    used: list[LexborNode] = []
    for node in list(tree.root.traverse()) if tree.root and panels else ():
        if _is_title(node) and node.tag != "dt" and node.mem_id not in inside:
            heading = node
        elif node.mem_id in panels:
            inside |= {one.mem_id for one in node.traverse()}
            used += _headed(tree, *panels[node.mem_id], heading)
    for label in {label.mem_id: label for label in used}.values():
        label.decompose()


def _headed(
    tree: "LexborHTMLParser", panel: "LexborNode", labels: "list[LexborNode]", above: "LexborNode | None"
) -> "list[LexborNode]":
    """Show a panel under its label; return the labels that stand in the heading now.

    The heading above it is put after it once more, marked: what follows the panel is under that one again.
    """
    for name in ("hidden", "style", "aria-hidden"):
        if name in panel.attributes:
            del panel.attrs[name]
    first = panel.first_child
    if first is None or any(_is_heading(label) for label in labels):
        return []
    level = int((above.tag or "h1")[1]) if above is not None else 1
    first.insert_before(_heading(tree, min(level + 1, 6), " ".join(label.text(separator=" ") for label in labels)))
    if above is not None:
        again = _heading(tree, level, above.text(separator=" "))
        again.attrs[AGAIN] = ""
        panel.insert_after(again)
    return labels


def _heading(tree: "LexborHTMLParser", level: int, words: str) -> "LexborNode":
    heading = tree.create_node(f"h{level}")
    heading.insert_child(squeeze(words))
    return heading


def _named(tree: "LexborHTMLParser") -> "Iterator[tuple[LexborNode, list[LexborNode]]]":
    """Yield each panel with the elements that name it."""
    by_id = {str(node.attributes["id"]): node for node in tree.css("[id]") if node.attributes["id"]}
    for panel in tree.css("[role=tabpanel][aria-labelledby], [hidden][aria-labelledby], [style][aria-labelledby]"):
        labels = [by_id[name] for name in (panel.attributes["aria-labelledby"] or "").split() if name in by_id]
        if labels and _is_panel(panel, labels):
            yield panel, labels
    for opener in tree.css(_OPENERS):
        address = next(filter(None, (opener.attributes.get(name) for name in _TARGETS)), "")
        target = by_id.get(address.removeprefix("#"))
        if target is not None and _is_panel(target, [opener]):
            yield target, [opener]
    for summary in tree.css("details > summary"):
        if summary.parent is not None and _is_panel(summary.parent, [summary]):
            yield summary.parent, [summary]
    for button in tree.css("button, [role=button], summary"):
        if (opened := _opened_by(button)) is not None:
            yield opened, [button]


def _opened_by(button: "LexborNode") -> "LexborNode | None":
    """Return the hidden element that follows a button, or the heading that holds nothing but the button."""
    above = button.parent
    alone = above is not None and _is_title(above) and above.text(strip=True) == button.text(strip=True)
    after = _after(above if above is not None and alone else button)
    is_closed = after is not None and ("hidden" in after.attributes or "none" in (after.attributes.get("style") or ""))
    is_panel = after is not None and after.tag in _PANEL_TAGS and (is_closed or "aria-expanded" in button.attributes)
    return after if after is not None and is_panel and _is_panel(after, [button]) else None


def _after(node: "LexborNode") -> "LexborNode | None":
    """Return the element after a node, where no text parts them."""
    after = node.next
    while after is not None and after.tag == "-text" and not after.text(strip=True):
        after = after.next
    return after if after is not None and not (after.tag or "-").startswith(("-", "_")) else None


def _is_panel(node: "LexborNode", labels: "list[LexborNode]") -> bool:
    """Return whether an element is a part of the text with a label that has words, and not a dialogue or a menu."""
    said = "".join(label.text(strip=True) for label in labels)
    above, role = node.parent, node.attributes.get("role") or ""
    framed = "aria-modal" in node.attributes
    while above is not None and not framed:
        framed = above.tag in ("nav", "dialog") or (above.attributes or {}).get("role") in _NO_PANEL_ROLES
        above = above.parent
    is_none = node.tag in _NO_PANELS or role in _NO_PANEL_ROLES or framed
    return 0 < len(said) <= _LONGEST_LABEL and not is_none and bool(node.text(strip=True))


def _is_title(node: "LexborNode") -> bool:
    return node.tag in ("h1", "h2", "h3", "h4", "h5", "h6", "dt")


def _is_heading(node: "LexborNode") -> bool:
    """Return whether a label is a heading already, or in one."""
    above = node.parent
    return _is_title(node) or (above is not None and _is_title(above))
