"""Whether a text has the kind of thing that a question asks for: a length of time, a price, a count. Ground floor.

`rag.language.asked` says what makes one sentence fit better than another. Here it is asked what a text cannot lack and
still answer: "The rules hold for the years 9 to 12." tells nobody how long an examination is. In doubt nothing lacks.
"""

import re
from collections.abc import Callable

from rag.language.asked import understand
from rag.language.counts import (
    ASKS_COUNT,
    COUNT,
    LENGTHS,
    MEASURED,
    NAMED,
    PLURAL_TIMES,
    TIMES,
    has_count,
)
from rag.language.doers import ASKS_DOER, names_no_doer
from rag.language.lasting import duration_in
from rag.language.numerals import NUMBER
from rag.language.several import questions_in
from rag.language.text import is_stopword, stems

HOW_LONG = "how long"
"""What a question for a length of time, or of a thing, asks for."""
_FEWEST_CELLS = 2
"""Cells with the heads of their columns from which a text is a row of a table."""
_SHORT_TIMES = r"s|secs?|mins?|h|hrs?|d|wks?|mo|yrs?|ms|µs|ns"
_ONE = r"(?:an?|one|half|per|each|every|this|that|same|whole|entire|full|single|next|following)[ -]"
_LASTS = re.compile(
    rf"\b(?:{_ONE}|{NUMBER}[ -]?)(?:[a-z]+[ -])?(?:{TIMES})\b"
    rf"|\b(?:{PLURAL_TIMES})\b(?! \d)"
    rf"|\d ?(?:{_SHORT_TIMES})\b|\b{NUMBER}[ -]?(?:{LENGTHS})\b"
    r"|\b\d[\d.,]*(?: (?!(?:the|and|or|to|in|of|is|are|for|at|on)\b)[a-z]+){0,2}"
    r" (?!(?:euros|cents|dollars|pounds|francs|crowns|persons|guests|degrees|grams|kilograms|litres|tonnes)\b)"
    r"[a-z]{3,}s\b"
    r"|\b(?:until|till|as long as|so long as|for as|while|permanent\w*|indefinite\w*|for ?ever|for life|lifetime"
    r"|overnight|always|never|limit(?:ed|less)?|unlimited|all day|throughout|at once|immediate\w*|instant\w*|since|life"
    r"|ever|no longer|short\w*|brief\w*|midnight|noon|tomorrow)\b"
    r"|\d{1,2}[:.]\d\d\b|\b\d{1,2} ?[ap]\.?m\b|\b(?:from|between|in) (?:1\d|20)\d\d\b|\b(?:1\d|20)\d\d ?[-–] ?\d\d",
    re.IGNORECASE,
)
_OFTEN = re.compile(
    r"\b(?:every|each|per|once|twice|thrice|times?|[a-z]*daily|[a-z]*weekly|[a-z]*monthly|yearly|annual\w*|hourly"
    r"|quarterly|nightly|never|always|regular\w*|seldom|rare\w*|frequent\w*|often|sometimes|usual\w*|constant\w*"
    r"|continu\w*|interval\w*|after|before|when\w*|if|as needed|single|only|no more|more than|at least|at most|first"
    rf"|second|third|permanent\w*|{TIMES})\b|\d",
    re.IGNORECASE,
)
_PRICE = re.compile(
    r"[€$£¥₹%]|\b(?:euros?|cents?|dollars?|pounds?|pence|pennies|penny|shillings?|francs?|crowns?|kron(?:e|er|or|a)|yen"
    r"|yuan|rupees?|marks?|guilders?|ducats?|florins?|eur|usd|gbp|chf|per ?cent|percentage|money|cash|coins?|costs?"
    r"|costly|costing|pays?|paid|paying|payable|payments?|prices?|priced|pricey|fees?|charges?|charged|surcharges?"
    r"|supplements?|free|gratis|complimentary|nothing|included|rates?|tariffs?|tolls?|fares?|deposits?|fines?"
    r"|expenses?|expensive|cheap\w*|sold|sells?|worth|bills?|billed|credits?|refund\w*|discount\w*|waived?|value[ds]?"
    r"|salar(?:y|ies)|wages?|rents?|taxe?[sd]?|dut(?:y|ies)|bought|buys?|million|billion|thousand)\b"
    r"|\.{3,}\s*\d",
    re.IGNORECASE,
)
_ASKS_PRICE = re.compile(
    r"\bhow much (?:do|does|did|will|would|must|should|is|are|was|were)\b[^,;]*\b(?:cost|pay|paid|charged?)\b"
    r"|\bhow much (?:is|are|was|were) (?:an?|one|each)\b(?!.*\bin [a-z]+s\W*$)"
    r"|\bwhat (?:does|do|did|will|would) [^,;]*\bcost\b|\bwhat (?:is|are|was|were) the (?:price|cost|fee)s?\b",
    re.IGNORECASE,
)
_ASKS_PRICE_OF_THE = re.compile(
    r"\bhow much (?:is|are|was|were) (?:the|your|our|its)"
    r" (?P<thing>[^\W\d_]+(?: (?!(?:of|for|in|on|at|per|to|with|when)\b)[^\W\d_]+){0,2}?)"
    r"(?=\W*$|\W+(?:of|for|in|on|at|per|to|with|when|and|if)\b)",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    rf"\b(?:{TIMES}|{LENGTHS}|dos(?:e|age)|loads?|weights?|limits?|amounts?|quantit(?:y|ies)|volumes?|capacit(?:y|ies)|distances?"
    r"|pressure|flow|speed|power|current|voltage|output|input|yield|consumption|use|usage|demand|need|interest|shares?|rise"
    r"|increase|decrease|reduction|raise|loss|gain|growth|difference|energy|heat|temperature|memory|storage|space|water"
    r"|time|delay|notice|clearance|gap|tolerance|efficiency|moisture|humidity|concentration|content|maximum|minimum|rest"
    r"|part|proportion|percentage|ratio|level|score|total|sum|number|steps?|stock|reserve|allowance|error|deviation"
    r"|margin|force|torque|light|noise|rain\w*|land|area|effect|salt|sugar|flour|oil|fuel|milk|air|gas|steam)\b",
    re.IGNORECASE,
)
"""Things whose "how much" need not be money."""
_CALLED = re.compile(r"\d{3}|\d[\d /().-]{3,}\d")
"""What may be a number to call; what is measured or paid is none."""
_SPEAKS_OF_CALLS = re.compile(
    r"\b(?:call\w*|dial\w*|r[iu]ngs?|ringing|phone\w*|telephone\w*|tel|mobile|fax|numbers?|extension|ext|line|hotline"
    r"|switchboard|reach\w*|contact\w*|answer\w*)\b",
    re.IGNORECASE,
)
_NUMBER_OF_THINGS = re.compile(
    r"(?<![\w+(/.,–-])(?<!\d )[1-9]\d*(?:[.,]\d+)*(?:"
    r" (?:(?!(?:and|or|on|at|in|for|from|to|by|with|is|are|was|which|if|when|between|only|during|until|after|before)\b)"
    r"[a-z]+[ -])?(?:(?!(?:is|was|has|does|as|us|this|always|unless|its|his|plus|sometimes|weekdays|weekends|evenings"
    r"|mornings|afternoons|days|nights)\b)[a-z]{2,}s|people|children|men|women)\b"
    r"| ?(?:[ckmµ]?m[²³]|k?Wh|MW|[kMGT]B|kcal|hp|ha|ppm|EUR|USD|GBP|CHF)(?!\w))"
)
"""A number right before a plural or a unit: `312 seats`."""
_MARK = re.compile(r"(?:^|(?<=\s)(?=\())\(?\d{1,2}(?:\.\d{1,2})*[.)]\s|(?:^|(?<=\n))\d{1,2}(?:\.\d{1,2})+\s+(?=[A-Z])")
_ROW_FIGURE = re.compile(r"(?:\||(?:^|; )[^;|]{1,60}(?:(?<!\d):|:(?=\s)))\s*[€$£]?\d")
"""A figure in a table's row, bare or with the heads of its columns."""

