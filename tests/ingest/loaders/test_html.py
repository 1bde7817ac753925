"""Web pages."""

import pytest
from loader_checks import SAMPLES, check

from rag.errors import InvalidDocument
from rag.ingest.loaders import load, load_bytes
from rag.models import Document

HEAD = '<!DOCTYPE html><html><head><title>Core</title><link rel="canonical" href="https://x.example/faq"></head>'


INNER = "<table><tr><td>weekday</td><td>9 euros</td></tr><tr><td>weekend</td><td>12 euros</td></tr></table>"


def read(body: str, head: str = HEAD) -> Document:
    return check(load_bytes("a.html", f"{head}<body>{body}</body></html>".encode()))


def test_main_text_is_kept_and_the_frame_around_it_is_not() -> None:
    document = read(
        "<header>Site</header><nav><a href='/'>Home</a></nav><main><h1>Core</h1><p>Main text.</p></main>"
        "<aside>Ad</aside><footer>Imprint</footer><script>var x = 1;</script><style>p {}</style>"
    )
    assert document.text == "Core\n\nMain text."


def test_page_without_a_declared_main_part_loses_its_frame_only() -> None:
    document = read("<header>Site</header><h1>Core</h1><p>One.</p><div><p>Two.</p></div><footer>Imprint</footer>")
    assert document.text == "Core\n\nOne.\n\nTwo."


def test_header_within_an_article_is_kept() -> None:
    assert read("<article><header><h1>Core</h1></header><p>Text.</p></article>").text == "Core\n\nText."


def test_head_becomes_metadata() -> None:
    head = (
        HEAD[:-7] + '<meta name="author" content="Ida Berg; Jo Ek"><meta property="og:site_name" content="Lab">'
        '<meta property="article:published_time" content="2024-05-01"></head>'
    )
    metadata = read("<p>Text.</p>", head).metadata
    assert (metadata.title, metadata.url, metadata.publisher) == ("Core", "https://x.example/faq", "Lab")
    assert (metadata.authors, metadata.year) == (("Ida Berg", "Jo Ek"), 2024)


def test_linked_data_gives_author_and_date() -> None:
    data = '{"@type": "Article", "author": {"name": "Ida Berg"}, "datePublished": "2019-01-02"}'
    metadata = read(f'<script type="application/ld+json">{data}</script><p>Text.</p>').metadata
    assert (metadata.authors, metadata.year) == (("Ida Berg",), 2019)


def test_canonical_address_that_is_no_web_address_is_ignored() -> None:
    head = HEAD.replace("https://x.example/faq", "javascript:alert(1)")
    assert read("<p>Text.</p>", head).metadata.url is None


@pytest.mark.parametrize(
    ("base", "link", "url"),
    [
        ("https://city.example/a/", "/pool/rules", "https://city.example/pool/rules"),
        ("https://city.example/a/", "rules", "https://city.example/a/rules"),
        ("https://city.example/a/", "https://x.example/faq", "https://x.example/faq"),
        ("https://city.example/a/", "javascript:alert(1)", None),
        ("https://city.example/a/", "http://[", None),
        ("/a/", "rules", None),
        ("ftp://city.example/", "rules", None),
    ],
)
def test_a_relative_canonical_address_is_completed_by_an_absolute_base(base: str, link: str, url: str | None) -> None:
    head = HEAD.replace("https://x.example/faq", link).replace("<head>", f'<head><base href="{base}">')
    assert read("<p>Text.</p>", head).metadata.url == url


@pytest.mark.parametrize(
    "style",
    [
        "display:none",
        "DISPLAY : NONE",
        "color: red; display:\n none ;",
        "display: none !important",
        "visibility:hidden",
        "display: block; /* not now */ display: none",
    ],
)
def test_text_that_an_inline_style_hides_is_left_out(style: str) -> None:
    hidden = f'<div style="{style}">Hidden <p style="{style}">text.</p></div><p>a<b style="{style}">b</b>c</p>'
    assert read(f"<h1>Core</h1><p>Seen.</p>{hidden}").text == "Core\n\nSeen.\n\nac"


