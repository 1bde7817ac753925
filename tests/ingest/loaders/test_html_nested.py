"""A small table in a cell is a value of the outer one; a table that lays out the page is none."""

from rag.ingest.loaders import load_bytes

INNER = "<table><tr><td>weekday</td><td>9 euros</td></tr><tr><td>weekend</td><td>12 euros</td></tr></table>"


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
