"""Web pages."""

import pytest
from loader_checks import check

from rag.errors import InvalidDocument
from rag.ingest.loaders import load_bytes
from rag.models import Document

HEAD = '<!DOCTYPE html><html><head><title>Core</title><link rel="canonical" href="https://x.example/faq"></head>'
INNER = "<table><tr><td>weekday</td><td>9 euros</td></tr><tr><td>weekend</td><td>12 euros</td></tr></table>"
LINKS = "".join(f"<li><a href='/{k}'>Page {k}</a></li>" for k in range(10))


def read(body: str, head: str = HEAD) -> Document:
    return check(load_bytes("a.html", f"{head}<body>{body}</body></html>".encode()))


def text_below_heading(body: str) -> str:
    return read(f"<h1>T</h1>{body}").text.removeprefix("T").lstrip()


def rows(*lines: str) -> str:
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


PAGES = {
    "a declared main part without its frame": (
        "<header>Site</header><nav><a href='/'>Home</a></nav><main><h1>Core</h1><p>Main text.</p></main>"
        "<aside>Ad</aside><footer>Imprint</footer><script>var x = 1;</script><style>p {}</style>",
        "Core\n\nMain text.",
    ),
    "a page without such a part": ("<header>Site</header><h1>a</h1><div>b</div><footer>Imprint</footer>", "a\n\nb"),
    "the title heads a page without a heading": ("<p>One.</p>", "Core\n\nOne."),
    "what others wrote below an article is left out": (
        '<article><h1>T</h1><p>One.</p><section id="comments"><h2>2 comments</h2><p>Nonsense.</p></section>'
        '<div class="related-posts"><p>Other.</p></div><aside class="related"><p>Other.</p></aside></article>',
        "T\n\nOne.",
    ),
    "boxes that ask for consent are left out": (
        '<h1>T</h1><p>One.</p><div class="cc-cookie-notice"><p>We use cookies.</p><button>Accept all</button></div>'
        '<div id="onetrust-consent-sdk"><p>We value your privacy.</p></div><div aria-modal="true">Subscribe!</div>',
        "T\n\nOne.",
    ),
    "text on consent and on cookies stays": (
        '<h1>T</h1><div class="consent-form"><p>The patient gives consent in writing.</p></div>'
        '<div class="cookie-recipe"><p>Bake the cookies for 12 minutes.</p></div>',
        "T\n\nThe patient gives consent in writing.\n\nBake the cookies for 12 minutes.",
    ),
    "struck text is left out": ("<h1>T</h1><p>It is <del>5</del><s>6</s> 7 ppm.</p>", "T\n\nIt is 7 ppm."),
    "a list of links that a paragraph introduces": (
        f"<main><h1>T</h1><p>It has these rooms:</p><ul>{LINKS}</ul></main>",
        "T\n\nIt has these rooms:\n\n" + "\n".join(f"- Page {k}" for k in range(10)),
    ),
}


@pytest.mark.parametrize(("body", "text"), PAGES.values(), ids=PAGES)
def test_the_main_text_of_a_page_is_read_without_what_surrounds_it(body: str, text: str) -> None:
    assert read(body).text == text


def test_a_menu_that_is_left_out_of_the_declared_main_part_is_noted() -> None:
    document = read(f"<main><h1>T</h1><ul>{LINKS}</ul><p>Text.</p></main>")
    assert document.text == "T\n\nText."
    assert document.notes == ("A list of 10 links was left out as a menu: 'Page 0', 'Page 1', 'Page 2' and 7 more.",)


@pytest.mark.parametrize(
    "style", ["DISPLAY : NONE", "color: red; display: none !important", "display: block; /* */ visibility:hidden"]
)
@pytest.mark.parametrize("shown", ["display: none; display: block", "overflow: hidden", "--display: none"])
def test_text_that_an_inline_style_hides_is_left_out(style: str, shown: str) -> None:
    hidden = f'<div style="{style}">Hidden <p style="{style}">text.</p></div><p>a<b style="{style}">b</b>c</p>'
    assert text_below_heading(f'<p style="{shown}">Seen.</p>{hidden}') == "Seen.\n\nac"


