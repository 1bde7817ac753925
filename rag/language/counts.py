"""Numbers of things: whether a text may say how many there are; not all its numbers count anything. Ground floor."""

import re

from rag.language.lasting import without_frequencies
from rag.language.numerals import NUMBER
from rag.language.text import stems

COUNT = "how many"
"""What a question for a number of things asks for."""
PLURAL_TIMES = (
    r"seconds|minutes|hours|days|nights|weeks|weekends|fortnights|months|quarters|years|decades|centuries|millennia"
    r"|generations|seasons|semesters|terms|shifts|lessons|periods"
)
TIMES = (
    rf"{PLURAL_TIMES}|second|minute|hour|day|night|week|weekend|fortnight|month|quarter|year|decade|century|millennium"
    r"|generation|season|semester|term|shift|lesson|period"
)
LENGTHS = (
    r"mm|cm|dm|m|km|nm|µm|μm|[a-z]*met(?:re|er)s?|feet|foot|ft|inch(?:es)?|in|yards?|miles?|pages?|words?|characters?"
)
MEASURED = re.compile(
    r"\d[\d.,]*\s?(?:(?:mm|cm|dm|m|km|mg|g|kg|t|ml|cl|l|kPa|bar|Nm|W|kW|V|A|Hz|rpm|°C|°F|°|%|lux|dB)(?!\w)"
    r"|(?:milli|centi|kilo)?(?:met(?:re|er)s?|lit(?:re|er)s?|grams?|grammes?|tonnes?)\b|per ?cent\b|degrees\b)"
    rf"|\b(?:{NUMBER}(?: (?:to|or|and) | ?[–-] ?))?{NUMBER}[ -]"
    rf"(?:{TIMES}|euros?|cents?|dollars?|pounds|pence|crowns|francs)\b(?! of)|[€$£]\s?\d[\d.,]*"
    r"|\b(?:three[ -]quarters|half|one half|two[ -]thirds|one third)\b(?= (?:full|empty|past|an hour|a day))"
)
NAMED = re.compile(
    r"\b(?i:extension|ext\.|pager|room|tele(?:phone|fax)|phone|fax|no\.|number(?!s?:)|page|section|chapter|clause|article|annex"
    r"|appendix|ward|class|grade|stage|level|year|floor|box|serial number)s?:? \+?\d[\d /-]*[A-Za-z]?\b"
    r"|\b(?:\d+[A-Z]\w*|[A-Z]+-?\d\w*(?:-\d+)*)\b|\b\d{1,2}[:.]\d\d(?: ?[ap]\.?m\b\.?)?|\b\d{1,2} ?[ap]\.?m\b\.?"
    r"|\b\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:January|February|March|April|May|June|July|August|September|October"
    r"|November|December)\b(?: \d{4})?|\b(?:in|of|since|until|from) (?:19|20)\d\d\b"
)
"""Numbers that name something, or a time, and count nothing."""
_OTHER = r"(?!(?:euro|pound|dollar|franc|cent|minute|hour|day|week|month|year|metre|meter)s)[a-z-]+"
"""The stem of another thing of which there may be as many, `hens or ducks`; not of what is paid or measured."""
_COUNTS = re.compile(
    rf"\d|\b{NUMBER}\b|\b(?:no|none|both|once|twice|unlimited|couple|pairs?|several|many|few|any|half|quarter|third"
    r"|triple|double|whatever)\b",
    re.IGNORECASE,
)
ASKS_COUNT = re.compile(
    r"\bhow many (?:of (?:the|these|those|your|our|its|their) )?(?P<noun>[^\W\d_]+"
    r"(?: (?!(?:in|on|at|go|do|does|did|is|are|was|were|can|may|must|have|has)\b)[^\W\d_]+){0,2})",
    re.IGNORECASE,
)
_MEASURES = re.compile(
    rf"\b(?:{TIMES}|{LENGTHS}|degrees|per ?cent|percent\w*|points?|[a-z]*grams?|kilos?|tonnes?|tons?"
    r"|[a-z]*lit(?:re|er)s?|[a-z]*watts?|[a-z]*volts?|amp\w*|bars?|decibels?|lux|lumens?|knots|acres?|hectares?|kg|g|ml"
    r"|l|db|newtons?|euros?|cents?|dollars?|pounds|pence|crowns|francs)\b",
    re.IGNORECASE,
)
_AGED = re.compile(
    r"\b(?!(?:is|was|has|does|of)\b)(?:[^\W\d_]+s|child(?:ren)?|people|persons?|those|every(?:one|body)"
    r"|any(?:one|body)|whoever|junior|adult)(?: (?:is|are|who (?:is|are)))?"
    r" (?:under|over|above|below|aged?|(?:up )?from|older than|younger than|between)"
    rf" (?:the age of )?(?:\d{{1,2}}|(?!\d){NUMBER})(?: and (?:\d{{1,2}}|(?!\d){NUMBER}))?\b"
    r"(?! (?:people|children|men|women|staff|(?!(?:is|was|has|does|pays|needs|always|as)\b)"
    r"[a-z]+s)\b|\s?[%°€$£])",
    re.IGNORECASE,
)
"""An age, which counts nothing: `apprentices under 18`."""
_COUNTS_NOTHING = re.compile(
    r"\b(?:at once|one another|no longer|(?:however|how|too|so|as) many)\b"
    r"|\b(?:(?:each|every|the|this|that|which) (?:(?:new|small|large|first|last|next|further|other|[a-z]+er) )?"
    r"|(?:another|other|further|new|small|large|first|last|next|[a-z]+er) )ones?\b"
    r"(?! (?!(?:is|are|was|were|has|have|can|may|must|will|costs?|that|which|and|or|in|on|at|for)\b)[a-z])"
    r"|\b(?:1[5-9]|20)\d\d ?[/–-] ?\d{2,4}\b|(?<![\d.])\d+\.\d{1,2}\b(?! (?:[mb]illion|thousand))",
    re.IGNORECASE,
)
"""Words of number that count nothing: `at once`, `each further one`."""
_NO = re.compile(r"\b(?:no|any) (?P<what>[^\W\d_]+(?: [^\W\d_]+)?)", re.IGNORECASE)
_OF_WORK = re.compile(rf"\b{NUMBER}[ -](?:{TIMES}) of (?P<what>[^\W\d_]+)", re.IGNORECASE)
_OTHERS_COUNTED = re.compile(
    rf"(?<![\w.,/]){NUMBER}[ -](?:(?!(?:of|or|and|to|in|is|are|was|were)\b)[a-z-]+ )?(?P<thing>[a-z]{{3,}}s)\b"
    r"(?! (?:in all|in total|altogether|together)\b)",
    re.IGNORECASE,
)
"""Numbers right before the things that they count."""

