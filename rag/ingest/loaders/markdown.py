"""Markdown: front matter to metadata, the text by way of HTML, as the page that a site shows of it is read.

Its dialects are those of GitHub, Python-Markdown and MkDocs, Docusaurus and MDX, Jekyll, and wikis. What only a
program reads goes; the titles of boxes and tabs stay.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from datetime import date, time
from html import escape

import yaml
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from mdit_py_plugins.admon import admon_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from rag.ingest.loaders.blocks import Block, build, grouped
from rag.ingest.loaders.cleaning import clean, decode_noting, squeeze
from rag.ingest.loaders.html import VOID, fragment_blocks
from rag.ingest.loaders.metadata import authors_of, identified, year_of
from rag.ingest.loaders.source import Source
from rag.models import Document, DocumentMetadata

_KEPT = "\x11"  # stands within the opening of a comment that is never closed, so that a parser takes it for text
_LIQUID = re.compile(r"\{%-?(.{0,400}?)-?%\}|\{\{.{0,400}?\}\}|\{:[^{}]{0,400}\}|\{/\*.{0,400}?\*/\}", re.S)
_SAID = re.compile(r"=\s*(?:\"([^\"]*\s[^\"]*)\"|'([^']*\s[^']*)')")  # `{% include a.html content="Mind the step." %}`
_RUBY = re.compile(r"(?<!`)<%=?(?:[^'\"%]{0,80}(['\"])(?P<said>[^%]{0,800}\s[^%]{0,800})\1)?[^%]{0,400}%>")
"""What a template of Ruby puts into a page: `<%= warning_text('Mind the step.') %>`."""
_WIKI = re.compile(r"!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]+)\]\]")
_EMOJI = re.compile(r"(?<![^\s]):[a-z][a-z0-9_+-]{2,}:(?![^\s])[ ]?")
_HEADING_ID = re.compile(r"(?<!\s)\s*+\{\s*+[#.:][^{}]*+\}$")

_BREAKS = ("softbreak", "hardbreak")
_FENCE = re.compile(r"[\s>]*(`{3,}|~{3,})([^`]*)$")
_IMPORT = re.compile(
    r"import\s(?:[^'\"]*\sfrom\s*)?['\"][^'\"]+['\"];?\s*$|import\s+\{[^}]*$|export\s+(?:const|default|function|let|\{|\*)"
)
_BOX = re.compile(r"[ ]*:{3,}\s*(?:\{[^{}]*\}|([\w-]+))?\s*(.*?)\s*:*$")
_BOX_TITLE = re.compile(r"^\[(.*)\]|title=\"([^\"]*)\"|^([^{}]+)$")
_BOX_END = re.compile(r"[ ]*:{3,}\s*$")
_TAB = re.compile(r"([ ]*)===[+!]?\s+\"([^\"]*)\"\s*$")
_COMPONENTS = re.compile(r"\s*((?:</?[A-Z][\w.]*(?:\s[^<>]*)?/?>\s*)++)(.*)$")
_ENDS = re.compile(r"(?:(?<!\s)\s*+</[A-Z][\w.]*>)+\s*$")
_BETWEEN = re.compile(r"(?<=>)\s*(?=<[A-Z][\w.]*\s[^<>]*\b(?:label|title|value)=)")  # where a tab follows another
_OPENED = re.compile(r"\s*<[A-Z][\w.]*(?:\s[^<>]*)?$")
_NAMED = re.compile(
    r"(?:\b(?:label|title|header|heading|summary|caption|description)|<TabItem(?![^<>]*\blabel=)[^<>]*?\bvalue)"
    r"=\{?[\"']([^\"']+)[\"']"
)
# Code, which stays; words between `==`, which wikis show on a yellow ground; remarks between `%%`, which they do not.
_MARKED = re.compile(
    r"(?P<code>(?<!`)(`+)(?!`).{1,400}?(?<!`)\2(?!`))|(?<![\w=])==(?=[^\s=])(?P<said>[^=\n]{0,400}[^\s=])==(?![\w=])"
    r"|(?<![\w%])%%(?!%).{0,400}?%%(?![\w%])",
    re.S,
)
# The definition of a link; `[//]: # (words)` is how authors write comments that no page shows.
_LINK = re.compile(r"[ ]{0,3}\[([^\[\]^][^\[\]]*)\]:[ ]*(<[^<>]*>|\S+)(?:[ ]+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?[ ]*$")
_ADDRESS = re.compile(r"[/.#:<]")
_LONGEST_LABEL = 80  # characters of a line in bold type that names the text below it
_LONGEST_TAG = 30  # lines of a component's opening tag
_DEEPEST = 10  # boxes within each other; what is deeper stands beside: a few bytes a box would become kilobytes

# Elements of HTML; another word in angle brackets is a placeholder of the author's, and stays.
_ELEMENTS = (
    "a abbr b big blockquote body br caption center cite code dd del details div dl dt em figcaption figure font "
    "footer h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd label li link main mark math nav ol "
    "option p picture pre q s samp script section select small source span strike strong style sub summary sup svg "
    "table tbody td textarea tfoot th thead tr tt u ul var video"
)
_TAGS = frozenset(_ELEMENTS.split())
_RAW = ("script", "style", "textarea", "iframe")  # they hold no text: one without an end would take the rest along
_OPENING = re.compile(r"<(/?)([a-zA-Z][\w.-]*)(?=[\s/>])([^<>]*)>")
_ALONE = re.compile(r"\s*</?([a-zA-Z][\w.-]*)(?=[\s/>])")

_FRONT_MATTER = re.compile(r"\s*---[ ]*\n(.*?)\n(?:---|\.\.\.)[ ]*(?:\n|\Z)", re.S)
_TOML = re.compile(r"\s*\+\+\+[ ]*\n(.*?)\n\+\+\+[ ]*(?:\n|\Z)", re.S)  # as some makers of web sites write it
_KEY = re.compile(r"\s*[\w-]+:(?:\s|\Z)")  # how a line of front matter begins
_READ_KEYS = frozenset(
    "title author authors year date url canonical publisher institution module volume chapter".split()  # noqa: SIM905
)
_LONGEST_FRONT, _MOST_BRACKETS = 50_000, 1_000  # characters, brackets: YAML takes minutes for 10,000 brackets
_UNREAD = (
    "Its front matter was read as text, so that title, author and year in it are not known: it is not valid YAML, has "
    f"anchors or aliases (`&a`, `*a`), or more than {_LONGEST_FRONT:,} characters or {_MOST_BRACKETS:,} brackets. "
    "Correct it, as with quotes around a title that holds a colon."
)


def load_markdown(source: Source) -> Document:
    """Return a Markdown file as a document."""
    raw = decode_noting(source.data)
    front, body, notes = _split(clean(raw.text))
    blocks = fragment_blocks(source.name, html_of(body))
    at = 1 if blocks and blocks[0].kind == "heading" else 0
    blocks[at:at] = _fields_of(front, body)
    metadata = identified(source.name, blocks, metadata_of(front))
    return build(source, blocks, metadata=metadata, chapter=_chapter_of(front), notes=(*raw.notes, *notes))


def html_of(text: str) -> str:
    """Return a Markdown text as HTML."""
    end = text.rfind("-->") + 1
    closed = text[:end] + text[end:].replace("<!--", f"<{_KEPT}!--")  # such a comment would hold the rest of the file
    links: list[str] = []
    lines = [*_lines(closed.split("\n"), links), "", *links]
    parser = MarkdownIt("commonmark", {"breaks": True, "tasklists": True, "alerts": True})
    parser.enable(["table", "strikethrough"]).use(admon_plugin).use(deflist_plugin).use(footnote_plugin, inline=False)
    parser.use(dollarmath_plugin, allow_space=False, allow_digits=False, renderer=lambda said, _: f"${said}$")
    parser.core.ruler.before("inline", "unmark", _unmark)
    parser.core.ruler.push("settle", _settle)
    html: str = parser.render("\n".join(lines), {"components": frozenset(re.findall(r"</([A-Z][\w.]*)>", text))})
    return html


def _unmark(state: StateCore) -> None:
    for token in state.tokens:
        if token.type == "inline":
            token.content = _MARKED.sub(lambda one: one["code"] or one["said"] or "", token.content)


def _settle(state: StateCore) -> None:
    above: Token | None = None
    for token in state.tokens:
        if token.type == "inline" and token.children is not None and above is not None:
            is_text = above.type == "paragraph_open"
            tokens = _labelled(_without_pictures(token.children, is_text=is_text))
            token.children = _settle_tags(tokens, state.env["components"])
            for child in token.children:
                if child.type == "text":
                    child.content = _words(child.content)
            if above.type == "heading_open" and token.children:
                token.children[-1].content = _HEADING_ID.sub("", token.children[-1].content)
        elif token.type == "html_block":
            token.children = _settle_tags([token], state.env["components"])
        elif token.type.startswith(("admonition_title", "alert_title")):
            token.tag = "figcaption"
        above = token


def _words(text: str) -> str:
    text = _LIQUID.sub(lambda one: " ".join("".join(said) for said in _SAID.findall(one[1] or "")), text)
    return _EMOJI.sub("", _WIKI.sub(r"\1", text)).removeprefix("mailto:")


def _without_pictures(tokens: list[Token], *, is_text: bool) -> list[Token]:
    """Return the tokens of a paragraph, pictures as their words; one alone on its line says no sentence and goes."""
    lines = grouped(tokens, lambda line, _: line[-1].type not in _BREAKS)
    kept: list[Token] = []
    for line in lines:
        shown = [token for token in line if _words(token.content).strip()]
        if is_text and {token.type for token in shown} == {"image"}:
            continue
        if is_text and shown and shown[0].type == "image" and _words(shown[1].content).lstrip()[:1].isupper():
            line = [token.copy(content=f"{token.content}:") if token is shown[0] else token for token in line]
        kept += [token.copy(type="text") if token.type == "image" else token for token in line]
    return kept


def _labelled(tokens: list[Token]) -> list[Token]:
    """Return the tokens of a paragraph; a first line in bold type, as of an option, names the text below it."""
    shown = [token for token in tokens if token.type != "text" or token.content]
    types = [token.type for token in shown[:4]]
    label = shown[1].content if types[:3] == ["strong_open", "text", "strong_close"] else ""
    if len(shown) < 5 or types[3] not in _BREAKS or not label[-1:].isalnum() or len(label) > _LONGEST_LABEL:
        return tokens
    return [token.copy(type="text", content=": ") if token is shown[3] else token for token in tokens]


def _lines(lines: list[str], links: list[str]) -> Iterator[str]:
    """Yield lines with the marks of their dialect as those of Python-Markdown and HTML; put aside links' addresses."""
    fence, depth, brackets = "", 0, 0
    ends = sum(map(bool, map(_BOX_END.match, lines)))  # a box without one holds nothing
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
        indent = " " * 4 * min(depth, _DEEPEST)
        found = _FENCE.match(line)
        if found and (not fence or (found[1].startswith(fence) and not found[2].strip())):
            fence = "" if fence else found[1]
        elif fence:
            pass
        elif depth and _BOX_END.match(line):
            depth, ends = depth - 1, ends - 1
            line = ""
        elif (box := _BOX.match(line)) and (box[1] or box[2] or "{" in line):
            line = _box(line, box)
            depth += ends > depth
        else:
            line = "\n".join(_shown(part, links) for part in ([line] if "`" in line else _BETWEEN.split(line)))
        yield f"{indent}{line}" if line else line
    yield from opened