@pytest.mark.parametrize(
    "panel",
    [
        "<button aria-expanded=false>Lids</button><div hidden><p>They are hot.</p></div>",
        "<button id=b>Lids</button><i></i><div hidden role=tabpanel aria-labelledby=b><p>They are hot.</p></div>",
        "<a role=tab href='#p'>Lids</a><p></p><div id=p hidden><p>They are hot.</p></div>",
        "<button data-bs-target='#p'>Lids</button><p></p><div id=p aria-hidden=true><p>They are hot.</p></div>",
        "<details><summary>Lids</summary><p>They are hot.</p></details>",
        "<button aria-expanded=false>Lids</button><div hidden><p>They are hot.</p><form><button>Go</button></form>"
        "</div>",
    ],
)
def test_a_panel_with_a_label_is_content_under_it_and_what_follows_is_not(panel: str) -> None:
    document = read(f"<h1>T</h1><h2>Kitchen</h2>{panel}<p>End.</p>")
    assert document.text == "T\n\nKitchen\n\nLids\n\nThey are hot.\n\nKitchen\n\nEnd."
    assert [one.path[-1] for one in document.sections] == ["T", "Kitchen", "Lids", "Kitchen"]
    assert document.notes == ()


@pytest.mark.parametrize(
    ("hidden", "notes"),
    [
        ("<div hidden>{}</div>", 1),
        ("<button>Menu</button><nav hidden>{}</nav>", 0),
        ("<button aria-controls=d>Help</button><div id=d role=dialog hidden>{}</div>", 0),
    ],
)
def test_hidden_text_without_a_label_is_left_out_and_told_and_so_are_dialogues(hidden: str, notes: int) -> None:
    words = "These words stand in a part that nobody has opened yet."
    document = read(f"<h1>T</h1><p>Text.</p>{hidden.format(words)}")
    assert words not in document.text
    if notes:
        assert document.notes[0].startswith("1 hidden part of the page, with no label that opens it, left out: 'These")


def test_head_becomes_metadata() -> None:
    head = (
        HEAD[:-7] + '<meta name="author" content="Ida Berg; Jo Ek"><meta property="og:site_name" content="Lab">'
        '<meta property="article:published_time" content="2024-05-01"></head>'
    )
    metadata = read("<p>Text.</p>", head).metadata
    assert (metadata.title, metadata.url, metadata.publisher) == ("Core", "https://x.example/faq", "Lab")
    assert (metadata.authors, metadata.year) == (("Ida Berg", "Jo Ek"), 2024)


@pytest.mark.parametrize(
    ("base", "link", "url"),
    [
        ("https://city.example/a/", "/pool/rules", "https://city.example/pool/rules"),
        ("https://city.example/a/", "javascript:alert(1)", None),
        ("https://city.example/a/", "http://[", None),
        ("/a/", "rules", None),
    ],
)
def test_a_canonical_address_is_a_web_address_a_relative_one_completed_by_an_absolute_base(
    base: str, link: str, url: str | None
) -> None:
    head = HEAD.replace("https://x.example/faq", link).replace("<head>", f'<head><base href="{base}">')
    assert read("<p>Text.</p>", head).metadata.url == url


