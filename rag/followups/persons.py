"""Who "he" or "she" may stand for: a person of a question, by name or by what the person is or does."""

import re
from typing import Final

from rag.followups.grammar import Word, words_of
from rag.followups.words import word_set

_WHO: Final = word_set("who whom whose")
_ROLES: Final = word_set(
    "accountant actor actress administrator admiral adult adviser advisor agent ambassador applicant apprentice "
    "architect artist assistant athlete attendant auditor aunt author baby baker banker barber bishop borrower boss "
    "boy bride broker brother builder butcher buyer candidate captain caretaker carer carpenter cashier ceo cfo "
    "champion chancellor chef chief child clerk coach colleague colonel commander commissioner composer conductor "
    "consul consultant contractor coordinator counsellor courier curator customer dad daughter dealer dean defendant "
    "delegate dentist deputy designer detective diplomat director doctor donor driver economist editor electrician "
    "emperor employee employer empress engineer examiner executor explorer father farmer firefighter fisher foreman "
    "founder friend gardener general girl governor grandfather grandmother groom guard guest guide gynaecologist "
    "hairdresser headmaster headmistress hero host hunter husband immigrant inspector instructor intern interpreter "
    "inventor investor janitor journalist judge keeper king lady landlady landlord lawyer leader lecturer lender "
    "librarian lieutenant lifeguard lodger magistrate manager mayor mechanic member midwife minister mother mum "
    "musician neighbor neighbour nephew niece novelist nurse officer operator optician owner painter paramedic parent "
    "partner passenger patient pensioner pharmacist philosopher physician physicist physiotherapist pilot pirate "
    "plaintiff player plumber poet policeman pope porter postman premier president priest prince princess principal "
    "prisoner producer professor programmer prophet pupil queen receptionist rector referee reporter representative "
    "resident retiree sailor saint saleswoman salesman scientist sculptor seaman secretary seller senator sergeant "
    "servant shareholder sheriff singer sister skipper soldier solicitor son speaker spouse steward stewardess student "
    "subscriber successor supervisor surgeon surveyor suspect tailor teacher technician teenager tenant therapist "
    "trainee trainer translator traveller treasurer trustee tutor umpire uncle vet veterinarian vicar victim visitor "
    "volunteer waiter waitress warden wife winner witness worker writer "
    "archivist bailiff beekeeper bosun brewer chaplain choirmaster concierge cook diver dispatcher forester gamekeeper "
    "housekeeper joiner locksmith machinist mason matron miller nanny navigator organist purser ranger registrar "
    "rigger roofer sexton shepherd stagehand superintendent usher verger vintner weaver welder winemaker"
)
_ANIMALS: Final = word_set("bitch bull cat cow dog foal goat hen hamster horse kitten mare pony puppy rabbit tomcat")
"""Animals that people call he and she."""
_NO_PERSON: Final = word_set("human talisman")


def is_person(word: Word) -> bool:
    """Whether a noun is a person's name, or says what a person is or does.

    >>> [word.text for word in words_of("When did Ada ask the chairwoman of Section B for NASA?") if is_person(word)]
    ['Ada', 'chairwoman', 'Section']
    >>> [word.text for word in words_of("What is the deposit for a rowing boat?") if is_person(word)]
    []
    """
    return word.kind == "noun" and (_is_role(word.low) or _is_named(word))


def _is_role(low: str) -> bool:
    is_compound = bool(re.search(r"(?:man|woman|person)$", low)) and low not in _NO_PERSON
    return low in _ROLES | _ANIMALS or is_compound


def _is_named(word: Word) -> bool:
    """Whether a word has a capital and small letters, no figure, and does not open the question."""
    is_capital = word.start > 0 and word.text[0].isupper() and not word.text.isupper()
    return is_capital and not any(letter.isdigit() for letter in word.text)


def speaks_of_person(question: str) -> bool:
    """Whether a question names a person or asks for one.

    >>> speaks_of_person("Who has the keys?"), speaks_of_person("Where is the captain's cabin?")
    (True, True)
    """
    words = words_of(question)
    return any(word.low in _WHO or is_person(_owner(word)) for word in words)


def _owner(word: Word) -> Word:
    """Return whose a thing is: `captain` for `captain's`; a word without an ending as it stands."""
    text = re.sub(r"(?:['’]s|['’])$", "", word.text)
    return Word(text, word.start, word.start + len(text), word.kind)