@pytest.mark.parametrize(
    "style",
    [
        "display:block",
        "visibility: visible",
        "display: none; display: block",
        "overflow: hidden",
        "border: none",
        "--display: none",
        "background: url(none)",
    ],
)
def test_text_that_an_inline_style_shows_is_kept(style: str) -> None:
    assert read(f'<h1>Core</h1><p style="{style}">Seen.</p>').text == "Core\n\nSeen."


def test_a_body_that_a_script_shows_later_is_read() -> None:
    page = '<html><head><title>Core</title></head><body style="visibility: hidden"><p>Seen.</p></body></html>'
    assert "Seen." in load_bytes("a.html", page.encode()).text


def test_title_heads_a_page_without_a_heading() -> None:
    assert read("<p>Text.</p>").text == "Core\n\nText."


def test_headings_give_sections() -> None:
    document = read("<h1>Core</h1><h2>Data</h2><h3>How long?</h3><p>Three years.</p>")
    assert document.sections[-1].path == ("Core", "Data", "How long?")
    assert document.sections[-1].section == "Data"


def test_tables_become_rows_and_keep_signs_beside_numbers() -> None:
    document = read(
        "<h1>T</h1><table><caption>Fees</caption><tr><th>Item</th><th>Fee</th></tr>"
        "<tr><td>H<sub>2</sub>O</td><td>$</td><td>5</td><td>%</td></tr></table>"
    )
    assert document.text == "T\n\nFees\n\n| Item | Fee |\n| H2O | $5% |"


def test_table_that_lays_out_the_page_is_walked() -> None:
    document = read("<h1>T</h1><table><tr><td><p>One.</p><p>Two.</p></td></tr></table>")
    assert document.text == "T\n\nOne.\n\nTwo."


def test_lists_are_marked_and_numbered_and_nested_ones_too() -> None:
    document = read("<h1>T</h1><ul><li>a<ul><li>b</li></ul></li></ul><ol start='3'><li>c</li><li>d</li></ol>")
    assert document.text == "T\n\n- a\n- b\n\n3. c\n4. d"


def test_list_of_links_is_a_menu_and_left_out() -> None:
    menu = "".join(f"<li><a href='/{k}'>Page {k}</a></li>" for k in range(10))
    assert read(f"<h1>T</h1><ul>{menu}</ul><p>Text.</p>").text == "T\n\nText."


def test_line_breaks_within_a_paragraph_are_kept() -> None:
    assert read("<h1>T</h1><p>one<br>two <b>three<br>four</b></p>").text == "T\n\none\ntwo three\nfour"


def test_text_beside_blocks_is_not_lost() -> None:
    assert read("<h1>T</h1><div>loose <b>text</b><p>para</p>tail</div>").text == "T\n\nloose text\n\npara\n\ntail"


def test_declared_encoding_is_used() -> None:
    page = '<html><head><meta charset="windows-1251"></head><body><h1>Перчатки</h1></body></html>'
    assert load_bytes("a.htm", page.encode("cp1251")).text == "Перчатки"


def test_unknown_declared_encoding_is_survived() -> None:
    page = '<html><head><meta charset="no-such"></head><body><h1>Öl</h1></body></html>'
    assert load_bytes("a.html", page.encode()).text == "Öl"


def test_the_faq_of_the_samples_is_read_whole() -> None:
    document = check(load(SAMPLES / "faq.html"))
    assert document.metadata.url == "https://www.larkfield-institute.example/analytical-core/faq"
    assert "| Scanning electron microscope | D 028 | 35 euros | Dr Clara Nyström |" in document.text
    assert document.text.count("?\n") == 15
    assert "Imprint" not in document.text


def rows(*lines: str) -> str:
    return "<h1>T</h1><table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def test_a_cell_over_several_rows_stands_in_each_of_them() -> None:
    document = read(
        rows(
            "<th>City</th><th>Branch</th><th>Head</th>",
            "<td rowspan='2'>Oslo</td><td>North</td><td>Ida Berg</td>",
            "<td>South</td><td>Jon Lie</td>",
            "<td>Bergen</td><td>Port</td><td>Jo Ek</td>",
        )
    )
    assert document.text.endswith("| Oslo | North | Ida Berg |\n| Oslo | South | Jon Lie |\n| Bergen | Port | Jo Ek |")