_OF_WHAT = re.compile(r" of (?:(?:the|an?|its|his|her|their|our|your|each|every) )?(?P<what>[^\W\d_]+)", re.IGNORECASE)

_NAME_WITH_NUMBER = re.compile(
    r"(?<=[\w,)] )(?P<noun>(?!(?:Total|Number|Count|Sum|About|Only|Over|Under|Up|Some|All|And|Or|Of|At|By|For|To|With"
    r"|Maximum|Minimum|Capacity)\b)[A-Z][^\W\d_]*[a-z]) \d{1,4}[A-Za-z]?\b(?![.,:/]?\d|\s?[%°€$£]"
    r"| (?:are|were|of|or|to|people|persons|men|women|children|more|million|thousand)\b"
    r"| (?:[a-z-]+ )?(?!(?:is|was|has|does|as|its|this|always|plus|unless|across|versus)\b)[a-z]{3,}s\b)"
)
"""Names that end with a number: `Branch 14`. Before a plural, as in `In May 14 boats`, the number may count."""
_LADDER = (
    ("second", r"seconds?|secs?|s|ms"),
    ("minute", r"minutes?|mins?|quarters? of an hour"),
    ("hour", r"hours?|hrs?|h|shifts?"),
    ("day", r"days?|nights?|weekends?|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"),
    ("week", r"weeks?|wks?|fortnights?"),
    ("month", r"months?|quarters?"),
    ("year", r"years?|yrs?|semesters?|seasons?|terms?"),
    ("decade", r"decades?"),
    ("centur", r"centur(?:y|ies)"),
    ("millenni", r"millenni(?:um|a)"),
)
"""Units of time from short to long, each with the words that count it."""
_ASKS_UNIT = re.compile(
    rf"^(?:(?!(?:of|an?|per|each|every)\b)[^\W\d_]+ )?(?P<unit>(?:{PLURAL_TIMES}))\b(?P<of> of\b)?", re.IGNORECASE
)
_ASKS_SPAN = re.compile(
    r"\b(?:takes?|took|lasts?|lasted|stays?|stayed|remains?|remained|kept|keeps?|waits?|before|after|within|until|ago"
    r"|in advance|ahead|notice|old|age|valid|good|pass|passed|elapsed?|needs?|needed|later|earlier"
    r"|since|between|apart|open|closed)\b",
    re.IGNORECASE,
)
"""What asks how long something lasts in a unit, and may be told in any."""
_FROM_TO = re.compile(
    r"\b(?:from|between)\b.*\b(?:to|until|till|and)\b|days? ?(?:[–—-]|\b(?:to|until|till|and)\b)|\bsince\b.*\d"
    rf"|\d(?: ?[ap]\.?m\b\.?)? ?(?:[–—-]|\b(?:to|until|till)\b)(?!\s?\d+[ -](?:{TIMES})\b)",
    re.IGNORECASE,
)
"""From when until when, from which it can be told how many hours or days there are."""
_SHARE = re.compile(rf"\b{NUMBER} ?(?:%|per ?cent\b)", re.IGNORECASE)
_ROW_HEAD = re.compile(r"(?:^|; )[^:;|]{1,60}: ")
_FIGURE_CELL = re.compile(r"(?:^|; )(?P<head>[^:;|]{1,60}): \D{0,3}\d")
_FEWEST_CELLS = 2
_ANYBODY = re.compile(
    r"\b(?:people|persons?|guests|visitors|men|women|children|staff|things|items|pieces)\b", re.IGNORECASE
)
_OF_ANYTHING = re.compile(
    r"\d|\b(?:numbers?|no|count|quantity|total|sum|amount|places?|capacity|up to|max\w*|min\w*|holds|size|stock|all)\b",
    re.IGNORECASE,
)
"""Heads of columns that do not say what they count."""