_NO_PRICE = re.compile(rf"{MEASURED.pattern}|\d[\d.,]*\s?%|\b\d{{1,2}}:\d\d")
"""Figures that are measures, shares or times."""
_ASKS_HOLDER = re.compile(
    r"^\W*[Ww]ho (?:is|was) (?:the|our|your|its) "
    r"(?P<role>(?!(?:person|one|man|woman|first|last|next|best)\b)[^\W\d_][\w’'-]*(?: (?!(?:of|at|in|for)\b)"
    r"(?:&|[^\W\d_][\w’'-]*)){0,3})(?P<of>(?: (?:of|at|in|for) (?:[^\W_]|[ ’'&,-])+)?)\W*$"
)
_OFFICE = re.compile(
    r"(?:(?:vice|deputy|co|sub)-?)?(?:secretary|treasurer|chair|president|head|director|manager|officer|leader"
    r"|co-?ordinator|supervisor|warden|principal|dean|registrar|clerk|chief|inspector|administrator|editor|librarian"
    r"|curator|steward|caretaker|commissioner|governor|minister|mayor|ambassador|delegate"
    r"|representative|deputy|assistant|superintendent|commander|marshal|auditor|accountant|convenor|convener"
    r"|ombudsman|ombudsperson|engineer|matron|bursar|provost|rector|chancellor|executive|adviser|advisor|organi[sz]er"
    r"|chair(?:man|woman|person)|spokes(?:man|woman|person)|fore(?:man|woman)|harbou?r ?master|station ?master"
    r"|quartermaster|headmaster|headmistress)(?:e?s|-general|-elect)?",
    re.IGNORECASE,
)
"""Offices that people hold, by their last word; written with capitals, only these are not names of things."""
_BEHIND_OFFICE = frozenset(("general", "elect", "designate"))
_LONGEST_ROLE = 2
"""Words of a role in small letters that need not be an office known here: `club porter`."""
_WORD_OR_STOP = re.compile(r"\b(?:[^\W\d_]|Dr|Mrs?|Ms|Prof)\.(?= )|[^\W\d_][\w’'-]*|[^\w\s]|\d+")
_LINKS = frozenset(("of", "for"))
_HEADS_OF_NAMES = re.compile(r"\b(?:holders?|names?|who|persons?|incumbent)\b[^:;|]{0,30}: ", re.IGNORECASE)
_ARTICLES = frozenset("the a an this that each every any no some our its their your his her all both".split())  # noqa: SIM905
_OF_TIME_OR_STATE = frozenset(
    """
    january february march april may june july august september october november december monday mondays tuesday
    tuesdays wednesday wednesdays thursday thursdays friday fridays saturday saturdays sunday sundays daily weekly
    monthly quarterly yearly annual annually yes no none open closed
    """.split()  # noqa: SIM905
)
"""Words that may be written with a capital and name nobody."""
_TAKES_OFFICE = re.compile(
    r"\b(?:whoever|chairs|heads|leads|presides|takes? (?:the chair|over|charge|the place)"
    r"|stands? in|acts?|serves?|chaired by|led by|headed by"
    r"|run by|held by|(?:chosen|drawn) by lot)\b",
    re.IGNORECASE,
)
_ASKS_SIZE = re.compile(
    r"\bhow (?:high|tall|deep|wide|thick|broad|heavy|big|large|steep|loud|bright|hot|warm|cold)\b"
    r"|\bwhat (?:is|are|was|were) the (?:height|depth|width|thickness|weight|speed)\b",
    re.IGNORECASE,
)
_SPAN_OF_TIME = re.compile(
    rf"\b{NUMBER}[ -]?(?:(?!quarter)(?:{TIMES})\b|(?:{_SHORT_TIMES})(?![a-z]))|\b\d{{1,2}}(?:st|nd|rd|th)\b",
    re.IGNORECASE,
)
_SIZE = re.compile(
    rf"\d|\b{NUMBER}\b|\b(?:high\w*|height\w*|tall\w*|deep\w*|depths?|wid(?:e|er|est|th)s?|thick\w*|broad\w*|heav\w*"
    r"|weigh\w*|big\w*|large\w*|siz\w*|areas?|small\w*|low\w*|tiny|huge|great\w*|giant|half|twice|full|level|maximum"
    r"|minimum|limit\w*|loads?|ceiling|floor|roof|knee\w*|waist|shoulder|head|equal\w*|as \w+ as|than|steep\w*|slope"
    r"|loud\w*|quiet\w*|bright\w*|dim|dark|hot\w*|warm\w*|cold\w*|cool\w*|boil\w*|freez\w*|temperatures?|double|triple"
    r"|single|quarters?|thirds?|tenths?|across|diameter|radius|speed\w*|fast\w*|slow\w*|quick\w*|[a-z]*met(?:re|er)s?|feet|foot|inch(?:es)?|miles?|acres?|hectares?|kilos?|grams?|pounds?|tons?|tonnes?)\b",
    re.IGNORECASE,
)