def test_a_cell_over_several_columns_stands_in_each_of_them_but_a_title_once() -> None:
    document = read(
        rows("<th colspan='3'>Staff</th>", "<th></th><th colspan='2'>2021</th>", "<td>Oslo</td><td>4</td><td>5</td>")
    )
    assert document.text.endswith("| Staff |\n| | 2021 | 2021 |\n| Oslo | 4 | 5 |")


def test_an_empty_cell_keeps_its_place_and_an_empty_column_goes() -> None:
    cells = (("", "", "2021", "2022"), ("Oslo", "", "", "5"))
    document = read(rows(*("".join(f"<td>{cell}</td>" for cell in line) for line in cells)))
    assert document.text.endswith("| | 2021 | 2022 |\n| Oslo | | 5 |")


def test_spans_that_are_no_numbers_or_have_no_end_are_survived() -> None:
    document = read(rows("<td rowspan='0'>Oslo</td><td colspan='x'>North</td>", "<td>South</td>"))
    assert document.text.endswith("| Oslo | North |\n| Oslo | South |")


def test_two_tables_with_nothing_between_them_stay_two() -> None:
    body = "".join(f"<table><tr><td>{a}</td><td>{b}</td></tr></table>" for a, b in (("Room", "B7"), ("Staff", "9")))
    assert read(f"<h1>T</h1>{body}").text == "T\n\n| Room | B7 |\n\n| Staff | 9 |"


def test_a_title_over_an_empty_body_is_no_document() -> None:
    with pytest.raises(InvalidDocument, match="holds no text"):
        read("<div> </div><script>var x = 1;</script>")


def test_the_words_of_links_that_sphinx_marks_are_kept_and_notes_and_pilcrows_are_not() -> None:
    document = read(
        '<h1>Core<a class="headerlink" href="#c">¶</a></h1>'
        '<p>The <a class="reference internal" href="u">upload limit</a> is for '
        '<a class="reference external" href="r">registered clients</a>.'
        '<sup class="reference">[3]</sup></p>'
    )
    assert document.text == "Core\n\nThe upload limit is for registered clients."


def test_raised_figures_do_not_join_the_number_before() -> None:
    document = read(
        "<h1>T</h1><p>10<sup>3</sup> cells in 1923<sup>3</sup><sup>4</sup>, "
        "5 m<sup>2</sup>, the <b>5<sup>th</sup></b></p>"
        "<table><tr><th>Limit<sup>a</sup></th><th>At</th></tr>"
        "<tr><td>50<sup>a</sup></td><td>10<sup>-6</sup></td></tr></table>"
    )
    assert document.text == "T\n\n10³ cells in 1923 [3,4], 5 m², the 5th\n\n| Limit [a] | At |\n| 50 [a] | 10⁻⁶ |"


def test_formulas_are_written_on_the_line() -> None:
    half = "<math><mfrac><mn>1</mn><mn>2</mn></mfrac><annotation>\\frac12</annotation></math>"
    power = "<math><msup><mi>x</mi><mn>2</mn></msup><mo>=</mo><msqrt><mi>a</mi><mo>+</mo><mn>1</mn></msqrt></math>"
    assert (
        read(f"<h1>T</h1><p>Take {half} or 1{half} cups; {power}.</p>").text
        == "T\n\nTake 1/2 or 1 1/2 cups; x²=√(a+1)."
    )


def test_a_list_counts_as_its_page_says() -> None:
    document = read(
        "<h1>T</h1><ol><li>a<li value=5>b<li>c</ol><ol type=A start=2><li>d<li>e</ol>"
        "<ol type=i><li>f<li>g</ol><ol reversed><li>h<li>j<li>k</ol>"
    )
    assert document.text.split("\n\n")[1:] == [
        "1. a\n5. b\n6. c", "B. d\nC. e", "i. f\nii. g", "3. h\n2. j\n1. k"
    ]  # fmt: skip


