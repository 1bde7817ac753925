"""Web pages."""

import re

import pytest
from loader_checks import check

from rag.errors import InvalidDocument
from rag.ingest.loaders import load_bytes
from rag.models import Document

HEAD = '<!DOCTYPE html><html><head><title>Core</title><link rel="canonical" href="https://x.example/faq"></head>'
INNER = "<table><tr><td>weekday</td><td>9 euros</td></tr><tr><td>weekend</td><td>12 euros</td></tr></table>"
LINKS = "".join(f"<li><a href='/{k}'>Page {k}</a></li>" for k in range(10))
LINKED = "\n".join(f"- Page {k}" for k in range(10))


def read(body: str, head: str = HEAD) -> Document:
    return check(load_bytes("a.html", f"{head}<body>{body}</body></html>".encode()))


def rows(*lines: str) -> str:
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


GONE = (
    "<nav><a href='/'>Home</a></nav>",
    "<script>var x = 1;</script><style>p {}</style>",
    '<section id="comments"><h2>2 comments</h2><p>Nonsense.</p></section>',
    '<div class="related-posts"><p>Other.</p></div>',
    '<aside class="related"><p>Other.</p></aside>',
    '<div class="cc-cookie-notice"><p>We use cookies.</p><button>Accept all</button></div>',
    '<div id="onetrust-consent-sdk"><p>We value your privacy.</p></div>',
    '<div aria-modal="true">Subscribe!</div>',
    "<del>5</del><s>6</s>",
    '<div style="DISPLAY : NONE">Not <p style="DISPLAY : NONE">seen.</p></div>',
    '<p style="color: red; display: none !important">Not seen.</p>',
    '<b style="display: block; /* */ visibility:hidden">Not seen.</b>',
)
STAYS = (
    '<div class="consent-form">The patient gives consent in writing.</div>',
    '<div class="cookie-recipe">Bake the cookies for 12 minutes.</div>',
    '<p style="display: none; display: block">Seen.</p>',
    '<p style="overflow: hidden">Seen.</p>',
    '<p style="--display: none">Seen.</p>',
)


@pytest.mark.parametrize(
    "page", ["<header>Site</header><main>{}</main><aside>Ad</aside>", "<header>Site</header>{}<footer>Imprint</footer>"]
)
def test_the_main_text_is_read_without_what_surrounds_it_or_stands_in_it_and_is_no_text(page: str) -> None:
    for piece in (*GONE, *STAYS):
        said = "" if piece in GONE else re.sub("<.*?>", "", f"{piece}\n\n")
        document = read(page.format(f"<h1>T</h1><p>One.</p>{piece}<p>Two.</p>"))
        assert document.text == f"T\n\nOne.\n\n{said}Two."