def _has_size(_: str, text: str) -> bool:
    """Return whether a text may say how high, heavy or warm: not where all its numbers are times, dates or names."""
    return bool(_SIZE.search(_SPAN_OF_TIME.sub(" ", NAMED.sub(" ", text))))


_ASKS_WHERE = re.compile(
    r"^\W*where (?:is|are|was|were|do|does|did|can|could|must|should|may|will|would)\b(?!.*\bstand\b)", re.IGNORECASE
)
_SOMEWHERE = re.compile(
    rf"\b(?:in|at|near|on|from|to(?! (?:us|you|me|him|her|them)\b)|under|inside|outside|behind|beside|across|along"
    r"|through|into|onto|above|below|between|by|opposite|next|around|down|against|among|via|past|beyond)\b"
    rf" (?!(?:the |an? )?(?:writing|advance|time|person|full|case|order|part|turn|general|total|detail|particular|least"
    rf"|most|once|all|least|request|average|behalf|{NUMBER}|{TIMES}|January|February|March|April|May|June|July|August"
    r"|September|October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?)\b|\w+ing\b)\w"
    r"|\b(?:here|there|where\w*|everywhere|anywhere|nowhere|upstairs|downstairs|indoors|outdoors|online|abroad|home|left|right"
    r"|north\w*|south\w*|east\w*|west\w*|address|rooms?|halls?|floors?|streets?|roads?|sites?|located|website|called|local"
    r"|web)\b|@|\||: ",
    re.IGNORECASE,
)
"""Words of a place; not of a time, and not `in writing`."""
_AT_COST = re.compile(
    r"\b(?:at|under|on|in|to|with|from) (?:[\w’']+ ){0,2}(?:costs?|expense|risk|discretion|price|request|conditions?"
    r"|consent|permission|agreement|notice|favou?r|name|terms|behalf)\b",
    re.IGNORECASE,
)
"""What stands after words of place and is none: `at the borrower's cost`."""
_ROW_HEAD = re.compile(r"(?:^|; )[^:;|]{1,60}: ")