def has_count(question: str, text: str) -> bool:
    """Return whether a text may say how many: not where all its numbers are measures or names: `0.70 m`, `room 12`.

    Nor where each of them counts another thing, and the text names the one asked for without a number.

    >>> has_count("How many cooks are there?", "The cooks fill 40 bowls."), has_count("How many cooks?", "40 are paid.")
    (False, True)
    """
    counted = ASKS_COUNT.search(question)
    unit = _ASKS_UNIT.match(counted["noun"]) if counted else None
    if counted is None or (_MEASURES.search(counted["noun"]) and unit is None):
        return True
    nouns = set(stems(counted["noun"]))
    written, text = text, _without_names(question, text, nouns)
    if unit and _may_count_time(unit, question, text):
        return True
    if is_counted(question, _AGED.sub(" ", NAMED.sub(" ", text))):
        return True
    if not unit and _is_share(counted, question, text):
        return True
    if not unit and _figures_of_others(counted["noun"], text):
        return False
    bare = _AGED.sub(" ", MEASURED.sub(" ", NAMED.sub(" ", text)))
    if "time" not in nouns:
        for form in (_OF_WORK, _NO):
            bare = form.sub(lambda one: one.group() if nouns & set(stems(one["what"])) else " ", bare)
        bare = _COUNTS_NOTHING.sub(" ", without_frequencies(bare))
    if nouns & set(stems(text)):
        bare = _OTHERS_COUNTED.sub(lambda one: one.group() if nouns & set(stems(_thing(one))) else " ", bare)
    return bare == written or bool(_COUNTS.search(bare))