PAY = "<legend>Pay</legend><label><input type=radio checked> Cash</label><label><input type=radio> Card</label>"
POWER = "<math><msup><mi>x</mi><mn>2</mn></msup><mo>=</mo><msqrt><mi>a</mi><mo>+</mo><mn>1</mn></msqrt></math>"
READ = {
    "links that a paragraph introduces": (f"<p>Rooms:</p><ul>{LINKS}</ul>", "Rooms:\n\n" + LINKED),
    "line breaks": ("<p>one<br>two <b>three<br>four</b></p>", "one\ntwo three\nfour"),
    "elements in a line are apart": ("<p><span>Order date</span><span>14 October</span></p>", "Order date 14 October"),
    "so are labels, boxes and links": (
        "<p><b>By:</b><span>Post</span><span>No.</span><span>K-5</span>or<a>Track it</a><i>by</i><button>Go</button>it",
        "By: Post No. K-5or Track it by Go it",
    ),
    "numbers, names and large letters are one": (
        "<span>12.</span><span>99</span> <b>www.</b><i>x.org</i> <i style='padding:1px'>W</i>ear bus<a>ses</a>",
        "12.99 www.x.org Wear busses",
    ),
    "parts of a word are not": ("<p><b>Can</b><i>dor</i>, <span>C</span><span>an</span></p>", "Candor, Can"),
    "nor is code": ("<pre><span>foo</span><span>bar</span></pre>", "foobar"),
    "two notes": ("cells in 1923<sup>3</sup><sup>4</sup>", "cells in 1923 [3,4]"),
    "in cells": (rows("<th>Up<sup>a</sup><th>At", "<td>50<td>10<sup>-6</sup>"), "| Up [a] | At |\n| 50 | 10⁻⁶ |"),
    "a fraction": ("1<math><mfrac><mn>1</mn><mn>2</mn></mfrac><annotation>x</annotation></math> cups", "1 1/2 cups"),
    "a formula": (POWER, "x²=√(a+1)"),
    "lists": ("<ul><li>a<ul><li>b</ul></ul><ol start='3'><li>c<li>d</ol>", "- a\n- b\n\n3. c\n4. d"),
    "lists of types": ("<ol type=A start=2><li>d<li value=5>e</ol><ol type=i><li>f</ol>", "B. d\nE. e\n\ni. f"),
    "a list that counts down": ("<ol reversed><li>h<li>j<li>k</ol>", "3. h\n2. j\n1. k"),
    "labels and values": (
        "<div><span>Total</span><span>12 euros</span></div><div><span>Paid:</span><span>no</span></div>",
        "Total: 12 euros\nPaid: no",
    ),
    "a term": ("<dl><dt>Contact</dt><dd>Ida Berg</dd></dl>", "Contact: Ida Berg"),
    "no label": ("<div><b>Ida</b> <i>Berg</i></div>", "Ida Berg"),
    "a field": ("<form><label>Customer <input value=C-77></label></form>", "Customer: C-77"),
    "a choice": ("<label for=s>Speed</label><select id=s><option>Slow<option selected>Fast</select>", "Speed: Fast"),
    "boxes": ("<label><input type=checkbox checked> Yes</label><label><input type=checkbox> No", "Yes: yes\nNo: no"),
    "buttons of which one is chosen": (f"<fieldset>{PAY}</fieldset>", "Pay\n\nPay: Cash"),
    "a field for text": ("<textarea aria-label=Remark>Ring twice.</textarea>", "Remark: Ring twice."),
    "what is not to be read": ("<form>One.<input type=password value=x><input type=hidden value=y></form>", "One."),
    "a button of a form": ("<form>One.<button>Send</button></form>", "One."),
    "signs in cells of their own": (
        "<table><caption>Fees</caption><tr><th>Item<th>Fee<tr><td>H<sub>2</sub>O<td>$<td>5<td>%</table>",
        "Fees\n\n| Item | Fee |\n| H2O | $5% |",
    ),
    "several rows": (rows("<th>a<th>b", "<td rowspan='2'>Oslo<td>x", "<td>y"), "| a | b |\n| Oslo | x |\n| Oslo | y |"),
    "a cell over several columns stands in each, but a title once": (
        rows("<th colspan='3'>Staff", "<th><th colspan='2'>2021", "<td>Oslo<td>4<td>5"),
        "| Staff |\n| | 2021 | 2021 |\n| Oslo | 4 | 5 |",
    ),
    "empty cells and columns": (rows("<td><td><td>8<td>9", "<td>Oslo<td><td><td>5"), "| | 8 | 9 |\n| Oslo | | 5 |"),
    "two tables": (rows("<td>Room</td><td>B7") + rows("<td>Staff</td><td>9"), "| Room | B7 |\n\n| Staff | 9 |"),
    "a layout": (rows(f"<td><p>Prices.</p><td>{INNER}"), "Prices.\n\n| weekday | 9 euros |\n| weekend | 12 euros |"),
    "columns of a page": (
        rows("<td><h3>Gala</h3><p>Saturday.</p><td><td><h3>Help</h3><p>Wanted.</p>"),
        "Gala\n\nSaturday.\n\nHelp\n\nWanted.",
    ),
    "columns without headings": (rows("<td><p>A</p><p>One.</p><td><p>B</p><p>Two.</p>"), "A\n\nOne.\n\nB\n\nTwo."),
    "paragraphs in cells are no columns": (rows("<td><p>Adult</p><td><p>9</p><p>or 8</p>"), "| Adult | 9 or 8 |"),
    "a table in a cell is said on one line, apart from the words beside it": (
        rows("<th>Ticket</th><th>Price</th>", f"<td>Adult</td><td>of age:{INNER}or less</td>", "<td>Dog</td><td>1"),
        "| Ticket | Price |\n| Adult | of age: weekday 9 euros, weekend 12 euros or less |\n| Dog | 1 |",
    ),
}


@pytest.mark.parametrize(("body", "text"), READ.values(), ids=READ)
def test_an_element_is_read_as_it_is_shown(body: str, text: str) -> None:
    assert read(f"<h1>T</h1>{body}").text == f"T\n\n{text}"


@pytest.mark.parametrize(
    "panel",
    [
        "<button aria-expanded=false>Lids</button><div hidden><p>Hot.</p><form><button>Go</button></form></div>",
        "<button id=b>Lids</button><i></i><div hidden role=tabpanel aria-labelledby=b><p>Hot.</p></div>",
        "<a role=tab href='#p'>Lids</a><p></p><div id=p hidden><p>Hot.</p></div>",
        "<button data-bs-target='#p'>Lids</button><p></p><div id=p aria-hidden=true><p>Hot.</p></div>",
        "<details><summary>Lids</summary><p>Hot.</p></details>",
    ],
)
def test_a_panel_with_a_label_is_content_under_it_and_what_follows_is_not(panel: str) -> None:
    document = read(f"<h1>T</h1><h2>Kitchen</h2>{panel}<p>End.</p>")
    assert document.text == "T\n\nKitchen\n\nLids\n\nHot.\n\nKitchen\n\nEnd."
    assert [one.path[-1] for one in document.sections] == ["T", "Kitchen", "Lids", "Kitchen"]
    assert document.notes == ()