def test_struck_text_is_left_out() -> None:
    assert read("<h1>T</h1><p>It is <del>5</del><s>6</s> 7 ppm.</p>").text == "T\n\nIt is 7 ppm."


ENTRIES = "".join(f"<li><a href='/{k}'>Page {k}</a></li>" for k in range(10))


def test_a_list_of_links_that_a_paragraph_introduces_is_content() -> None:
    text = read(f"<main><h1>T</h1><p>The hall has these rooms:</p><ul>{ENTRIES}</ul></main>").text
    assert text.endswith("The hall has these rooms:\n\n- Page 0\n" + "\n".join(f"- Page {k}" for k in range(1, 10)))


def test_a_menu_that_is_left_out_of_the_declared_main_part_is_noted() -> None:
    document = read(f"<main><h1>T</h1><ul>{ENTRIES}</ul><p>Text.</p></main>")
    assert document.text == "T\n\nText."
    assert document.notes == ("A list of 10 links was left out as a menu: 'Page 0', 'Page 1', 'Page 2' and 7 more.",)


@pytest.mark.parametrize("name", ['class="cc-cookie-notice"', 'id="CookieConsent"', 'class="gdpr-bar"'])
def test_a_box_that_asks_for_consent_is_left_out(name: str) -> None:
    box = f"<div {name}><p>We use cookies.</p><button>Accept all</button></div>"
    other = '<div id="onetrust-consent-sdk"><p>We value your privacy.</p></div><div aria-modal="true">Subscribe!</div>'
    assert read(f"<h1>T</h1><p>Text.</p>{box}{other}").text == "T\n\nText."


@pytest.mark.parametrize(
    "box",
    [
        '<div class="consent-form"><p>The patient gives consent in writing.</p></div>',
        '<div class="cookie-recipe"><p>Bake the cookies for 12 minutes.</p></div>',
    ],
)
def test_text_on_consent_or_on_cookies_is_kept(box: str) -> None:
    assert read(f"<h1>T</h1>{box}").text.split("\n\n")[1].startswith(("The patient gives", "Bake the"))


def test_what_others_wrote_below_an_article_is_left_out() -> None:
    below = (
        '<section id="comments"><h2>2 comments</h2><article><p>Nonsense.</p></article></section>'
        '<div class="related-posts"><h3>Related posts</h3><p>Other.</p></div>'
        '<aside class="related"><p>Other.</p></aside>'
    )
    assert read(f"<article><h1>T</h1><p>Text.</p>{below}</article>").text == "T\n\nText."
    assert "Remarks of staff" in read('<h1>T</h1><p class="comments">Remarks of staff.</p>').text


@pytest.mark.parametrize(
    ("table", "heads"),
    [
        (rows("<th>Chemical</th><th>Glove</th>", "<td>acetone</td><td>butyl</td>"), ["| Chemical | Glove |"]),
        (rows("<td></td><th>2021</th>", "<th>Rent</th><td>7</td>"), ["| | 2021 |"]),
        (rows("<th>Rent</th><td>7</td>", "<th>Fees</th><td>9</td>"), []),
        (rows("<td>Chemical</td><td>Glove</td>", "<td>acetone</td><td>butyl</td>"), []),
        (
            rows("<td><b>Chemical</b></td><td><strong>Glove</strong></td>", "<td>a</td><td>b</td>"),
            ["| Chemical | Glove |"],
        ),
        (rows("<td><b>Chemical</b></td><td>acetone</td>", "<td><b>Glove</b></td><td>butyl</td>"), []),
        (rows("<td><b>Chemical</b></td><td><b>No</b> glove</td>", "<td>acetone</td><td>butyl</td>"), []),
        (rows("<th>Rent</th><th>7</th>", "<th>Fees</th><th>9</th>"), []),
        (
            "<h1>T</h1><table><thead><tr><td>Chemical</td><td>Glove</td></tr></thead><tr><td>a</td><td>b</td></tr></table>",
            ["| Chemical | Glove |"],
        ),
        (
            rows("<th colspan=2>Rules</th>", "<th>Chemical</th><th>Glove</th>", "<td>a</td><td>b</td>"),
            ["| Rules |", "| Chemical | Glove |"],
        ),
    ],
)
def test_the_rows_that_a_page_marks_as_heads_are_known(table: str, heads: list[str]) -> None:
    document = read(table)
    assert [document.text[one.start : one.end] for one in document.blocks if one.kind == "heads"] == heads


