"""The text of a Markdown paragraph as a reader sees it, in the author's own characters.

Emphasis, code marks and escapes stay, so that an excerpt is found in the file. Tags, comments, the addresses of links
and words struck out go, and entities are the characters that they stand for; nothing within code is any of these.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from html import unescape
from html.entities import html5

from rag.ingest.loaders.cleaning import clean
from rag.ingest.loaders.raised import lowered, raised, settle

_ELEMENTS = (
    "a abbr b big blockquote br caption center cite code dd del details div dl dt em figcaption figure font h1 h2 h3 "
    "h4 h5 h6 hr i iframe img ins kbd li link mark math ol p picture pre q s samp script section small source span "
    "strike strong style sub summary sup table tbody td tfoot th thead tr tt u ul var video"
)
_OF_THEIR_OWN = (
    "blockquote br caption center dd details div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre section "
    "summary table tbody tfoot thead tr ul"
)
TAGS = frozenset(_ELEMENTS.split())
"""Elements of HTML; another word in angle brackets is a placeholder of the author's, and stays."""
_BREAKS = frozenset(_OF_THEIR_OWN.split())
_CELLS = frozenset(("td", "th"))
_UNSEEN = frozenset(("del", "s", "strike", "script"))
"""Whose words no reader takes for the text's: struck out, or a program."""
_READ_WHOLE = _UNSEEN | {"sup", "sub"}
_LINK = re.compile(
    r"!?\[((?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+(?:\"[^\"]*\"|'[^']*'))?\)"
)
_PICTURE_ALONE = re.compile(rf"^[ \t]*(?:!{_LINK.pattern.removeprefix('!?')}[ \t]*)+$", re.MULTILINE)
_SIGN = re.compile(
    r"(?P<broken>\\)\n|\\[!-/:-@\[-`{-~]|(?P<code>`+)|(?P<comment><!--)"
    r"|(?P<entity>&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|(?P<name>[a-zA-Z][a-zA-Z0-9]{1,31}));)"
    r"|(?P<struck>(?<!~)~~(?=[^\s~])(?:[^~]|~(?!~))*(?<=[^\s~])~~(?!~))"
    r"|<(?P<address>[a-zA-Z][a-zA-Z0-9+.-]{1,31}:[^<>\s]*|[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)*)>"
    r"|<(?P<close>/?)(?P<tag>[a-zA-Z][a-zA-Z0-9]*)(?=[\s/>])(?P<rest>[^<>]*)>"
)
_HELD = "\x12"
"""Stands around the number of what is put back as written once links are read."""
_PUT_BACK = re.compile(rf"{_HELD}(\d+){_HELD}")


def visible(text: str) -> str:
    r"""Return the text of a paragraph without tags and comments, and links and pictures as their words.

    A line break or a block within it begins a new line, a cell is set apart by a space, and what is raised is written
    by the rule for all formats (`rag.ingest.loaders.raised`). An unclosed comment is text.

    >>> visible("see `<br>` on [the page](x.html) <!-- check -->at 1<br>0.5 of 10<sup>3</sup>")
    'see `<br>` on the page at 1\n0.5 of 10³'
    >>> visible("~~8~~ 9 &lt; 10&nbsp;kg, `&amp;`")
    '9 < 10 kg, `&amp;`'
    """
    scan = _Scan(text)
    shown = settle(_LINK.sub(r"\1", _LINK.sub(r"\1", scan.shown())))
    shown = _PUT_BACK.sub(lambda match: scan.held[int(match[1])], shown)
    return "\n".join(" ".join(line.split()) for line in shown.split("\n") if line.strip())


def without_pictures(text: str) -> str:
    r"""Return a paragraph without pictures that have a line to themselves: what stands for one is no sentence of it.

    One within a sentence stays, for that may need its words.

    >>> without_pictures("![A jar on a shelf](jar.png)\nPress ![the red button](red.png) twice.")
    '\nPress ![the red button](red.png) twice.'
    """
    if "![" not in text:
        return text
    unlinked = _LINK.sub(lambda link: link[1] if link[1].startswith("![") else link[0], text)
    return _PICTURE_ALONE.sub("", unlinked)


class _Scan:
    """One pass over a text, sign by sign: code before all else, as a parser of Markdown reads it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.held: list[str] = []
        """What stands as written, whatever links are around it: code and addresses."""
        self._written: list[str] = []
        self._opened: list[tuple[str, int]] = []
        """Tags whose content is not written as it stands, with the number of pieces written before each."""

    def shown(self) -> str:
        """Return the text with its signs read; held pieces stand as their numbers."""
        text, end = self.text, 0
        last_comment, runs = text.rfind("-->"), _runs(text)
        while match := _SIGN.search(text, end):
            self._written.append(text[end : match.start()])
            end = match.end()
            if match["code"]:
                end = _code_end(runs[len(match["code"])], match)
                self._hold(text[match.start() : end])
            elif match["comment"] and end <= last_comment:
                end = text.index("-->", end) + 3
            elif match["broken"]:
                self._written.append("\n")
            elif match["entity"]:
                self._written.append(_character(match["entity"], match["name"]))
            elif match["address"]:
                self._hold(match["address"].removeprefix("mailto:"))
            elif match["tag"] and _is_tag(match["tag"].casefold(), match["rest"]):
                self._tag(match["tag"].casefold(), closes=bool(match["close"]))
            elif not match["struck"]:
                self._written.append(match[0])
        return "".join([*self._written, text[end:]])

    def _hold(self, text: str) -> None:
        self._written.append(f"{_HELD}{len(self.held)}{_HELD}")
        self.held.append(text)

    def _tag(self, name: str, *, closes: bool) -> None:
        if name in _BREAKS:
            self._written.append("\n")
        elif name in _CELLS:
            self._written.append(" ")
        elif not closes and name in _READ_WHOLE:
            self._opened.append((name, len(self._written)))
        elif self._opened and self._opened[-1][0] == name:
            _, start = self._opened.pop()
            inside = "".join(self._written[start:])
            self._written[start:] = [raised(inside) if name == "sup" else lowered(inside) if name == "sub" else ""]


def _character(entity: str, name: str | None) -> str:
    """Return what an entity stands for; one of no known name is text.

    >>> _character("&amp;", "amp"), _character("&#8364;", None), _character("&pump;", "pump")
    ('&', '€', '&pump;')
    """
    return clean(unescape(entity)) if name is None or f"{name};" in html5 else entity


def _is_tag(name: str, rest: str) -> bool:
    """Return whether angle brackets hold a tag; `a<b and c>d` compares letters.

    >>> _is_tag("b", ""), _is_tag("a", " href='x'"), _is_tag("b", " and c"), _is_tag("name", "")
    (True, True, False, False)
    """
    return name in TAGS and (len(name) > 1 or "=" in rest or not rest.strip(" \n/"))


def _runs(text: str) -> defaultdict[int, list[int]]:
    """Return where the runs of grave accents begin, by their length."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for match in re.finditer("`+", text):
        found[len(match[0])].append(match.start())
    return found


def _code_end(alike: list[int], opening: re.Match[str]) -> int:
    """Return where the code ends that a run of grave accents opens; after the run itself where no other is as long."""
    place = bisect_left(alike, opening.end())
    return alike[place] + len(opening[0]) if place < len(alike) else opening.end()