ELEMENTS = {
    "line breaks are kept": ("<p>one<br>two <b>three<br>four</b></p>", "one\ntwo three\nfour"),
    "elements in a line are apart and parts of a word are not": (
        "<p><span>Order date</span><span>14 October</span></p><p><b>Can</b><i>dor</i>, <span>C</span><span>an</span>"
        "</p><pre><span>foo</span><span>bar</span></pre>",
        "Order date 14 October\n\nCandor, Can\n\nfoobar",
    ),
    "raised figures do not join the number before": (
        "<p>10<sup>3</sup> cells in 1923<sup>3</sup><sup>4</sup>, the <b>5<sup>th</sup></b></p>"
        "<table><tr><th>Limit<sup>a</sup></th><th>At</th></tr><tr><td>50<sup>a</sup></td><td>10<sup>-6</sup></td></tr>",
        "10³ cells in 1923 [3,4], the 5th\n\n| Limit [a] | At |\n| 50 [a] | 10⁻⁶ |",
    ),
    "formulas stand on the line": (
        "<p>Take 1<math><mfrac><mn>1</mn><mn>2</mn></mfrac><annotation>\\frac12</annotation></math> cups; <math><msup>"
        "<mi>x</mi><mn>2</mn></msup><mo>=</mo><msqrt><mi>a</mi><mo>+</mo><mn>1</mn></msqrt></math>.</p>",
        "Take 1 1/2 cups; x²=√(a+1).",
    ),
    "lists": ("<ul><li>a<ul><li>b</ul></ul><ol start='3'><li>c<li>d</ol>", "- a\n- b\n\n3. c\n4. d"),
    "a list counts as its page says": (
        "<ol><li>a<li value=5>b<li>c</ol><ol type=A start=2><li>d</ol><ol type=i><li>f</ol>"
        "<ol reversed><li>h<li>j<li>k</ol>",
        "1. a\n5. b\n6. c\n\nB. d\n\ni. f\n\n3. h\n2. j\n1. k",
    ),
    "rows of a label and a value are fields": (
        "<div><span>Total</span><span>12 euros</span></div><div><span>Paid:</span><span>no</span></div>"
        "<dl><dt>Contact</dt><dd>Ida Berg</dd></dl><div><b>Ida</b> <i>Berg</i></div>",
        "Total: 12 euros\nPaid: no\nContact: Ida Berg\n\nIda Berg",
    ),
    "what a form holds is fields": (
        "<form><label>Customer <input value=C-77></label><label for=s>Speed</label>"
        "<select id=s><option>Slow<option selected>Fast</select><label><input type=checkbox checked> Gift</label>"
        "<label><input type=checkbox> Card</label><fieldset><legend>Payment</legend><label><input type=radio checked> "
        "Cash</label><label><input type=radio> Bank</label></fieldset>"
        "<input type=password value=x><input type=hidden value=y>"
        "<textarea aria-label=Remark>Ring twice.</textarea><button>Send</button></form>",
        "Customer: C-77\nSpeed: Fast\nGift: yes\nCard: no\n\nPayment\n\nPayment: Cash\nRemark: Ring twice.",
    ),
    "signs in cells of their own stand beside their number": (
        "<table><caption>Fees</caption><tr><th>Item</th><th>Fee</th></tr>"
        "<tr><td>H<sub>2</sub>O</td><td>$</td><td>5</td><td>%</td></tr></table>",
        "Fees\n\n| Item | Fee |\n| H2O | $5% |",
    ),
    "several rows": (rows("<th>a<th>b", "<td rowspan='2'>Oslo<td>x", "<td>y"), "| a | b |\n| Oslo | x |\n| Oslo | y |"),
    "a cell over several columns stands in each, but a title once": (
        rows("<th colspan='3'>Staff</th>", "<th></th><th colspan='2'>2021</th>", "<td>Oslo</td><td>4</td><td>5</td>"),
        "| Staff |\n| | 2021 | 2021 |\n| Oslo | 4 | 5 |",
    ),
    "empty cells and columns": (rows("<td><td><td>8<td>9", "<td>Oslo<td><td><td>5"), "| | 8 | 9 |\n| Oslo | | 5 |"),
    "two tables": (rows("<td>Room</td><td>B7") + rows("<td>Staff</td><td>9"), "| Room | B7 |\n\n| Staff | 9 |"),
    "a layout": (rows(f"<td><p>Prices.</p><td>{INNER}"), "Prices.\n\n| weekday | 9 euros |\n| weekend | 12 euros |"),
    "a table in a cell is said on one line, apart from the words beside it": (
        rows("<th>Ticket</th><th>Price</th>", f"<td>Adult</td><td>of age:{INNER}or less</td>", "<td>Dog</td><td>1"),
        "| Ticket | Price |\n| Adult | of age: weekday 9 euros, weekend 12 euros or less |\n| Dog | 1 |",
    ),
}


@pytest.mark.parametrize(("body", "text"), ELEMENTS.values(), ids=ELEMENTS)
def test_an_element_is_read_as_it_is_shown(body: str, text: str) -> None:
    assert text_below_heading(body) == text


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
    ("begin", "end", "count"),
    [
        ("<div>", "</div>", 500),
        ("<div>", "</div>", 100_000),
        ("<div></x>", "</div>", 30_000),  # ends that end nothing
        ("<table><tr><td>", "</td></tr></table>", 30_000),
    ],
)
def test_elements_nested_too_deeply_are_refused_in_plain_words(begin: str, end: str, count: int) -> None:
    with pytest.raises(InvalidDocument) as caught:
        load_bytes("a.html", (begin * count + "Some words." + end * count).encode())
    assert caught.value.message.startswith("'a.html' was not ingested: it is nested too deeply")
    assert "plain text file (.txt)" in caught.value.message
    assert "Recursion" not in caught.value.message


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 100 + "One." + "</div>" * 100,
        "<p>One." * 25_000,
        "One.<br>" * 25_000,
        "<div><span>One.</div>" * 25_000,
        "<p>One.</p><svg>" + '<path d="M0 0"/>' * 25_000 + "</svg>",
    ],
    ids=["a hundred deep", "p", "br", "span", "a drawing"],
)
def test_many_elements_after_each_other_are_not_deep(page: str) -> None:
    assert "One." in load_bytes("a.html", page.encode()).text