def _has_person(question: str, text: str) -> bool:
    """Return whether a text may say who: not a row that has, beside words of the question, only figures."""
    is_row = len(_ROW_HEAD.findall(text)) >= _FEWEST_CELLS
    if not is_row or (_asks_office(question) and not _HEADS_OF_NAMES.search(text)):
        return _has_holder(question, text)
    asked = set(stems(question))
    said = stems(re.sub(r"\b\w+(?:[.,]\w+)*@\S+", " ", _ROW_HEAD.sub(" ", text)))
    return any(stem.isalpha() and stem not in asked for stem in said)


def _asks_office(question: str) -> bool:
    """Return whether a question asks who holds an office that is known here: `Who is the Head of Sales?`."""
    match = _ASKS_HOLDER.search(question)
    return match is not None and _is_office(match["role"])


def _is_office(role: str) -> bool:
    words = [word for word in role.split() if word.casefold() not in _BEHIND_OFFICE]
    return bool(words) and bool(_OFFICE.fullmatch(words[-1]) or _OFFICE.fullmatch(" ".join(words[-2:])))


def _has_holder(question: str, text: str) -> bool:
    """Return whether a text may say who holds an office: it names a person, or says what he is, or who takes it.

    "The treasurer may spend 500 pounds." does not tell who the treasurer is, nor does what has no treasurer and nobody
    by name. A role with capitals that is no office is the name of a thing or a person, of which nothing is known here.
    """
    match = _ASKS_HOLDER.search(question)
    if match is None or "|" in text:
        return True
    role, is_office = match["role"], _is_office(match["role"])
    is_short = role.islower() and len(role.split()) <= _LONGEST_ROLE
    if not is_office and not (is_short and re.search(rf"\b{re.escape(role)}\b", text, re.IGNORECASE)):
        return True
    is_row = len(_ROW_HEAD.findall(text)) >= _FEWEST_CELLS
    values = _ROW_HEAD.sub("; ", text) if is_row else text
    if _names_somebody(values, frozenset(stems(question)), only_people=is_office):
        return True
    role = rf"(?:{re.escape(role)}|{re.escape(role.split()[-1])})" if is_office else re.escape(role)
    is_said = (
        rf"\b{role}(?: (?:of|at|in|for)(?: [\w’'-]+){{1,5}}?)?\b\W? ?(?:(?:is|are|was|were|means)\b(?! (?:\w+ed|paid"
        r"|chosen|held|given|responsible|accountable|liable|able|free|bound|due|to|not|in|on|at|by|under|for)\b)"
        r"|[:=](?!\W*\d))"
    )
    is_it = rf"\b(?:is|are|was|were|as|becomes?|called|named) (?:also )?(?:(?:the|our|an?) )?{role}\b"
    return bool(re.search(f"{is_said}|{is_it}", text, re.IGNORECASE) or _TAKES_OFFICE.search(text))


