"""Every regular expression of the product takes time in proportion to its text, whatever somebody sends."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from time import process_time

import pytest

import api
import dashboard
import rag

LENGTHS = (500, 1_000, 2_000, 4_000)
"""Each is tried after the one before, so that a pattern that takes the cube of its text is found out early."""
TIMES = 3.0  # by how much twice the text may take longer: 2 is in proportion, 4 its square
QUICK_S = 0.006
"""A pattern that reads the longer text in less is not held to the ratio: at that size it measures the clock."""
TRIES = 5
SPACES = (" ", "\n", "\t", " \n", "\u00a0", "\u2028", ". ", ", ", "| ", "- ", "# ", ": ", "1 ", "a ", "Aa ", "a b ")
SIGNS = (*".,|-_*#()[]{}<>\"'’:;/\\@&%$€°", "..", "--", "**", "//", "||\n", "()", "[]", "(a", "[1", "[1]", "<a", "|a")
WRITTEN = (
    "a", "A", "é", "ß", "漢", "½", "a.", "a'", "a/", "a@", "a-", "and ", "the ", "not ", "of the ", "one, ",
    "a, b and ", "[$",
)  # fmt: skip
FLAGS = ("re.IGNORECASE", "re.I", "re.MULTILINE", "re.M", "re.DOTALL", "re.S")
NUMBERS = ("1", "1,", "1.", "1.1", "1%", "$1", "1-", "1/", "1:", "12:00 ", "1 and ", "1 000 ", "1,000")
"""What is repeated, and then followed by a sign that no pattern can end with."""


def modules() -> list[str]:
    """Return every module of the product."""
    walked = [pkgutil.walk_packages(one.__path__, f"{one.__name__}.") for one in (rag, api, dashboard)]
    found = [one.name for each in walked for one in each]
    return sorted(name for name in found if not name.endswith("__main__") and ".migrations." not in name)


def patterns(module: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield the patterns that a module makes, alone, in a sequence or in a mapping, and their names."""
    for name, value in vars(importlib.import_module(module)).items():
        for one in held_in(value) if name in made_in(module) else ():
            yield f"{module}.{name}", one


def inline(module: str) -> Iterator[tuple[str, re.Pattern[str], bool]]:
    """Yield the patterns that a module writes into calls of `re` itself, where they are, and if they only begin a text.

    What only the call knows, as a word that is looked for, counts as an `x`.
    """
    made = [node for node in tree(module).body if isinstance(node, ast.Assign | ast.AnnAssign)]
    elsewhere = {id(part) for node in made for part in ast.walk(node)}
    for node in ast.walk(tree(module)):
        if id(node) in elsewhere or not isinstance(node, ast.Call) or not node.args:
            continue
        called = node.func
        if isinstance(called, ast.Attribute) and ast.unparse(called.value) == "re" and called.attr != "escape":
            more = [*node.args[1:], *(one.value for one in node.keywords)]
            flags = [re.RegexFlag[text[3:]] for one in more if (text := ast.unparse(one)) in FLAGS]
            pattern = re.compile(str(value_of(node.args[0], module)), *flags)
            yield f"{module}:{node.lineno}", pattern, called.attr in {"match", "fullmatch"}


def value_of(node: ast.expr, module: str) -> object:
    """Return what an expression is worth by the names of its module alone; a piece that needs others is an `x`."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(value_of(part, module)) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        node = node.value
    try:
        return eval(ast.unparse(node), vars(importlib.import_module(module)))
    except NameError:
        return "x"


def held_in(value: object) -> Iterator[re.Pattern[str]]:
    """Yield the patterns that a value holds, however deep."""
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif isinstance(value, dict | tuple | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from held_in(one)


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(Path(str(importlib.import_module(module).__file__)).read_text(encoding="utf-8"))


@cache
def made_in(module: str) -> frozenset[str]:
    """Return the names that a module assigns, not those that it imports."""
    targets = [
        target
        for node in tree(module).body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    ]
    return frozenset(target.id for target in targets if isinstance(target, ast.Name))


@cache
def calls() -> dict[str, frozenset[str]]:
    """Return by which methods a name is called anywhere in the product."""
    found: dict[str, set[str]] = {}
    for module in modules():
        for node in ast.walk(tree(module)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                found.setdefault(node.value.id, set()).add(node.attr)
    return {name: frozenset(methods) for name, methods in found.items()}


def only_begins(name: str) -> bool:
    """Return whether a pattern is never looked for within a text, but held against its beginning or all of it."""
    used = calls().get(name.rpartition(".")[2], frozenset())
    return bool(used & {"match", "fullmatch"}) and not used & {"search", "findall", "finditer", "sub", "subn", "split"}


def seconds(pattern: re.Pattern[str], text: str, *, begins: bool = False) -> float:
    """Return the processor time of matching a pattern, and unless it only `begins` a text of finding it everywhere."""
    begun = process_time()
    pattern.match(text)
    pattern.fullmatch(text)
    if not begins:
        for _ in pattern.finditer(text):
            pass
    return process_time() - begun


def hostile(unit: str, length: int) -> str:
    """Return a unit repeated, up to a sign that nothing asks for."""
    return (unit * length)[: length - 1] + "\x00"


def is_slow(pattern: re.Pattern[str], unit: str, *, begins: bool = False) -> bool:
    """Return whether twice the text takes more than three times as long, in the best of several tries."""
    took = partial(seconds, pattern, begins=begins)
    return any(_grows(took, hostile(unit, short), hostile(unit, long)) for short, long in pairwise(LENGTHS))


def _grows(took: Callable[[str], float], short: str, long: str) -> bool:
    if min(took(long) for _ in range(2)) < QUICK_S:
        return False
    return all(took(long) / max(min(took(short) for _ in range(2)), 1e-6) > TIMES for _ in range(TRIES))


def slow_unit(pattern: re.Pattern[str], *, begins: bool) -> str | None:
    """Return the first of the units for which a pattern is slow, or None."""
    units = (*SPACES, *SIGNS, *WRITTEN, *NUMBERS)
    return next((unit for unit in units if is_slow(pattern, unit, begins=begins)), None)


@pytest.mark.parametrize("module", modules())
def test_twice_the_text_takes_at_most_three_times_as_long(module):
    found = {name: slow_unit(one, begins=only_begins(name)) for name, one in patterns(module)}
    found |= {name: slow_unit(one, begins=begins) for name, one, begins in inline(module)}
    slow = {name: unit for name, unit in found.items() if unit is not None}
    assert slow == {}


def test_a_pattern_that_takes_the_square_of_its_text_is_found_slow():
    assert is_slow(re.compile(r"\s+x"), " ")
    assert not is_slow(re.compile(r"(?<!\s)\s+x"), " ")
    assert not is_slow(re.compile(r"\s+x"), " ", begins=True)


def test_the_patterns_of_the_product_are_found_and_how_they_are_used():
    found = [name for module in modules() for name, _ in patterns(module)]
    assert {"rag.validate._WHITE_SPACE", "dashboard.readable._SIGN"} <= {*found}
    assert len(found) > 100
    assert [one.pattern for _, one, _ in inline("rag.ingest.loaders.mail")] == [r"(?<!\s)\s*<[^<>]*>"]
    assert sum(1 for module in modules() for _ in inline(module)) > 80
    assert [only_begins(name) for name in ("rag.validate._WHITE_SPACE", "rag.text.stated.MARK")] == [False, True]