def _box(line: str, box: re.Match[str]) -> str:
    """Return the opening of a box as Python-Markdown writes it; a box without a title of its own has none."""
    title = _BOX_TITLE.search(box[2]) or re.search(r"()title=\"([^\"]*)\"()", line)
    said = next(filter(None, title.groups()), "") if title else ""
    return f'!!! {box[1] or "box"} "{said.replace(chr(34), chr(39))}"'


def _shown(line: str, links: list[str]) -> str:
    line = _RUBY.sub(lambda one: one["said"] or "", line)
    if tab := _TAB.match(line):
        return f'{tab[1]}!!! tab "{tab[2]}"'
    if components := _COMPONENTS.match(line):
        said, rest = " ".join(_NAMED.findall(components[1])), _ENDS.sub("", components[2])
        if not rest or (said and "</" not in rest):
            return f"\n<figcaption>{escape(said)}</figcaption>\n\n{rest}" if said else ""
    if link := _LINK.match(line):
        if not _ADDRESS.search(link[2]):  # `[Note]: Important` says something
            return line.replace("[", "\\[", 1)
        links.append(line.strip())
        return ""
    return line


def _settle_tags(tokens: Sequence[Token], components: Set[str]) -> list[Token]:
    """Return tokens in which only the tags of HTML are HTML, each opened and closed in one paragraph.

    `components` are the elements of a program that the text closes somewhere.
    """
    ends = {match[2].casefold() for token in tokens if (match := _tag(token)) and match[1]}
    kept = []
    for token in tokens:
        if token.type == "html_block" and not _is_html(token.content):
            token.content = f"<p>{escape(token.content, quote=False)}</p>"
        elif match := _tag(token):
            name = match[2].casefold()
            if not _is_tag(match[2], match[3], has_end=name in ends or match[2] in components):
                token = token.copy(type="text", content=token.content)
            elif name not in VOID and name not in ends:
                token = token.copy(content="" if name not in _RAW else escape(token.content))
        kept.append(token)
    return kept


