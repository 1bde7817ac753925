"""Reading order and blocks of lines whose places are known: no engine is needed."""

from rag.ingest.loaders.ocr_layout import OcrLine, blocks_of, in_order


def line(text: str, left: float, top: float, right: float, height: float = 20) -> OcrLine:
    return OcrLine(text, (left, top, right, top + height), 1.0)


LEFT = ["Ice is heavy", "and it moves", "under its own", "weight."]
RIGHT = ["Snow that is", "older than a", "year is called", "firn."]


def columns(top: float = 100) -> list[OcrLine]:
    sides = ((0, LEFT), (250, RIGHT))
    return [line(text, x, top + 24 * n, x + 200) for x, texts in sides for n, text in enumerate(texts)]


def said(lines: list[OcrLine]) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in blocks_of(lines, 1)]


def test_columns_of_text_are_read_one_after_the_other_whatever_order_they_were_found_in() -> None:
    shuffled = sorted(columns(), key=lambda each: each.box[1])
    assert [each.text for each in in_order(shuffled)] == LEFT + RIGHT
    assert said(shuffled) == [("paragraph", " ".join(LEFT)), ("paragraph", " ".join(RIGHT))]


def test_a_line_across_the_gutter_ends_the_columns_above_it() -> None:
    below = [line("Between the two halves of the page.", 0, 220, 450)]
    order = [each.text for each in in_order([*columns(top=260), *below, *columns()])]
    assert order == [*LEFT, *RIGHT, below[0].text, *LEFT, *RIGHT]


def test_cells_are_read_across_and_a_cell_that_is_empty_keeps_its_place() -> None:
    cells = [("Acids", 0, 0), ("2.5", 200, 0), ("Monday", 300, 0), ("Batteries", 0, 30), ("By hand", 300, 30)]
    cells += [("Glass", 0, 60), ("60", 200, 60), ("Friday", 300, 60)]
    lines = [line(text, x, y, x + 10 * len(text)) for text, x, y in cells]
    rows = ["| Acids | 2.5 | Monday |", "| Batteries | | By hand |", "| Glass | 60 | Friday |"]
    assert said(lines[::-1]) == [("row", text) for text in rows]


def test_tall_lines_are_headings_and_distance_or_a_number_begins_a_new_block() -> None:
    texts = [("Waste", 0, 34), ("Glass is infor-", 60, 20), ("mally kept.", 84, 20), ("Nothing else is.", 108, 20)]
    texts += [("1. Close it.", 132, 20), ("2. Wait.", 156, 20), ("After that go.", 210, 20)]
    assert said([line(text, 0, top, 300, height) for text, top, height in texts]) == [
        ("heading", "Waste"),
        ("paragraph", "Glass is informally kept. Nothing else is."),
        ("item", "1. Close it."),
        ("item", "2. Wait."),
        ("paragraph", "After that go."),
    ]
