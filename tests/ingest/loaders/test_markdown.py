"""Markdown files."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from loader_checks import check

from rag.errors import InvalidDocument
from rag.ingest.loaders import load_bytes
from rag.models import Document


def load(text: str) -> Document:
    return check(load_bytes("a.md", text.encode()))


def test_front_matter_becomes_metadata_and_leaves_the_text() -> None:
    document = load(
        "---\nTitle: Soil\nauthors: [Ida Berg, {name: Jo Ek}]\nyear: 2021\nurl: https://x.example/s\n"
        "module: GEO-1\npublisher: Press\n---\n# Chapter 1: Clay\n\nText."
    )
    assert document.text == "Chapter 1: Clay\n\nText."
    metadata = document.metadata
    assert (metadata.title, metadata.authors, metadata.year) == ("Soil", ("Ida Berg", "Jo Ek"), 2021)
    assert (metadata.url, metadata.module, metadata.publisher) == ("https://x.example/s", "GEO-1", "Press")


def test_front_matter_with_one_author_and_a_date() -> None:
    metadata = load("---\nauthor: Ida Berg\ndate: 2020-05-01\n---\nText.").metadata
    assert (metadata.authors, metadata.year) == (("Ida Berg",), 2020)


def test_front_matter_gives_the_chapter() -> None:
    assert load("---\nchapter: 7\n---\n# Clay\n\nText.").sections[0].chapter == 7


@pytest.mark.parametrize("front", ["---\n: : :\n\t- {\n---\n", "---\n- a list\n---\n", "---\ndate: 2024-13-45\n---\n"])
def test_broken_front_matter_stays_text(front: str) -> None:
    assert "Body" in load(front + "# T\n\nBody.").text


@pytest.mark.parametrize(
    "front", ["title: Soil: a guide\nyear: 2021", "title: [Soil\nyear: 2021", "title: 'Soil\nyear: 2021"]
)
def test_invalid_front_matter_is_told_and_is_no_heading(front: str) -> None:
    document = load(f"---\n{front}\n---\n# Clay\n\nClay is heavy.")
    assert [one.path for one in document.sections] == [(), ("Clay",)]
    assert "year: 2021" in document.text
    assert document.notes[0].startswith("Its front matter is not valid YAML: it was read as text")


def test_front_matter_with_aliases_is_told_and_never_expanded() -> None:
    lists = [
        f"{name}: &{name} [{', '.join(['*' + before] * 9)}]" for before, name in zip("abcdef", "bcdefg", strict=True)
    ]
    document = load("\n".join(["---", "a: &a [x, x]", *lists, "title: *g", "author: *g", "---", "Clay is heavy."]))
    assert (document.metadata.title, document.metadata.authors) == (None, ())
    assert len(document.text) < 500
    assert "title: *g" in document.text
    assert document.text.endswith("Clay is heavy.")
    assert document.notes[0].startswith("Its front matter has anchors or aliases of YAML")


@pytest.mark.parametrize("value", ["[Soil, Clay]", "{main: Soil}", "!!binary U29pbA==", f"0x{'f' * 5_000}"])
def test_a_title_or_year_that_is_no_scalar_is_ignored(value: str) -> None:
    document = load(
        f"---\ntitle: {value}\nyear: {value}\nauthors: [Ida Berg, [Jo Ek], {{name: [Bo]}}]\n---\nClay is heavy."
    )
    metadata = document.metadata
    assert (document.text, metadata.title, metadata.year, metadata.authors) == (
        "Clay is heavy.",
        None,
        None,
        ("Ida Berg",),
    )


def test_front_matter_that_is_nested_too_deeply_is_told() -> None:
    document = load(f"---\ntitle: {'[' * 900}{']' * 900}\n---\nClay is heavy.")
    assert document.notes[0].startswith("Its front matter is not valid YAML: it was read as text")


@pytest.mark.parametrize("title", ["[" * 9_000 + "]" * 9_000, "clay, " * 10_000])
def test_front_matter_that_would_take_minutes_to_read_is_not_read_and_that_is_told(title: str) -> None:
    document = load(f"---\ntitle: {title}\n---\nClay is heavy.")
    assert document.notes[0].startswith("Its front matter has more than 50,000 characters or 1,000 brackets")
    assert document.text.endswith("Clay is heavy.")


def test_front_matter_with_a_value_of_no_known_type_is_read_all_the_same() -> None:
    for odd in ("date: 2024-13-45", "tags: !!python/name:os.system x", "when: !mine 5"):
        document = load(f"---\ntitle: Soil\nyear: 2021\n{odd}\n---\nClay is heavy.")
        assert (document.metadata.title, document.metadata.year, document.notes) == ("Soil", 2021, ())
        assert document.text.endswith("Clay is heavy.")


def test_what_stands_between_two_rules_at_the_top_is_text() -> None:
    document = load("---\n- a list\n- of two\n---\nClay is heavy.")
    assert ("a list" in document.text, document.notes) == (True, ())


@pytest.mark.parametrize(
    "said",
    ["Note: The boiler must be off before the lid is opened.", "Of two things: mind the lid\nWarning: It is hot."],
)
def test_lines_between_two_rules_with_no_key_that_is_read_stay_text(said: str) -> None:
    document = load(f"---\n{said}\n---\n# Lid\n\nIt weighs 5 kg.")
    assert (document.text, document.notes) == (f"{said}\n\nLid\n\nIt weighs 5 kg.", ())
    assert [one.path for one in document.sections] == [(), ("Lid",)]


@pytest.mark.parametrize(
    "key",
    [
        "Title",
        "author",
        "authors",
        "year",
        "date",
        "url",
        "canonical",
        "publisher",
        "institution",
        "module",
        "volume",
        "chapter",
    ],
)
def test_lines_with_one_key_that_is_read_are_front_matter(key: str) -> None:
    assert load(f"---\ndraft: true\n{key}: 2021\n---\nIt weighs 5 kg.").text == "It weighs 5 kg."


def test_title_is_the_only_top_heading() -> None:
    assert load("# Soil *science*\n\nText.").metadata.title == "Soil science"
    assert load("# Soil { #first }\n\nText.").metadata.title == "Soil"
    assert load("# Chapter 1: A\n\nx\n\n# Chapter 2: B\n\ny").metadata.title is None


def test_headings_lose_their_marks_and_give_sections() -> None:
    document = load("# Chapter 2: Hoods\n\nIntro.\n\n## 2.2 Working with hoods ##\n\nText.\n\nSetext\n------\n\nMore.")
    assert document.text == "Chapter 2: Hoods\n\nIntro.\n\n2.2 Working with hoods\n\nText.\n\nSetext\n\nMore."
    assert [one.section for one in document.sections] == [None, "2.2 Working with hoods", "Setext"]
    assert [one.chapter for one in document.sections] == [2, 2, 2]


def test_text_is_what_its_page_shows() -> None:
    assert load("The **sash** is `closed` at 20\\% of its _height_.").text == "The sash is closed at 20% of its height."


def test_what_a_reader_never_sees_is_gone() -> None:
    document = load(
        'Before <!-- hidden\nnote --> after H<sub>2</sub>O [link](http://x.example/a_(b) "t") ![alt](p.png).\n\n'
        '<iframe src="https://x.example"></iframe>\n\nEnd <https://x.example>.'
    )
    assert document.text == "Before after H2O link alt.\n\nEnd https://x.example."


def test_a_less_than_sign_is_no_tag() -> None:
    assert load("If a < b and b > c, stop.").text == "If a < b and b > c, stop."
    assert load("It holds a<b and c>d, <b>not</b> <i>i</i>.").text == "It holds a<b and c>d, not i."


def test_lists_have_markers_and_break_at_every_item() -> None:
    document = load("Wear:\n\n* gloves\n* goggles\n\n1. first\n2. second")
    assert document.text == "Wear:\n\n- gloves\n- goggles\n\n1. first\n2. second"
    assert [document.text[one.start :].split("\n")[0] for one in document.blocks] == [
        "Wear:", "- gloves", "- goggles", "1. first", "2. second"
    ]  # fmt: skip


def test_tables_become_rows_without_the_rule() -> None:
    document = load("| Class | Wear |\n| :--- | ---: |\n| A | gloves and **goggles** |\n| B | |\n")
    assert document.text == "| Class | Wear |\n| A | gloves and goggles |\n| B | |"
    assert len(document.blocks) == 3


def test_code_is_kept_and_its_hashes_are_no_headings() -> None:
    document = load("# T\n\n```python\n# not a heading\nx = 1\n```\n")
    assert document.text == "T\n\n# not a heading\nx = 1"
    assert len(document.sections) == 1


def test_file_of_comments_only_is_refused() -> None:
    with pytest.raises(InvalidDocument, match="no text"):
        load("<!-- nothing -->")


@given(
    st.lists(st.sampled_from(["# A", "## 1.1 B", "text here", "- item", "| a | b |\n|---|---|\n| c | d |", "> quote"]))
)
def test_any_mixture_of_blocks_gives_a_sound_document(blocks: list[str]) -> None:
    assume(blocks)
    document = load("\n\n".join(blocks))
    assert [document.text.count(word) for word in ("text here", "item", "c | d", "quote")] == [
        sum(word in block for block in blocks) for word in ("text here", "item", "c | d", "quote")
    ]


def test_two_tables_stay_two() -> None:
    tables = ("| Room | Wing |\n|---|---|\n| B7 | east |", "| Staff | Head |\n|---|---|\n| 9 | Ek |")
    document = check(load_bytes("a.md", "\n\n".join(tables).encode()))
    assert document.text == "| Room | Wing |\n| B7 | east |\n\n| Staff | Head |\n| 9 | Ek |"


def test_text_within_code_is_neither_tag_nor_comment_nor_link() -> None:
    text = "Use `<!--` and `<table>` and ``a ` <br>`` and `[a](b)`.\n\nThe rest <!-- stays."
    assert load(text).text == "Use <!-- and <table> and a ` <br> and [a](b).\n\nThe rest <!-- stays."


@pytest.mark.parametrize("opening", ["<!-- never closed", "Text <!-- never closed"])
def test_a_comment_that_is_never_closed_is_text_and_what_follows_is_read(opening: str) -> None:
    document = load(f"# T\n\n{opening}\n\n## Limits\n\nIt is 5 ppm.")
    assert document.text == f"T\n\n{opening}\n\nLimits\n\nIt is 5 ppm."


def test_a_closed_comment_is_left_out_over_blank_lines_too() -> None:
    assert load("# T\n\n<!-- one\n\ntwo -->\n\nText<!-- x -->.").text == "T\n\nText."


@pytest.mark.parametrize("link", ["[//]: # (a word)", '[comment]: <> "a word"', "[//]: # 'a'\n[//]: # (b)"])
def test_a_comment_written_as_a_link_that_leads_nowhere_is_left_out(link: str) -> None:
    assert load(f"# T\n\n{link}\n\nText.").text == "T\n\nText."
    assert load(f"# T\n\n{link}\nText.").text == "T\n\nText."


@pytest.mark.parametrize(
    "text", ["[1]: Weber, On Pumps (1921)", "See [//]: # (a word)", "```\n[//]: # (a word)\n```", "[a]: # not one (b)"]
)
def test_what_only_looks_like_a_comment_written_as_a_link_stays(text: str) -> None:
    assert load(f"# T\n\n{text}").text == f"T\n\n{text}".replace("```\n", "").replace("\n```", "")


def test_an_address_in_angle_brackets_is_kept_and_a_placeholder_too() -> None:
    document = load("Write to <b.smith@lab.org> or <mailto:i@lab.org>, see <https://lab.org/a>, give <name>.")
    assert document.text == "Write to b.smith@lab.org or i@lab.org, see https://lab.org/a, give <name>."


def test_an_escaped_tag_is_text() -> None:
    assert load(r"Write \<br> for a break.").text == "Write <br> for a break."


def test_what_a_tag_parts_stays_apart() -> None:
    assert load("1<br>0.5 ml, gloves<br/>goggles").text == "1\n0.5 ml, gloves\ngoggles"
    assert load("a<div>b</div>c <b>d</b>e").text == "a\n\nb\n\nc de"
    assert load("| Wear | At |\n|---|---|\n| gloves<br>goggles | B |").text == "| Wear | At |\n| gloves goggles | B |"


def test_html_within_markdown_is_read_as_html() -> None:
    lines = "<tr><td>Toluene</td><td>50 ppm</td></tr>\n\n<tr><td>Acetone</td><td>500 ppm</td></tr>"
    document = load(f"# T\n\n<table>\n<tr><th>Substance</th><th>Limit</th></tr>\n{lines}\n</table>\n\n*End*")
    assert document.text == "T\n\n| Substance | Limit |\n| Toluene | 50 ppm |\n| Acetone | 500 ppm |\n\nEnd"
    assert load('<h1 align="center">Soil</h1>\n\n<p>One<br>two</p>').text == "Soil\n\nOne\ntwo"


def test_the_author_s_own_words_in_angle_brackets_on_a_line_are_kept() -> None:
    assert load("Give:\n\n<your name>\n\n- <b>first</b> item").text == "Give:\n\n<your name>\n\n- first item"


def test_raised_figures_follow_the_rule_of_all_formats() -> None:
    document = load("10<sup>3</sup> m<sup>2</sup> in 1923<sup>[3](#f)</sup>, H<sub>2</sub>O, `10<sup>3</sup>`")
    assert document.text == "10³ m² in 1923 [3], H2O, 10<sup>3</sup>"


def test_struck_text_is_left_out() -> None:
    assert load("The fee is <del>5</del> 7 euros.").text == "The fee is 7 euros."
    assert load("The fee is ~~5~~ 7 euros.").text == "The fee is 7 euros."


def test_a_tilde_that_strikes_nothing_out_is_text() -> None:
    assert load("About ~~ 5 or ~6~ `~~7~~` euros ~~ each.").text == "About ~~ 5 or ~6~ ~~7~~ euros ~~ each."


def test_an_entity_is_the_character_that_it_stands_for() -> None:
    document = load("| R&amp;D | a |\n|---|---|\n| 5&nbsp;kg &#8364; | b |\n\n&lt;b&gt; and `&amp;`, AT&T; &pump;.")
    assert document.text == "| R&D | a |\n| 5 kg € | b |\n\n<b> and &amp;, AT&T; &pump;."


def test_a_line_broken_by_a_backslash_ends_without_it() -> None:
    assert load("Pier 5\\\nBergen, `a\\`").text == "Pier 5\nBergen, a\\"


def test_front_matter_in_toml_becomes_metadata() -> None:
    document = load('+++\nTitle = "Soil"\nauthors = ["Ida Berg"]\ndate = 2021-05-04\n+++\n\nText.')
    assert (document.text, document.metadata.title, document.metadata.year) == ("Text.", "Soil", 2021)
    assert document.metadata.authors == ("Ida Berg",)
    assert load("+++\nno table\n+++\n\nText.").text == "+++\nno table\n+++\n\nText."


def test_the_row_above_the_rule_is_the_heads() -> None:
    document = load("| Chemical | Glove |\n|---|---|\n| acetone | butyl |")
    assert [document.text[one.start : one.end] for one in document.blocks if one.kind == "heads"] == [
        "| Chemical | Glove |"
    ]


@pytest.mark.parametrize("date", ["March 4, 2021", "04.03.2021", "2021-03-04", "2021", "4 Mar 2021, 10:30"])
def test_the_year_of_a_date_is_its_four_digits(date: str) -> None:
    assert load(f'---\ndate: "{date}"\n---\nText.').metadata.year == 2021


def test_a_date_without_a_year_gives_none() -> None:
    assert load("---\ndate: March 4\n---\nText.").metadata.year is None


@pytest.mark.parametrize(
    ("author", "names"),
    [
        ("Ann Smith, Bo Li", ("Ann Smith", "Bo Li")),
        ("Ann Smith and Bo Li", ("Ann Smith", "Bo Li")),
        ("Smith, Ann; Li, Bo", ("Smith, Ann", "Li, Bo")),
        ("Smith, Ann", ("Smith, Ann",)),
        ("Martin King, Jr., Bo Li", ("Martin King, Jr.", "Bo Li")),
        ("Ministry of Food and Health", ("Ministry of Food and Health",)),
        ("[Ann Smith, 'Li, Bo']", ("Ann Smith", "Li, Bo")),
    ],
)
def test_authors_in_one_line_are_parted(author: str, names: tuple[str, ...]) -> None:
    assert load(f"---\nauthor: {author}\n---\nText.").metadata.authors == names


@given(st.text(st.sampled_from("ab10 `<>!-br/supdel[]()\n\\|^"), max_size=60))
def test_any_signs_give_a_sound_document(text: str) -> None:
    assert load(f"begin\n\n{text}\n\nend").text.endswith("end")


def test_a_picture_that_has_a_line_to_itself_says_no_sentence():
    text = "It is safe.\n\n![Two men beside a crane](men.jpg)\n\n[![A crane](c.png)](c.html)\nCall us."
    assert load(text).text == "It is safe.\n\nCall us."


def test_a_picture_in_a_sentence_a_cell_or_a_heading_keeps_its_words():
    text = (
        "# ![Candor](a.png)\n\nPress ![the red button](r.png) twice.\n\n| Key | Use |\n|---|---|\n| ![F1](f.png) | b |"
    )
    shown = load(text).text
    assert all(words in shown for words in ("Candor", "Press the red button twice.", "| F1 | b |"))


@pytest.mark.parametrize(
    "box",
    [
        '!!! warning "Mind the lid"\n    It is hot.',
        '??? note "Mind the lid"\n    It is hot.',
        ":::tip Mind the lid\nIt is hot.\n:::",
        ":::note[Mind the lid]\nIt is hot.\n:::",
        '::: {.callout title="Mind the lid"}\nIt is hot.\n:::',
        '=== "Mind the lid"\n    It is hot.',
        '<TabItem value="a" label="Mind the lid">\n\nIt is hot.\n\n</TabItem>',
        '<Card\n  title="Mind the lid"\n  icon="x">\nIt is hot.\n</Card>',
    ],
)
def test_of_a_box_or_tab_the_title_and_the_words_stay(box: str) -> None:
    assert load(f"# T\n\nOne.\n\n{box}\n\nTwo.").text == "T\n\nOne.\n\nMind the lid\n\nIt is hot.\n\nTwo."


def test_a_box_in_a_box_and_code_in_it_are_read() -> None:
    text = ":::tip Lids\n:::danger\nHot.\n:::\n```sh\n:::\nls\n```\nCool.\n:::\nEnd."
    assert load(text).text == "Lids\n\nHot.\n\n:::\nls\n\nCool.\n\nEnd."


def test_an_alert_keeps_the_title_that_its_page_shows() -> None:
    assert load("> [!IMPORTANT]\n> The key is in the safe.").text == "Important\n\nThe key is in the safe."


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("import Tabs from '@theme/Tabs';\n\nIt is hot.", "It is hot."),
        ('{% include note.html content="It is hot." %}', "It is hot."),
        ("Ask [[Service desk|the desk]] or [[Ida]].", "Ask the desk or Ida."),
        ("It is hot. {: .note}", "It is hot."),
        ("It is :warning: hot at 10:30:15.", "It is hot at 10:30:15."),
        ("`{% raw %}` and `[[a|b]]` stay.", "{% raw %} and [[a|b]] stay."),
        ("Press <Button>Save</Button> now.", "Press Save now."),
        ('See [the page][1].\n[1]: https://x.example/a "A"', "See the page."),
        ("[Note]: Important", "[Note]: Important"),
    ],
)
def test_what_only_a_maker_of_sites_reads_is_gone_and_its_words_stay(text: str, shown: str) -> None:
    assert load(text).text == shown


def test_front_matter_that_is_no_metadata_and_stands_nowhere_else_is_a_field() -> None:
    front = "title: Soil\ndescription: On clay.\ntags: [clay, loam]\nsidebar_position: 3\npermalink: /soil/"
    document = load(f"---\n{front}\nnote: It is wet.\n---\n# Soil\n\nIt is wet.")
    assert document.text == "Soil\n\ndescription: On clay.\ntags: clay, loam\n\nIt is wet."


def test_a_footnote_and_a_term_are_read() -> None:
    document = load("Ask.[^1]\n\nClay\n: A fine soil.\n\n[^1]: Within a day.")
    assert document.text == "Ask.[1]\n\nClay: A fine soil.\n\n[1] Within a day."


def test_tasks_say_whether_they_are_done() -> None:
    assert load("- [x] one\n- [ ] two").text == "- ☒ one\n- ☐ two"