def _tag(token: Token) -> re.Match[str] | None:
    return _OPENING.fullmatch(token.content) if token.type == "html_inline" else None


def _is_tag(name: str, rest: str, *, has_end: bool) -> bool:
    """Return whether angle brackets hold a tag; `a<b and c>d` compares letters."""
    is_plausible = len(name) > 1 or "=" in rest or not rest.strip(" \n/")
    return is_plausible and (name.casefold() in _TAGS or (name[0].isupper() and (has_end or rest.endswith("/"))))


def _is_html(content: str) -> bool:
    """Return whether a block of lines is HTML: it begins with one of its elements, or with a comment."""
    begins = _ALONE.match(content)
    name = begins[1].casefold() if begins else ""
    is_element = name in _TAGS and (name not in _RAW or f"</{name}" in content.casefold())
    return is_element or content.lstrip().startswith(("<!", "<?"))


def metadata_of(front: Mapping[str, object]) -> DocumentMetadata:
    """Return what front matter says of a document; keys are matched without regard to case."""
    authors = front.get("authors") or front.get("author") or ()
    names = authors if isinstance(authors, (list, tuple)) else [authors]
    texts = (_scalar(name.get("name") if isinstance(name, Mapping) else name) or "" for name in names)
    said = {key: text for key, value in front.items() if (text := _scalar(value))}
    return DocumentMetadata(
        title=said.get("title"),
        authors=tuple(dict.fromkeys(author for text in texts for author in authors_of(text))),
        year=year_of(said.get("year", "")) or year_of(said.get("date", "")),
        url=said.get("url") or said.get("canonical"),
        publisher=said.get("publisher") or said.get("institution"),
        module=said.get("module") or said.get("volume"),
    )


