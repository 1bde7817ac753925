"""Web pages."""

from loader_checks import SAMPLES, check

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
