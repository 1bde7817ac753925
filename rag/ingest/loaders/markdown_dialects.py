"""Dialects of Markdown, line by line: boxes, tabs, imports and components become what every parser knows."""

import re
from collections.abc import Iterator
from html import escape

_FENCE = re.compile(r"[\s>]*(`{3,}|~{3,})([^`]*)$")
_IMPORT = re.compile(
    r"import\s(?:[^'\"]*\sfrom\s*)?['\"][^'\"]+['\"];?\s*$|import\s+\{[^}]*$|export\s+(?:const|default|function|let|\{|\*)"
)
_BOX = re.compile(r"[ ]*:{3,}\s*(?:\{[^{}]*\}|([\w-]+))?\s*(.*?)\s*:*$")
_BOX_TITLE = re.compile(r"^\[(.*)\]|title=\"([^\"]*)\"|^([^{}]+)$")
_BOX_END = re.compile(r"[ ]*:{3,}\s*$")
_TAB = re.compile(r"([ ]*)===[+!]?\s+\"([^\"]*)\"\s*$")
_COMPONENT = re.compile(r"\s*</?[A-Z][\w.]*(?:\s[^<>]*)?/?>\s*$")
_OPENED = re.compile(r"\s*<[A-Z][\w.]*(?:\s[^<>]*)?$")
_NAMED = re.compile(r"\b(?:label|title|header|heading|summary|caption|description)=\{?[\"']([^\"']+)[\"']")
_LINK = re.compile(r"[ ]{0,3}\[([^\[\]^][^\[\]]*)\]:[ ]*(<[^<>]*>|\S+)(?:[ ]+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?[ ]*$")
"""The definition of a link; `[//]: # (words)` is how authors write comments that no page shows."""
_ADDRESS = re.compile(r"[/.#:<]")
_LONGEST_TAG = 30
"""Lines of a component's opening tag."""


def plain(text: str) -> str:
    """Return a Markdown text with the marks of its dialect as those of Python-Markdown and HTML, code left alone."""
    links: list[str] = []
    return "\n".join([*_lines(text.split("\n"), links), "", *links])


def _lines(lines: list[str], links: list[str]) -> Iterator[str]:
    """Yield the lines anew, those of a box indented; definitions of links are put aside for the end."""
    fence, depth, brackets = "", 0, 0
    opened: list[str] = []
    for line in lines:
        if not fence and (brackets > 0 or _IMPORT.match(line)):
            brackets += sum(map(line.count, "{[(")) - sum(map(line.count, "}])"))
            continue
        if opened or (not fence and _OPENED.match(line)):
            opened.append(line.strip())
            if ">" not in line and len(opened) < _LONGEST_TAG:
                continue
            line, opened = " ".join(opened), []
        indent = " " * 4 * depth
        found = _FENCE.match(line)
        if found and (not fence or (found[1].startswith(fence) and not found[2].strip())):
            fence = "" if fence else found[1]
        elif not fence and depth and _BOX_END.match(line):
            depth -= 1
            line, indent = "", ""
        elif not fence and (box := _BOX.match(line)) and (box[1] or box[2] or "{" in line):
            depth += 1
            line = _box(line, box)
        elif not fence:
            line = _shown(line, links)
        yield f"{indent}{line}" if line else line
    yield from opened


def _box(line: str, box: re.Match[str]) -> str:
    """Return the opening of a box as Python-Markdown writes it; a box without a title of its own has none."""
    title = _BOX_TITLE.search(box[2]) or re.search(r"()title=\"([^\"]*)\"()", line)
    said = next(filter(None, title.groups()), "") if title else ""
    return f'!!! {box[1] or "box"} "{said.replace(chr(34), chr(39))}"'


def _shown(line: str, links: list[str]) -> str:
    if tab := _TAB.match(line):
        return f'{tab[1]}!!! tab "{tab[2]}"'
    if _COMPONENT.match(line):
        said = " ".join(_NAMED.findall(line))
        return f"\n<figcaption>{escape(said)}</figcaption>\n" if said else ""
    if link := _LINK.match(line):
        if not _ADDRESS.search(link[2]):  # `[Note]: Important` says something
            return line.replace("[", "\\[", 1)
        links.append(line.strip())
        return ""
    return line