def _fields_of(front: Mapping[str, object], body: str, above: str = "", depth: int = 1) -> Iterator[Block]:
    """Yield the values of front matter that are no metadata and stand nowhere else, as fields.

    Switches, counts and addresses within a site are for the program that makes the site.
    """
    for key, value in front.items():
        if depth == 1 and key in _READ_KEYS:
            continue
        name = f"{above} {key}".strip().replace("_", " ")
        parts = value if isinstance(value, list) else [value]
        texts = [text for part in parts if not isinstance(part, (bool, int)) and (text := _scalar(part))]
        said = ", ".join(text for text in texts if " " in text or not re.search(r"[/\\]|^[^@]*\.\w+$", text))
        if said and not re.search(rf"(?<!\w){re.escape(said)}(?!\w)", body):
            yield Block("field", f"{name}: {said}")
        for part in parts if depth < _DEEPEST else ():
            yield from _fields_of(part, body, name, depth + 1) if isinstance(part, Mapping) else ()


def _scalar(value: object) -> str | None:
    """Return a text, number or date as text; None for lists, mappings, and numbers of thousands of digits."""
    with suppress(ValueError):
        return squeeze(str(value)) or None if isinstance(value, (str, int, float, date, time)) else None
    return None


def _chapter_of(front: Mapping[str, object]) -> int | None:
    """Return the first number in the value of `chapter`: the 3 of `Chapter 3`."""
    match = re.search(r"\d{1,4}", _scalar(front.get("chapter")) or "")
    return int(match[0]) if match else None


def _split(text: str) -> tuple[dict[str, object], str, tuple[str, ...]]:
    """Return the YAML mapping between the leading `---` lines, or the TOML between `+++`, the rest, and perhaps a note.

    Without a mapping it is all text. Lines `key: value` that are no valid YAML, or have none of the keys that are read,
    as the sentence `Note: The lid is hot.` between two rules, are a paragraph of it, and no heading, which the `---`
    below would make of them.
    """
    match = _FRONT_MATTER.match(text)
    if match is None:
        toml = _TOML.match(text)
        with suppress(tomllib.TOMLDecodeError):
            front = {key.casefold(): value for key, value in tomllib.loads(toml[1] if toml else "").items()}
            return front, text[toml.end() :] if toml else text, ()
        return {}, text, ()
    loaded = _loaded(match[1])
    front = {str(key).casefold(): value for key, value in loaded.items()} if isinstance(loaded, dict) else {}
    if _READ_KEYS & front.keys():
        return front, text[match.end() :], ()
    if not front and _KEY.match(match[1]) is None:
        return {}, text, ()
    return {}, f"{match[1]}\n\n{text[match.end() :]}", () if front else (_UNREAD,)


def _loaded(front: str) -> object:
    """Return what YAML says; None where it says nothing or is not safe to read."""
    if len(front) > _LONGEST_FRONT or sum(map(front.count, "[{")) > _MOST_BRACKETS:
        return None
    with suppress(yaml.YAMLError):  # a few hundred bytes of aliases may stand for millions of values
        if any(getattr(event, "anchor", None) for event in yaml.parse(front, Loader=yaml.SafeLoader)):
            return None
    for loader in (yaml.SafeLoader, yaml.BaseLoader):  # a value of no known type, as the date 2024-13-45, is text
        with suppress(yaml.YAMLError, ValueError, RecursionError):
            return yaml.load(front, Loader=loader)  # noqa: S506 - the second makes nothing but texts
    return None
