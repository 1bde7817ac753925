"""Whether a text has the kind of thing that a question asks for: a length of time, a price, a count. Ground floor.

`rag.language.asked` says what makes one sentence fit better than another. Here it is asked what a text cannot lack and
still answer: "The rules hold for the years 9 to 12." tells nobody how long an examination is. In doubt nothing lacks.
"""

import re
from collections.abc import Callable
from functools import lru_cache

from rag.language.ages import ASKS_AGE, ASKS_LEAST_AGE, tells_age, tells_least_age
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
from rag.language.offices import has_person, is_row
from rag.language.several import questions_in

HOW_LONG = "how long"
"""What a question for a length of time, or of a thing, asks for."""
WHEN = "when"
"""What a question for the time of something past asks for."""
HOW_OLD = "how old"
"""What a question for somebody's age asks for, or for the one from which he may."""
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
_SUM = re.compile(
    rf"[\d€$£¥₹%]|\b{NUMBER}\b|\b(?:half|double|twice|triple|quarter|third|free|gratis|complimentary|nothing"
    r"|includ\w+|(?:no|without|any) (?:[a-z]+ ){0,2}(?:cost|charge|fee|payment)s?|waived?|same|equal\w*|borne|bears?"
    r"|depend\w*|expenses?|cover(?:s|ed)?|agreed|fixed|set|determined|negotia\w+|estimat\w+|worth|cheap\w*|expensive|costly"
    r"|most|more|less|least|refund\w*|discount\w*|full|actual|per ?cent|million|billion|thousand)\b",
    re.IGNORECASE,
)
"""How much is paid, or that nothing is, or what that depends on: words of paying alone, as in `they pay the old fee`,
tell nobody the price."""
_DATED = re.compile(
    r"\b\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:January|February|March|April|May|June|July|August|September|October|November"
    r"|December)\b(?: \d{4})?|\b(?:in|of|since|until|from) (?:19|20)\d\d\b"
)
"""Dates and years, whose figures are no sum."""
_ASKS_PRICE = re.compile(
    r"\bhow much (?:do|does|did|will|would|must|should|is|are|was|were)\b[^,;]*\b(?:cost|pay|paid|charged?)\b"
    r"|\bhow much (?:is|are|was|were) (?:an?|one|each)\b(?!.*\bin [a-z]+s\W*$)"
    r"|\bwhat (?:does|do|did|will|would) [^,;]*\bcost\b|\bwhat (?:is|are|was|were) the (?:price|cost|fee)s?\b"
    r"(?! (?!(?:of|for|to|in|at|per|if|when|on|with|under|an?|each|and|or|now|today|charged|paid|payable|before|after"
    r"|during|until|since|by|from)\b)[a-z])",
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
_LOCKED = r"(?:safe|lock|padlock|door|gate|alarm|cabinet|key|entrance|entry|access|security|wi-?fi|network|shed)"
"""What a code opens; a dress code or the genetic code opens nothing."""
_ASKS_CODE = re.compile(
    r"\b(?:what(?:['’]s| is| was| are| were)|which is) the (?:[a-z-]+ ){0,3}?(?:(?:pin|password|passcode)s?\b"
    rf"|{_LOCKED} (?:code|combination)s?\b|(?:code|combination)s? (?:of|for|to) (?:the |our )?(?:[a-z]+ )?{_LOCKED}\b)",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"\d|[\"“”]|\b(?-i:[A-Z]{2,})\b"
    r"|\b(?:pin|password|passcode|combination|codes?)(?: \w+){0,4}? (?:is|are|was|were|reads) "
    r"(?!(?:changed|kept|given|known|needed|required|held|sent|set|told|asked|renewed|secret|confidential|not)\b)|[:=|]",
    re.IGNORECASE,
)
"""What may be a code, or say what it is; that it is changed each month says nobody what it is."""
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
_ASKS_SIZE = re.compile(
    r"\bhow (?:high|tall|deep|wide|thick|broad|heavy|big|large|steep|loud|bright|hot|warm|cold)\b"
    r"|\bwhat (?:is|are|was|were) the (?:height|depth|width|thickness|weight|speed)\b"
    r"|\b(?:at|to|below|above|under|over|from|until|up to) (?:what|which) (?:[a-z]+ )?"
    r"(?:temperature|speed|height|depth|pressure|voltage|angle|humidity)s?\b",
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


def _has_size(question: str, text: str) -> bool:
    """Return whether a text may say how high, heavy or warm: not where all its numbers are times, dates or names."""
    if _ASKS_MEASURE_OF.search(question) and _measures_another(question, text):
        return False
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
_ASKS_WHO = re.compile(
    r"(?:^\W*|[,;:?!]\W*|\b(?:and|or|but|know|me|us|tell|say|ask|so|also|then|by|of|to) )who (?:is|was|are|were)\b",
    re.IGNORECASE,
)
"""Not `a rider who was hurt`."""
_ASKS_HOW_FAR = re.compile(r"\bhow far (?:away )?(?:is|are|was|were) (?:it )?[^,;?]* (?:from|to)\b", re.IGNORECASE)
_FAR = re.compile(
    rf"\b{NUMBER}[ -]?(?:{LENGTHS})\b|\d ?(?:[ckm]?m|ft|mi|yd)\b|\bdistan\w+"
    r"|\b(?:minutes?|hours?|days?|walk|drive|ride|stops?|stations?|doors?|blocks?|steps?|streets?)[’']? "
    r"(?:walk|drive|ride|away|apart|further|on foot|by \w+|from|to)\b"
    r"|\b(?:walk|drive|ride|swim|row|cycle|journey|trip|crossing|flight|climb|way|light|reach(?:ed)?|get)\b[^.;]{0,40}?"
    r"\b(?:minutes?|hours?|days?|years?)\b"
    r"|\b(?:near\w*|next|beside|opposite|adjacent|adjoin\w*|close|far|half[- ]?way|neighbou?r\w*|remote|behind)\b"
    r"|\b(?:just|right|directly|immediately|shortly) (?:below|above|before|after|under|over|off)\b"
    r"|\b(?:round the corner|(?:with)?in sight|paces|light[- ]years?|astronomical units?)\b",
    re.IGNORECASE,
)
_ASKS_WHEN_IT_WAS = re.compile(r"^\W*when (?:was|were|did)\b", re.IGNORECASE)
_DATED_OR_RELATED = re.compile(
    r"\d|\b(?:January|February|March|April|June|July|August|September|October|November|December|in May"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|(?:spring|summer|autumn|winter)s?|century|centuries|decades?|ago"
    r"|yesterday|under|(?-i:[MDCLXVI]{4,})|epoch|dynasty"
    r"|before|after|during|until|till|since|while|when|whenever|once|as soon|as|upon|on|at|by|in|following|from|never"
    r"|always|immediately|then|later|early|earlier|recently|now|today|first|last|morning|afternoon|evening|night|noon"
    r"|midnight|(?:this|that|next|same|previous) (?:day|week|month|year)|war|era|age|reign|eve|dawn|dusk|Easter"
    r"|Christmas)\b",
    re.IGNORECASE,
)
"""What may say when something was: a date, or what it was before, after or with; not that it is held twice a year."""
_OF_NOW = re.compile(r"\b(?:is|are|may|must|can|will|shall|opens?|closes?|begins?|starts?|takes?)\b")
_OF_THEN = re.compile(
    r"\b(?:was|were|had|did|has|have|since|ago|until|till|became|began|took|came|went|(?:1\d|20)\d\d|centur(?:y|ies)"
    r"|last (?:in|on|at)|as of|dated)\b"
    r"|\|"
)
_ASKS_MEASURE_OF = re.compile(r"\bhow (?:heavy|tall|high|big|wide|deep) (?:is|are|was|were)\b", re.IGNORECASE)
_OWNED = re.compile(
    r"(?:^|; )(?P<owner>[^\W\d_]+)(?:['’]s|s['’]) (?:[a-z]+ )?"
    r"(?:age|weight|height|size|length|width|depth|speed)(?: [^:;]{0,20})?: ",
    re.IGNORECASE,
)
_AT_COST = re.compile(
    r"\b(?:at|under|on|in|to|with|from) (?:[\w’']+ ){0,2}(?:costs?|expense|risk|discretion|price|request|conditions?"
    r"|consent|permission|agreement|notice|favou?r|name|terms|behalf)\b",
    re.IGNORECASE,
)
"""What stands after words of place and is none: `at the borrower's cost`."""


def _is_of_now(text: str) -> bool:
    """Return whether a text only says what is so now: when a place is open tells nobody when it was opened."""
    return not is_row(text) and bool(_OF_NOW.search(text)) and not _OF_THEN.search(text)


def _measures_another(question: str, text: str) -> bool:
    """Return whether a row names the owner of what it measures, and the question does not: `Rider's weight`."""
    owners = [match["owner"].casefold() for match in _OWNED.finditer(text)] if is_row(text) else []
    asked = question.casefold()
    return bool(owners) and not any(owner[:4] in asked for owner in owners)


def _has_number_to_call(text: str) -> bool:
    """Return whether a text may have a number to call: not where its only numbers are measures or count things."""
    bare = MEASURED.sub(" ", text)
    return bool(_CALLED.search(bare if _SPEAKS_OF_CALLS.search(text) else _NUMBER_OF_THINGS.sub(" ", bare)))


def _has_price(_: str, text: str) -> bool:
    """Return whether a text may say a price: not a row whose figures are measures, shares or times: `Weight: 750 g`."""
    if not is_row(text):
        return bool((_PRICE.search(text) and _SUM.search(_DATED.sub(" ", text))) or _ROW_FIGURE.search(text))
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
    (_ASKS_CODE, "a code", lambda _, text: bool(_CODE.search(text))),
    (re.compile(r"\be-?mail address", re.IGNORECASE), "an e-mail address", lambda _, text: "@" in text),
    (_ASKS_PRICE, "a price", _has_price),
    (_ASKS_PRICE_OF_THE, "a price", _has_price_or_amount),
    (ASKS_COUNT, COUNT, has_count),
    (_ASKS_SIZE, "a size", _has_size),
    (_ASKS_WHO, "who", has_person),
    (_ASKS_HOW_FAR, "how far", lambda _, text: bool(_FAR.search(text))),
    (_ASKS_WHEN_IT_WAS, WHEN, lambda _, text: bool(_DATED_OR_RELATED.search(text)) and not _is_of_now(text)),
    (ASKS_AGE, HOW_OLD, lambda _, text: tells_age(text)),
    (ASKS_LEAST_AGE, HOW_OLD, lambda question, text: tells_least_age(question, text) or bool(_ROW_FIGURE.search(text))),
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
    asked = _kinds_asked(question)
    if not asked:
        return ""
    text = _MARK.sub("", text)
    return "" if any(has(question, text) for _, has in asked) else asked[0][0]


@lru_cache(maxsize=256)
def _kinds_asked(question: str) -> tuple[tuple[str, Callable[[str, str], bool]], ...]:
    """Return the kinds of thing that a question asks for, each with what tells whether a text may have it."""
    if understand(question).yes_or_no:
        return ()
    if any(not any(asks.search(part) for asks, _, _ in _KINDS) for part in questions_in(question)):
        return ()  # one of its parts is answered by anything
    return tuple((kind, has) for asks, kind, has in _KINDS if asks.search(question))