def _names_somebody(text: str, given: frozenset[str], *, only_people: bool) -> bool:
    """Return whether a text may name somebody: words with capitals that are no words of the question and no office.

    Not a word that only begins a sentence. People have no article (`the Finance Board`) unless behind an office (`the
    Treasurer Ada Lund`), and are not written in capitals throughout; an owner may also be a trust.
    """
    run: list[str] = []
    before = ""
    for word in (*_WORD_OR_STOP.findall(text), "."):
        if word[0].isupper():
            run.append(word)
            continue
        if run and _is_somebody(run, before, given, only_people=only_people):
            return True
        run, before = [], f"{' '.join(run[-1:])} {word}" if run else f"{before.split(' ')[-1]} {word}"
    return False


def _is_somebody(run: list[str], before: str, given: frozenset[str], *, only_people: bool) -> bool:
    """Return whether words with capitals, next to each other, may be a name.

    Args:
        run: The words.
        before: The two words or marks before them; empty at the beginning of a text.
        given: Stems of the question.
        only_people: Whether a name of people is looked for.
    """
    begins = not before.strip() or before[-1:] in ".!?"
    two_before, one_before = before.split(" ")[0], before.split(" ")[-1]
    after_article = (run[0] if begins else one_before).casefold() in _ARTICLES
    words = run[1:] if begins and is_stopword(run[0].casefold()) else run
    is_first = begins and words is run
    while words and (_OFFICE.fullmatch(words[0]) or set(stems(words[0])) <= given):
        after_article = after_article and not _OFFICE.fullmatch(words[0])
        words, is_first = words[1:], False
    if not words or _OFFICE.fullmatch(words[-1]) or (_OFFICE.fullmatch(two_before) and one_before in _LINKS):
        return False
    if only_people and after_article:
        return False
    telling = [word for word in words if word.casefold() not in _OF_TIME_OR_STATE]
    telling = [word for word in telling if not word.isupper()] if only_people else telling
    return len(telling) > 1 or (len(telling) == 1 and not is_first)


