"""Markdown files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loader_checks import check

from rag.ingest.loaders import load_bytes
from rag.models import Document


def load(text: str) -> Document:
    return check(load_bytes("a.md", text.encode()))


def test_front_matter_becomes_metadata_and_leaves_the_text() -> None:
    document = load(
        "---\nTitle: Soil\nauthors: [Ida Berg, {name: Jo Ek}]\nyear: 2021\nurl: https://x.example/s\n"
        "module: GEO-1\npublisher: Press\nchapter: 7\n---\n# Clay\n\nText."
    )
    assert document.text == "Clay\n\nText."
    assert document.sections[0].chapter == 7
    said = document.metadata
    assert (said.title, said.authors, said.year) == ("Soil", ("Ida Berg", "Jo Ek"), 2021)
    assert (said.module, said.publisher, said.url) == ("GEO-1", "Press", "https://x.example/s")
    document = load('+++\nTitle = "Soil"\nauthor = "Ann Smith and Bo Li"\ndate = 2021-05-04\n+++\n\nText.')
    assert (document.text, document.metadata.title, document.metadata.year) == ("Text.", "Soil", 2021)
    assert document.metadata.authors == ("Ann Smith", "Bo Li")
    assert load("+++\nno table\n+++\n\nText.").text == "+++\nno table\n+++\n\nText."


def test_front_matter_that_is_no_metadata_and_stands_nowhere_else_is_a_field() -> None:
    front = "title: Soil\ndescription: On clay.\ntags: [clay, loam]\nof: {x: i, at: i@x.org, n: 3}\npermalink: /soil/"
    document = load(f"---\n{front}\nnote: It is wet.\n---\n# Soil\n\nIt is wet.")
    assert document.text == "Soil\n\ndescription: On clay.\ntags: clay, loam\nof x: i\nof at: i@x.org\n\nIt is wet."


ALIASES = "\n".join(
    ["a: &a [x, x]", *(f"{b}: &{b} [{', '.join(['*' + a] * 9)}]" for a, b in zip("abcdef", "bcdefg", strict=True))]
)


@pytest.mark.parametrize(
    "front",
    [
        "title: Soil: a guide\nyear: 2021",
        f"title: {'[' * 900}{']' * 900}",
        f"title: {'[' * 9_000}{']' * 9_000}",
        f"title: {'clay, ' * 10_000}",
        f"title: *g\n{ALIASES}",
    ],
    ids=["invalid", "nested", "brackets", "long", "aliases"],
)
def test_front_matter_that_is_not_read_or_never_expanded_is_told_and_is_no_heading(front: str) -> None:
    document = load(f"---\n{front}\n---\n# Clay\n\nClay is heavy.")
    assert [one.path for one in document.sections] == [(), ("Clay",)]
    assert document.text.startswith("title: ")
    assert len(document.text) < 65_000
    assert document.notes[0].startswith("Its front matter was read as text")


@pytest.mark.parametrize("value", ["[Soil, Clay]", "{main: Soil}", "!!binary U29pbA==", f"0x{'f' * 5_000}"])
def test_a_title_or_year_that_is_no_scalar_is_ignored(value: str) -> None:
    front = f"title: {value}\nyear: {value}\nauthors: [Ida Berg, [Jo Ek], {{name: [Bo]}}]"
    said = load(f"---\n{front}\n---\nClay is heavy.").metadata
    assert (said.title, said.year, said.authors) == (None, None, ("Ida Berg",))


def test_a_value_of_no_known_type_does_no_harm_and_lines_with_no_key_that_is_read_stay_text() -> None:
    for odd in ("date: 2024-13-45", "tags: !!python/name:os.system x", "when: !mine 5"):
        document = load(f"---\ntitle: Soil\n{odd}\n---\nClay is heavy.")
        assert (document.metadata.title, document.notes) == ("Soil", ())
    for said in ("Note: The boiler is off.", "Of two things: mind\nWarning: It is hot.", "- a\n- b"):
        document = load(f"---\n{said}\n---\n\n# Lid\n\nIt weighs 5 kg.")
        assert (document.text, document.notes) == (f"{said}\n\nLid\n\nIt weighs 5 kg.", ())


def test_headings_lose_their_marks_and_give_sections_and_the_only_top_one_is_the_title() -> None:
    document = load("# Chapter *2*: Hoods { #c }\n\nIntro.\n\n## 2.2 Working ##\n\nText.\n\nSetext\n------\n\nMore.")
    assert document.text == "Chapter 2: Hoods\n\nIntro.\n\n2.2 Working\n\nText.\n\nSetext\n\nMore."
    assert [one.section for one in document.sections] == [None, "2.2 Working", "Setext"]
    assert [one.chapter for one in document.sections] == [2, 2, 2]
    assert document.metadata.title == "Chapter 2: Hoods"
    assert load("# Chapter 1: A\n\nx\n\n# Chapter 2: B\n\ny").metadata.title is None


TABLE = "<table>\n<tr><th>At</th><th>Limit</th></tr>\n\n"  # with a blank line within
SHOWN = [
    ("# T\n\n```python\n# no heading\nx = 1\n```\n", "T\n\n# no heading\nx = 1"),
    ("Wear:\n\n* gloves\n* goggles\n\n1. first\n2. second", "Wear:\n\n- gloves\n- goggles\n\n1. first\n2. second"),
    ("The **sash** is `closed` at 20\\% of its _height_.", "The sash is closed at 20% of its height."),
    ('A [link](http://x.example/a_(b) "t") ![alt](p.png).', "A link alt."),
    ("Before <!-- a\nb --> after.\n\n<!-- one\n\ntwo -->\n\nText<!-- x -->.", "Before after.\n\nText."),
    ("<!-- never closed\n\n## Limits\n\n5 ppm.", "<!-- never closed\n\nLimits\n\n5 ppm."),
    ("[//]: # (a word)\n[comment]: <> 'b'\n\nText.", "Text."),
    ("[1]: Weber, On Pumps (1921)\n\nSee [//]: # (a)", "[1]: Weber, On Pumps (1921)\n\nSee [//]: # (a)"),
    ("To <b@x.org>, <mailto:i@x.org>, <https://x.org>, <name>.", "To b@x.org, i@x.org, https://x.org, <name>."),
    ("It holds a<b and c>d, <b>not</b> <i>i</i>.", "It holds a<b and c>d, not i."),
    ("Use `<!--` and ``a ` <br>`` and `[a](b)`.", "Use <!-- and a ` <br> and [a](b)."),
    ("1<br>0.5 ml, a<div>b</div>c <b>d</b>e", "1\n0.5 ml, a\n\nb\n\nc de"),
    ("| Wear | At |\n| :--- | ---: |\n| gloves<br>**goggles** | B |\n| | |", "| Wear | At |\n| gloves goggles | B |"),
    (f"{TABLE}<tr><td>Acetone</td><td>500</td></tr>\n</table>\n\n*End*", "| At | Limit |\n| Acetone | 500 |\n\nEnd"),
    ("10<sup>3</sup> m<sup>2</sup> in 1923<sup>[3](#f)</sup>, `10<sup>3</sup>`", "10³ m² in 1923 [3], 10<sup>3</sup>"),
    ("The fee is <del>5</del> ~~6~~ 7 euros, ~8~ ~~ each.", "The fee is 7 euros, ~8~ ~~ each."),
    ("&lt;b&gt; and `&amp;`, AT&T; 5&nbsp;kg &#8364;.", "<b> and &amp;, AT&T; 5 kg €."),
    ("At Pier 5\\\nBergen.", "At Pier 5\nBergen."),
    ("It is safe.\n\n![Two men](m.jpg)\n\n[![A crane](c.png)](c.html)\nCall us.", "It is safe.\n\nCall us."),
    ("# ![T](a.png)\n\nPress ![it](r.png).", "T\n\nPress it."),
    ("| a | b |\n|---|---|\n| ![F1](f.png) | c |", "| a | b |\n| F1 | c |"),
    (":::tip Lids\n:::danger\nA.\n:::\n```\n:::\nls\n```\nB.\n:::\nEnd.", "Lids\n\nA.\n\n:::\nls\n\nB.\n\nEnd."),
    (":::a\n" * 20_000 + "It is hot." + "\n:::" * 20_000, "It is hot."),  # a gigabyte if all stood within each other
    (":::python\nx = 1\n\n## Next\n\nIt is hot.", "x = 1\n\nNext\n\nIt is hot."),
    ("> [!IMPORTANT]\n> The key is in the safe.", "Important\n\nThe key is in the safe."),
    ("import Tabs from '@theme/Tabs';\n\nIt is hot.", "It is hot."),
    ('{% include note.html content="It is hot." %} {: .note}', "It is hot."),
    ("# <%= page.title %>\n<%= warn('It is <b>hot</b>.') %>\n\n`<%= a %>`", "It is hot.\n\n<%= a %>"),
    ("Ask [[Service desk|the desk]] or [[Ida]].", "Ask the desk or Ida."),
    ("**Day ends at**\\\nSet the hour.\n\n**Stop!**\nIt is hot.", "Day ends at: Set the hour.\n\nStop!\nIt is hot."),
    ("![Glitch](g.png){: .floater} It flickers.\n\n![A](b.png){: .x}\nCall.", "Glitch: It flickers.\n\nCall."),
    ("It is :warning: hot at 10:30:15.", "It is hot at 10:30:15."),
    ("It ==is **hot**==. %%No!%% a == b ==c `==d==` 5%% 6%%", "It is hot. a == b ==c ==d== 5%% 6%%"),
    ("Press <Button>Save</Button> now.", "Press Save now."),
    ('See [the page][1].\n[1]: https://x.example/a "A"\n\n[Note]: Important', "See the page.\n\n[Note]: Important"),
    ("Ask.[^1]\n\nClay\n: A fine soil.\n\n[^1]: Within a day.", "Ask.[1]\n\nClay: A fine soil.\n\n[1] Within a day."),
    ("- [x] one\n- [ ] two", "- ☒ one\n- ☐ two"),
]


@pytest.mark.parametrize(("text", "shown"), SHOWN, ids=range(len(SHOWN)))
def test_text_is_what_its_page_shows(text: str, shown: str) -> None:
    assert load(text).text == shown


@pytest.mark.parametrize(
    "box",
    [
        '!!! warning "Mind the lid"\n    It is hot.',
        ":::tip Mind the lid\nIt is hot.\n:::",
        ":::note[Mind the lid]\nIt is hot.\n:::",
        '=== "Mind the lid"\n    It is hot.',
        '<TabItem value="a" label="Mind the lid">\n\nIt is hot.\n\n</TabItem>',
        '<Tabs><TabItem value="Mind the lid">It is hot.</TabItem></Tabs>',
        '<Card\n  title="Mind the lid"\n  icon="x">\nIt is hot.\n</Card>',
    ],
)
def test_of_a_box_or_tab_the_title_and_the_words_stay(box: str) -> None:
    assert load(f"# T\n\nOne.\n\n{box}\n\nTwo.").text == "T\n\nOne.\n\nMind the lid\n\nIt is hot.\n\nTwo."


@given(st.text(st.sampled_from("ab10 `<>!-br/supdel[]()\n\\|^"), max_size=60))
def test_any_signs_give_a_sound_document(text: str) -> None:
    assert load(f"begin\n\n{text}\n\nend").text.endswith("end")
