"""Web pages."""

import pytest
from loader_checks import SAMPLES, check

from rag.errors import InvalidDocument
from rag.ingest.loaders import load, load_bytes
from rag.models import Document

HEAD = '<!DOCTYPE html><html><head><title>Core</title><link rel="canonical" href="https://x.example/faq"></head>'


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
    assert document.text == "T\n\n- a\n- b\n3. c\n4. d"


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
        rows(
            "<th colspan='3'>Staff</th>",
            "<th></th><th colspan='2'>2021</th>",
            "<td>Oslo</td><td>4</td><td>5</td>",
        )
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
