"""Whether a text may say who somebody is, or who holds an office: it has a name, or says what he is. Ground floor."""

import re

from rag.language.text import is_stopword, stems

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
_OWNER = re.compile(r"^.*?\w['’]s? ")
"""Whose office it is: `the landlord's agent`."""
_HOLDER = re.compile(
    rf"(?:(?:Dr|Mrs?|Ms|Prof)\.? )?[A-Z][\w’'-]+(?: [A-Z][\w’'-]+)+, (?:the|our|its|an?) "
    rf"(?P<office>(?:[a-z-]+ ){{0,2}}(?i:{_OFFICE.pattern}))(?![\w-])"
)
"""A name with the office of who bears it: `Ada Lund, the managing director`."""
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
_ROW_HEAD = re.compile(r"(?:^|; )[^:;|]{1,60}: ")
_FEWEST_CELLS = 2
"""Cells with the heads of their columns from which a text is a row of a table."""


def is_row(text: str) -> bool:
    """Return whether a text is a row of a table as it is read: `Boat: Skiff; Crew: 2`."""
    return len(_ROW_HEAD.findall(text)) >= _FEWEST_CELLS


def has_person(question: str, text: str) -> bool:
    """Return whether a text may say who: not a row that has, beside words of the question, only figures."""
    if not is_row(text) or (_asks_office(question) and not _HEADS_OF_NAMES.search(text)):
        return _has_holder(question, text)
    asked = set(stems(question))
    said = stems(re.sub(r"\b\w+(?:[.,]\w+)*@\S+", " ", _ROW_HEAD.sub(" ", text)))
    return any(stem.isalpha() and stem not in asked for stem in said)


def _asks_office(question: str) -> bool:
    """Return whether a question asks who holds an office that is known here: `Who is the Head of Sales?`."""
    match = _ASKS_HOLDER.search(question)
    return match is not None and _is_office(_OWNER.sub("", match["role"]))


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
    role = _OWNER.sub("", match["role"])
    is_office = _is_office(role)
    is_short = role.islower() and len(role.split()) <= _LONGEST_ROLE
    if not is_office and not (is_short and re.search(rf"\b{re.escape(role)}\b", text, re.IGNORECASE)):
        return True
    values = _ROW_HEAD.sub("; ", text) if is_row(text) else _without_other_holders(role, text)
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


def _without_other_holders(role: str, text: str) -> str:
    """Return a text without the names of those of whom it says that they hold another office than the one asked about.

    >>> _without_other_holders("duty manager", "Ring the duty manager or Ada Lund, the managing director.")
    'Ring the duty manager or  .'
    """
    asked = role.casefold().split()[-1]
    return _HOLDER.sub(lambda one: one.group() if asked in one["office"].casefold().split() else " ", text)


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
    if after_article and (
        only_people or (begins and len(words) == 1)
    ):  # `The Landlord may ...` names a part, not a person
        return False
    telling = [word for word in words if word.casefold() not in _OF_TIME_OR_STATE]
    telling = [word for word in telling if not word.isupper()] if only_people else telling
    return len(telling) > 1 or (len(telling) == 1 and not is_first)