@pytest.mark.parametrize("around", ["<div id=l>Lids{}</div>", "<button id=l>Lids</button><h2>Kitchen{}</h2>"])
def test_a_label_or_a_heading_does_not_grow_with_the_panels_in_it(around: str) -> None:
    panels = "<div hidden aria-labelledby=l>Hot.</div>" * 60
    assert len(read(f"<h1>T</h1><p>One.</p>{around.format(panels)}").text) < 50_000


def test_menus_of_the_main_part_and_hidden_text_without_a_label_are_left_out_and_told_and_dialogues_left_out() -> None:
    menu = read(f"<main><h1>T</h1><ul>{LINKS}</ul><p>Text.</p></main>")
    assert menu.text == "T\n\nText."
    assert menu.notes == ("A list of 10 links was left out as a menu: 'Page 0', 'Page 1', 'Page 2' and 7 more.",)
    words = "These words stand in a part that nobody has opened yet."
    part = read(f"<h1>T</h1><p>Text.</p><div hidden>{words}</div>")
    menu = read(f"<h1>T</h1><p>Text.</p><button>Menu</button><nav hidden>{words}</nav>")
    dialogue = read(f"<h1>T</h1>Text.<button aria-controls=d>Help</button><div id=d role=dialog hidden>{words}</div>")
    assert not any(words in document.text for document in (part, menu, dialogue))
    assert part.notes[0].startswith(
        "Hidden parts of the page that no label opens were left out: 1, the first from 'These"
    )


def test_the_head_becomes_metadata_with_an_absolute_address_and_its_title_the_heading_of_a_page_without_one() -> None:
    head = (
        HEAD[:-7] + '<meta name="author" content="Ida Berg; Jo Ek"><meta property="og:site_name" content="Lab">'
        '<meta property="article:published_time" content="2024-05-01"></head>'
    )
    document = read("<p>Text.</p>", head)
    metadata = document.metadata
    assert document.text == "Core\n\nText."
    assert (metadata.title, metadata.url, metadata.publisher) == ("Core", "https://x.example/faq", "Lab")
    assert (metadata.authors, metadata.year) == (("Ida Berg", "Jo Ek"), 2024)
    for link, url in {"/pool": "https://city.example/pool", "javascript:alert(1)": None, "http://[": None}.items():
        based = head.replace("<head>", '<head><base href="https://city.example/a/">').replace(metadata.url, link)
        assert read("<p>Text.</p>", based).metadata.url == url


@pytest.mark.parametrize(
    ("table", "heads"),
    [
        (rows("<th>Chemical</th><th>Glove</th>", "<td>acetone</td><td>butyl</td>"), ["| Chemical | Glove |"]),
        (rows("<td></td><th>2021</th>", "<th>Rent</th><td>7</td>"), ["| | 2021 |"]),
        (rows("<th>Rent</th><td>7</td>", "<th>Fees</th><td>9</td>"), []),
        (rows("<td><b>Chemical</b></td><td><b>Glove</b></td>", "<td>a</td><td>b</td>"), ["| Chemical | Glove |"]),
        (rows("<td><b>Chemical</b></td><td><b>No</b> glove</td>", "<td>acetone</td><td>butyl</td>"), []),
        (rows("<th>Rent</th><th>7</th>", "<th>Fees</th><th>9</th>"), []),
        ("<table><thead><tr><td>Acid</td><td>Limit</td></thead><tr><td>a</td><td>b</td></table>", ["| Acid | Limit |"]),
        (rows("<th colspan=2>Rules", "<th>Acid<th>Glove", "<td>a<td>b"), ["| Rules |", "| Acid | Glove |"]),
    ],
)
def test_the_rows_that_a_page_marks_as_heads_are_known(table: str, heads: list[str]) -> None:
    document = read(f"<h1>T</h1>{table}")
    assert [document.text[one.start : one.end] for one in document.blocks if one.kind == "heads"] == heads


@pytest.mark.parametrize(
    ("begin", "end", "is_refused"),
    [
        ("<div>" * 500, "</div>" * 500, True),
        ("<details><summary>One</summary>" * 6_000, "", True),
        ("<div></x>" * 30_000, "</div>" * 30_000, True),  # ends that end nothing
        ("<table><tr><td>" * 30_000, "</td></tr></table>" * 30_000, True),
        ("<div>" * 100, "</div>" * 100, False),
        ("<p>One.<br>" * 25_000, "", False),
        ("<div><span>One.</div>" * 25_000, "", False),
        ("<svg>" + '<path d="M0 0"/>' * 25_000 + "</svg>", "", False),
    ],
    ids=["500", "panels", "ends of nothing", "tables", "100", "p", "span", "a drawing"],
)
def test_elements_nested_too_deeply_are_refused_in_plain_words_and_many_after_each_other_are_not(
    begin: str, end: str, is_refused: bool
) -> None:
    page = f"{begin}Some words.{end}".encode()
    if is_refused:
        with pytest.raises(InvalidDocument, match=r"'a.html' was not ingested: it is nested too deeply.*\(.txt\)"):
            load_bytes("a.html", page)
    else:
        assert "Some words." in load_bytes("a.html", page).text