def _has_number_to_call(text: str) -> bool:
    """Return whether a text may have a number to call: not where its only numbers are measures or count things."""
    bare = MEASURED.sub(" ", text)
    return bool(_CALLED.search(bare if _SPEAKS_OF_CALLS.search(text) else _NUMBER_OF_THINGS.sub(" ", bare)))


def _has_price(_: str, text: str) -> bool:
    """Return whether a text may say a price: not a row whose figures are measures, shares or times: `Weight: 750 g`."""
    if len(_ROW_HEAD.findall(text)) < _FEWEST_CELLS:
        return bool(_PRICE.search(text) or _ROW_FIGURE.search(text))
    bare = _NO_PRICE.sub(" ", text)
    return bool(_PRICE.search(text.replace("%", " ")) or _ROW_FIGURE.search(bare))


def _has_price_or_amount(question: str, text: str) -> bool:
    """Return whether a text may answer "How much is the ...?": it has a price, or says how much that is."""
    match = _ASKS_PRICE_OF_THE.search(question)
    if match is None or _AMOUNT.search(match["thing"]) or _has_price(question, text):
        return True
    thing = re.escape(match["thing"].split()[-1])
    said = rf"\b{thing}(?: [^\W\d_]+){{0,3}}? ?(?:is|are|was|were|(?:amounts?|comes?) to|[:=(])[^.;!?\d]{{0,12}}\d"
    return bool(re.search(said, text, re.IGNORECASE))


_KINDS: tuple[tuple[re.Pattern[str], str, Callable[[str, str], bool]], ...] = (
    (
        re.compile(r"\bhow long\b(?! ago| since|er)", re.IGNORECASE),
        HOW_LONG,
        lambda question, text: bool(_LASTS.search(duration_in(question, text)) or _ROW_FIGURE.search(text)),
    ),
    (re.compile(r"\bhow often\b", re.IGNORECASE), "how often", lambda _, text: bool(_OFTEN.search(text))),
    (
        re.compile(
            r"(?:\bwhat(?:['’]s| is| are)\b.*|\bwhich )\b(?:(?:tele)?phone|mobile|fax) numbers?\b"
            r"|^(?!.*\b(?:which|what|who|how)\b).*\b(?:(?:tele)?phone|mobile|fax) numbers?\W*$",
            re.IGNORECASE,
        ),
        "a number to call",
        lambda _, text: _has_number_to_call(text),
    ),
    (re.compile(r"\be-?mail address", re.IGNORECASE), "an e-mail address", lambda _, text: "@" in text),
    (_ASKS_PRICE, "a price", _has_price),
    (_ASKS_PRICE_OF_THE, "a price", _has_price_or_amount),
    (ASKS_COUNT, COUNT, has_count),
    (_ASKS_SIZE, "a size", _has_size),
    (re.compile(r"\bwho (?:is|was|are|were)\b", re.IGNORECASE), "who", _has_person),
    (_ASKS_WHERE, "where", lambda _, text: bool(_SOMEWHERE.search(_AT_COST.sub(" ", text)))),
    (ASKS_DOER, "who", lambda question, text: not names_no_doer(question, text)),
)
"""What a form of question asks for, in words, and what tells whether a text may have it."""


def lacking(question: str, text: str) -> str:
    """Return in words what a question asks for and a text cannot tell; empty where it may, or the form says too little.

    Of a question for two things one is enough.

    >>> lacking("How long is the test in year 12?", "The rules hold for the years 9 to 12.")
    'how long'
    >>> lacking("How long is the test in year 12?", "Tests in the years 9 to 12 take 90 minutes.")
    ''
    """
    if understand(question).yes_or_no:
        return ""
    parts = questions_in(question)
    if any(not any(asks.search(part) for asks, _, _ in _KINDS) for part in parts):  # one is answered by anything
        return ""
    text = _MARK.sub("", text)
    asked = [(kind, has(question, text)) for asks, kind, has in _KINDS if asks.search(question)]
    return asked[0][0] if asked and not any(has for _, has in asked) else ""