@pytest.mark.parametrize(
    "panel",
    [
        "<button aria-expanded=false>Lids</button><div hidden><p>They are hot.</p></div>",
        "<button id=b>Lids</button><i></i><div hidden role=tabpanel aria-labelledby=b><p>They are hot.</p></div>",
        "<a role=tab href='#p'>Lids</a><p></p><div id=p hidden><p>They are hot.</p></div>",
        "<button data-bs-target='#p'>Lids</button><p></p><div id=p aria-hidden=true><p>They are hot.</p></div>",
        "<details><summary>Lids</summary><p>They are hot.</p></details>",
    ],
)
def test_a_panel_with_a_label_is_content_under_it_and_what_follows_is_not(panel: str) -> None:
    document = read(f"<h1>T</h1><h2>Kitchen</h2>{panel}<p>End.</p>")
    assert document.text == "T\n\nKitchen\n\nLids\n\nThey are hot.\n\nKitchen\n\nEnd."
    assert [one.path[-1] for one in document.sections] == ["T", "Kitchen", "Lids", "Kitchen"]
    assert document.notes == ()


def test_a_panel_under_a_heading_that_opens_it_is_content() -> None:
    panel = "<h3><button>Lids</button></h3><div style='display:none'><p>They are hot.</p></div>"
    assert read(f"<h1>T</h1>{panel}").text == "T\n\nLids\n\nThey are hot."


@pytest.mark.parametrize(
    "hidden",
    [
        "<div hidden>{}</div>",
        "<button>Menu</button><nav hidden>{}</nav>",
        "<button aria-controls=d>Help</button><div id=d role=dialog hidden>{}</div>",
    ],
)
def test_hidden_text_without_a_label_and_dialogues_are_left_out(hidden: str) -> None:
    words = "These words stand in a part that nobody has opened yet."
    assert words not in read(f"<h1>T</h1><p>Text.</p>{hidden.format(words)}").text


def test_what_is_hidden_without_a_label_is_told() -> None:
    [note] = read("<h1>T</h1><p>Text.</p><div hidden>These words stand in a part that nobody has opened.</div>").notes
    assert note.startswith("1 hidden part of the page, with no label that opens it, left out: 'These words stand")


def test_elements_in_a_line_do_not_run_together_and_parts_of_a_word_do() -> None:
    text = read(
        "<h1>T</h1><p><span>Order date</span><span>14 October</span></p>"
        "<p><b>Can</b><i>dor</i>, <span>C</span><span>an</span></p>"
        "<pre><span>foo</span><span>bar</span></pre>"
    ).text
    assert text == "T\n\nOrder date 14 October\n\nCandor, Can\n\nfoobar"


def test_rows_of_a_label_and_a_value_are_fields() -> None:
    rows = "".join(f"<div><span>{a}</span><span>{b}</span></div>" for a, b in (("Total", "12 euros"), ("Paid:", "no")))
    text = read(f"<h1>T</h1>{rows}<dl><dt>Contact</dt><dd>Ida Berg</dd></dl><div><b>Ida</b> <i>Berg</i></div>").text
    assert text == "T\n\nTotal: 12 euros\nPaid: no\nContact: Ida Berg\n\nIda Berg"


def test_what_a_form_holds_is_fields() -> None:
    form = (
        "<form><label>Customer <input value=C-77></label><label for=s>Speed</label>"
        "<select id=s><option>Slow<option selected>Fast</select><label><input type=checkbox checked> Gift</label>"
        "<label><input type=checkbox> Card</label><fieldset><legend>Payment</legend>"
        "<label><input type=radio checked> Cash"
        "</label><label><input type=radio> Bank</label></fieldset>"
        "<input type=password value=x><input type=hidden value=y>"
        "<textarea aria-label=Remark>Ring twice.</textarea><button>Send</button></form>"
    )
    assert read(f"<h1>T</h1>{form}").text == (
        "T\n\nCustomer: C-77\nSpeed: Fast\nGift: yes\nCard: no\n\nPayment\n\nPayment: Cash\nRemark: Ring twice."
    )