def _thing(counted: re.Match[str]) -> str:
    """Return what a number counts, with what that is of: `copies of the catalogue`."""
    of = _OF_WHAT.match(counted.string, counted.end())
    return f"{counted['thing']} {of['what']}" if of else counted["thing"]


def _is_share(counted: re.Match[str], question: str, text: str) -> bool:
    """Return whether a text says which share of something is what the question asks the number of.

    It tells what part `may be taken` or `are lost`, of those that the question names: not of everything in percent.
    """
    asked = set(stems(question)) - set(stems(counted["noun"]))
    deed = set(stems(question[counted.end() :])) & asked
    return any(deed & set(stems(text[match.end() :])) for match in _SHARE.finditer(text))


def _without_names(question: str, text: str, nouns: set[str]) -> str:
    """Return a text without names that end with a number, those of the question wherever they stand: `Branch 14`."""
    for match in _NAME_WITH_NUMBER.finditer(question):
        text = re.sub(rf"\b{re.escape(match.group())}\b", match["noun"], text, flags=re.IGNORECASE)
    return _NAME_WITH_NUMBER.sub(lambda one: one.group() if nouns & set(stems(one["noun"])) else one["noun"], text)


def _may_count_time(unit: re.Match[str], question: str, text: str) -> bool:
    """Return whether a text may count the unit of time that is asked for, or the next shorter or longer one.

    What lasts may be told in any unit: "in two months" says how many days it takes, and not how many days of leave.
    """
    places = [place for place, (name, _) in enumerate(_LADDER) if unit["unit"].casefold().startswith(name)]
    if not places or "|" in text or _FROM_TO.search(text) or (not unit["of"] and _ASKS_SPAN.search(question)):
        return True
    near = "|".join(words for _, words in _LADDER[max(0, places[0] - 1) : places[0] + 2])
    return bool(
        re.search(
            rf"\b(?:{NUMBER}|an?|half|no|none|several|few|couple of|some|many|every|each|all|whole)"
            rf"[ -]?(?:[a-z]+[ -]){{0,2}}(?:{near})\b|\b(?:{near})\b[^:;|]{{0,30}}: \D{{0,10}}\d"
            r"|\b(?:times|twice|double) the\b",
            text,
            re.IGNORECASE,
        )
    )


def _figures_of_others(noun: str, text: str) -> bool:
    """Return whether a text is a row of a table that has figures, and nowhere the thing that is asked the number of."""
    heads = [match["head"] for match in _FIGURE_CELL.finditer(text)]
    if len(_ROW_HEAD.findall(text)) < _FEWEST_CELLS or not heads or _ANYBODY.search(noun):
        return False
    return not set(stems(noun)) & set(stems(text)) and not any(map(_OF_ANYTHING.search, heads))


def is_counted(question: str, text: str) -> bool:
    """Return whether a text counts, right before it, the thing that a question asks the number of.

    Of two things that one number counts, `eight hens or rabbits`, it counts either.

    >>> is_counted("How many keys do I get?", "You get two keys."), is_counted("How many keys?", "Keys cost 4 euros.")
    (True, False)
    """
    counted = ASKS_COUNT.search(question)
    nouns = [re.escape(re.sub(r"(?:ies|es|s|y)$", "", word)) for word in counted["noun"].split()] if counted else []
    return any(
        re.search(rf"(?<![\w.,]){NUMBER}[ -](?:[a-z]+ )?(?:{_OTHER}s or )?{noun}[a-z]*\b", text, re.IGNORECASE)
        for noun in nouns
        if len(noun) > 2
    )