def nested(count: int, begin: str = "<div>", end: str = "</div>") -> bytes:
    return (begin * count + "Some words." + end * count).encode()


def refusal(data: bytes) -> str:
    with pytest.raises(InvalidDocument) as caught:
        load_bytes("a.html", data)
    return caught.value.message


@pytest.mark.parametrize("count", [500, 100_000])
def test_elements_nested_too_deeply_are_refused_in_plain_words(count: int) -> None:
    message = refusal(nested(count))
    assert message.startswith("'a.html' was not ingested: it is nested too deeply")
    assert message.endswith("Copy its text into a plain text file (.txt) or a new document, and ingest that.")
    assert "Recursion" not in message


def test_ends_that_end_nothing_do_not_hide_the_depth() -> None:
    assert "more than 2,000 elements within each other" in refusal(nested(30_000, "<div></x>"))


def test_tables_within_tables_count() -> None:
    assert "more than 2,000" in refusal(nested(30_000, "<table><tr><td>", "</td></tr></table>"))


@pytest.mark.parametrize(
    "piece", ["<p>One.", "<li>One.", "One.<br>", "<div><span>One.</div>", "<tr><td><p>One.", "<img src=a><p>One.</p>"]
)
def test_many_elements_after_each_other_are_not_deep(piece: str) -> None:
    assert "One." in load_bytes("a.html", (piece * 25_000).encode()).text


def test_a_drawing_of_many_shapes_is_not_deep() -> None:
    page = "<p>Words.</p><svg>" + '<path d="M0 0"/>' * 25_000 + "</svg>"
    assert load_bytes("a.html", page.encode()).text == "Words."


def test_a_hundred_elements_within_each_other_are_read() -> None:
    assert load_bytes("a.html", nested(100)).text == "Some words."


def text_of(body: str) -> str:
    return load_bytes("a.html", f"<h1>T</h1>{body}".encode()).text


def test_a_table_in_a_cell_is_said_on_one_line_and_the_rows_around_it_stay() -> None:
    table = (
        "<table><tr><th>Ticket</th><th>Price</th></tr>"
        f"<tr><td>Adult</td><td>{INNER}</td></tr><tr><td>Child</td><td>4 euros</td></tr></table>"
    )
    assert text_of(table) == (
        "T\n\n| Ticket | Price |\n| Adult | weekday 9 euros, weekend 12 euros |\n| Child | 4 euros |"
    )


def test_words_beside_the_inner_table_stay_apart_from_it() -> None:
    table = (
        "<table><tr><td>Child</td><td>4 euros</td></tr><tr><td>Dog</td><td>free</td></tr>"
        f"<tr><td>Adult</td><td>of age:{INNER}or less</td></tr></table>"
    )
    assert "| Adult | of age: weekday 9 euros, weekend 12 euros or less |" in text_of(table)


def test_a_table_that_lays_out_the_page_is_walked_and_the_one_in_it_keeps_its_rows() -> None:
    table = f"<table><tr><td><p>Prices of the baths.</p></td><td>{INNER}</td></tr></table>"
    assert text_of(table) == "T\n\nPrices of the baths.\n\n| weekday | 9 euros |\n| weekend | 12 euros |"


def test_a_cell_with_a_heading_or_much_text_is_a_part_of_the_page() -> None:
    head = "<tr><th>Menu</th><th>Page</th></tr>"
    heading = f"<table>{head}<tr><td>Home</td><td><h2>Prices</h2>{INNER}</td></tr></table>"
    assert "\n\nPrices\n\n| weekday | 9 euros |\n" in text_of(heading)
    long = f"<table>{head}<tr><td>Home</td><td><p>{'The baths are open. ' * 25}</p>{INNER}</td></tr></table>"
    assert "\n\n| weekday | 9 euros |\n" in text_of(long)
