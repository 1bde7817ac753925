"""Direction words of general English: negation, antonyms, quantifiers, modality, irregular forms. Ground floor."""

from functools import lru_cache

from rag.language.text import stems


def word_set(words: str) -> frozenset[str]:
    """Return the words of a text, as a set."""
    return frozenset(words.split())


_IRREGULAR = (
    "wear:wore,worn take:took,taken give:gave,given make:made keep:kept hold:held find:found build:built send:sent "
    "write:wrote,written begin:began,begun break:broke,broken choose:chose,chosen drive:drove,driven eat:ate,eaten "
    "fall:fell,fallen fly:flew,flown forget:forgot,forgotten get:got,gotten go:went,gone grow:grew,grown "
    "hear:heard know:knew,known lead:led leave:left lose:lost mean:meant meet:met pay:paid rise:rose,risen run:ran "
    "say:said see:saw,seen sell:sold shrink:shrank,shrunk speak:spoke,spoken spend:spent stand:stood "
    "steal:stole,stolen swim:swam,swum teach:taught tell:told think:thought understand:understood win:won "
    "bring:brought buy:bought catch:caught become:became come:came deal:dealt draw:drew,drawn drink:drank,drunk "
    "feed:fed feel:felt fight:fought freeze:froze,frozen hide:hid,hidden lay:laid lend:lent light:lit prove:proven "
    "ride:rode,ridden ring:rang,rung seek:sought shake:shook,shaken show:shown sing:sang,sung sink:sank,sunk "
    "sit:sat sleep:slept stick:stuck strike:struck swear:swore,sworn tear:tore,torn throw:threw,thrown "
    "wake:woke,woken weave:wove,woven withdraw:withdrew,withdrawn bind:bound bear:bore,borne bend:bent "
    "beat:beaten overtake:overtook,overtaken undertake:undertook,undertaken overcome:overcame rebuild:rebuilt "
    "repay:repaid override:overrode,overridden oversee:oversaw,overseen foresee:foresaw,foreseen "
    "withstand:withstood forgive:forgave,forgiven mistake:mistook,mistaken sweep:swept slay:slew,slain "
    "bite:bit,bitten blow:blew,blown breed:bred burn:burnt dig:dug dwell:dwelt flee:fled grind:ground hang:hung "
    "learn:learnt shine:shone shoot:shot spin:spun spread:spreads undergo:underwent,undergone child:children "
    "man:men woman:women foot:feet tooth:teeth mouse:mice person:people life:lives leaf:leaves half:halves "
    "criterion:criteria bacterium:bacteria datum:data annual:yearly analysis:analyses hypothesis:hypotheses "
    "phenomenon:phenomena index:indices matrix:matrices"
)
_BASE = {form: entry.split(":")[0] for entry in _IRREGULAR.split() for form in entry.split(":")[1].split(",")}

_OPPOSITES = (
    "increase rise raise grow gain expand elevate boost enhance strengthen upregulate improve/decrease reduce "
    "decline drop fall shrink lessen diminish lose weaken downregulate worsen lower|high higher highest/low lower "
    "lowest|more most greater greatest/less least fewer smaller fewest|maximum max upper/minimum min lower|large "
    "big larger/small little smaller|long longer/short shorter|early earlier/late later|before prior/after|above "
    "over/below under beneath|start begin commence open/end finish stop close cease|allow permit authorize "
    "enable/prohibit forbid ban disallow|accept approve grant/reject deny refuse decline|include contain/exclude "
    "omit|present presence/absent absence|safe/dangerous hazardous|hot warm/cold "
    "cool|wet/dry|true/false|right/wrong|positive/negative|success succeed/failure fail|pass/fail|win/lose|buy "
    "purchase/sell|import/export|lend/borrow|deposit/withdraw|enable/disable|inside indoor inner/outside outdoor "
    "outer|internal/external|left/right|north/south|east/west|northern/southern|eastern/western|top/bottom|front/rear "
    "back|up/down|male/female|man/woman|mandatory compulsory required/optional "
    "voluntary|public/private|full/empty|same identical/different|cause/prevent|promote activate stimulate "
    "induce/inhibit suppress "
    "block|strong/weak|hard/soft|heavy/light|thick/thin|fast/slow|old/new|young/old|rich/poor|good/bad|better/"
    "worse|best/worst|easy/difficult|simple/complex|first/last|always/never|benefit/harm|beneficial/harmful|"
    "profit/loss|asset/liability|acid/base "
    "alkaline|acute/chronic|benign/malignant|systolic/diastolic|input/output|upload/download|push/pull|inhale/"
    "exhale|attach/detach|connect/disconnect|lock/unlock|encrypt/decrypt|insert "
    "add/remove delete|major/minor|majority/minority|agree/disagree|support/oppose|arrive/depart|enter/exit "
    "leave|day/night|summer/winter|horizontal/vertical|temporary/permanent|fixed/variable|survive/die|survival/death "
    "mortality|alive/dead|employer/employee|buyer/seller|landlord/tenant|lender/borrower|plaintiff/defendant|"
    "sender/recipient|credit/debit|gross/net|domestic/foreign|direct/indirect|active/passive|odd/even|visible/"
    "hidden|with/without|until/from|senior/junior|ascending/descending|clockwise/counterclockwise|primary/"
    "secondary"
)
_EXCLUSIVE = (
    "daily weekly monthly quarterly annual hourly fortnightly|monday tuesday wednesday thursday friday saturday "
    "sunday|january february march april may june july august september october november december|spring summer autumn "
    "winter|red blue green yellow black white orange purple brown grey|north south east west|oral intravenous "
    "topical"
)
_SYNONYMS = (
    "require need necessary mandatory obligatory compulsory|approximately roughly around circa|permit allow|"
    "prohibit forbid ban|begin start commence|purchase buy|finish end|assist help|obtain get receive|"
    "show demonstrate|use utilize utilise employ|large big|ensure assure|store keep|"
    "almost nearly|attempt try|recommend advise|contain include comprise|"
    "rise increase grow|raise increase|fall drop decrease|reduce lower decrease|occur happen|weigh weight|wide width|"
    "deep depth|long length|high tall height|toxic poisonous|generate produce|convert transform|formerly previously|"
    "inspect check|total complete|chill cool|discover find|depart leave|construct build erect|choose "
    "select|repair mend|respond reply|sufficient enough|entire whole|additional extra|customer client|staff personnel|"
    "error mistake|establish founded|remain stay|verify confirm|relocate move|film movie|halt stop|owner proprietor|"
    "shut close|rapid fast quick|seldom rarely|physician doctor"
)
_IMPLIED = "acquire:buy purchase"
"""Words that follow from others, and not the reverse: who buys acquires, who acquires a habit buys nothing."""
_NOUNS = word_set(
    "child man woman foot tooth mouse person life leaf half criterion bacterium datum annual analysis hypothesis "
    "phenomenon index matrix"
)
"""Of the irregular forms those that are no verbs: their other forms are no past."""
NEGATIONS = frozenset(
    ("not", "no", "never", "neither", "nor", "none", "cannot", "nobody", "nothing", "nowhere", "hardly", "scarcely")
)
FOREIGN_NEGATIONS = word_set(
    "nicht kein keine keinen keinem keiner keines niemals ne pas jamais aucun aucune nunca jamás não nunca niet geen "
    "nooit inte aldrig ikke ikkje aldri nie ei не нет никогда ні δεν μην لا ليس לא nem değil"
)
"""Denials of languages that are not read otherwise: one side alone has none of them by chance."""
RARELY = word_set("rarely seldom barely")
SHORT_NEGATIONS = word_set("without except excluding lack lacks lacking lacked absence non")
FORWARD_VERBS = word_set(
    "avoid avoids avoided avoiding fail fails failed failing refuse refuses refused refusing unable deny denies denied "
    "prohibit prohibits forbid forbids ban bans disallow disallows forbade refrain refrains refrained unlikely "
    "unaware reject rejects rejected rejecting exclude excludes excluding"
)
CLAUSE_NEGATIONS = word_set(
    "prohibited forbidden banned disallowed barred false untrue myth impossible unavailable unnecessary "
    "disproved disproven refuted excluded"
)
NEUTRAL_AFTER_NOT = word_set(
    "later more less fewer longer higher lower greater exceed exceeds exceeding exceeded only earlier sooner older "
    "younger below above under over surpass"
)
UNSURE = word_set(
    "whether unknown unclear uncertain hypothesis hypotheses hypothesise hypothesize hypothesised hypothesized "
    "speculate speculated debated controversial"
)
HEDGES = word_set(
    "may might possibly perhaps maybe potentially allegedly alleged reportedly suspected supposedly presumably "
    "probably "
    "proposed planned considering proposes plans claims claimed alleges believed rumoured rumored purported "
    "purportedly ostensibly"
)
POSSIBLE = word_set("may might can could")
"""Words that say that something is possible; `allowed`, a permission, says more than that."""
FORMER = word_set("formerly previously originally")
APPROXIMATORS = word_set("almost nearly virtually practically")
_PROSPECTS = (
    "expect intend aim hope plan want try attempt seek promise offer threaten wish propose schedule suppose anticipate"
)
_REQUESTS = "ask order urge invite instruct advise recommend encourage beg request"
OBLIGATIONS = word_set("must shall required mandatory obliged obligatory compulsory")
ADVICE = word_set("should recommended advised advisable recommend recommends encouraged ought")
PERMISSIONS = word_set("may can could might optional permitted allowed")
UNIVERSAL = frozenset(
    ("all", "every", "each", "always", "everyone", "everybody", "everything", "entirely", "completely")
)
EXCLUSIVELY = word_set("only solely exclusively")
MOSTLY = word_set("most mostly usually generally typically majority often frequently many")
PARTIAL = word_set("some sometimes several occasionally partly partially certain few")
LIGHT = word_set(
    "also however therefore thus moreover furthermore additionally specifically overall respectively generally "
    "typically usually including include includes included use used uses using called named known make made makes "
    "provide provides provided say says said state states stated mention mentions mentioned note noted describe "
    "described describes refer refers referred according important importantly see get got become becomes became "
    "take takes took keep kept first second need needs needed ought want allow allows one two various within "
    "since although though upon among via whereas still even yet already always ever either per etc instead "
    "rather while because due order way ways thing things less above below"
)
CELL_VERBS = word_set(
    "reach reached find found list listed locate located situated give given show shown keep kept store stored record "
    "recorded assign assigned apply applies stand stands lie lies cost costs amount amounts equal equals read reads "
    "hold holds contain contains belong belongs call called set name named"
)
"""Verbs that only join the cells of a table's row, where no verb can stand."""
_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "de", "anti", "mis")


@lru_cache(maxsize=65536)
def stem_of(word: str) -> str:
    """Return the stem of one folded word, irregular forms included; empty for a function word.

    >>> stem_of("worn"), stem_of("gloves"), stem_of("the")
    ('wear', 'glove', '')
    """
    found = stems(_BASE.get(word, word))
    return found[0] if found else ""


def _relation_stem(word: str) -> str:
    return stem_of(word) or word


@lru_cache(maxsize=1)
def prospects() -> frozenset[str]:
    """Return the stems of verbs after which `to do` says nothing about its being done: `expect`, `try`."""
    return frozenset(stem_of(word) for word in _PROSPECTS.split())


@lru_cache(maxsize=1)
def requests() -> frozenset[str]:
    """Return the stems of verbs by which somebody is told to do something."""
    return frozenset(stem_of(word) for word in _REQUESTS.split())


_NO_PAST = word_set(
    "ed red bed infrared hundred kindred hatred sacred naked wicked rugged ragged wretched jagged moped "
    "biped quadruped embed imbed watershed woodshed sled bobsled seabed riverbed flowerbed airbed daybed roadbed"
)
_PAST_IN_EED = word_set("agreed disagreed freed decreed guaranteed refereed pedigreed filigreed teed peed keyed")
"""Every other word in `eed` is the verb itself, or a noun: `need`, `feed`, `exceed`."""


def is_past(word: str) -> bool:
    """Return whether a folded word has the form of a past tense or participle.

    >>> is_past("approved"), is_past("took"), is_past("children"), is_past("approve"), is_past("need")
    (True, True, False, False, False)
    """
    if word.endswith("ed") and word not in _NO_PAST:
        return not word.endswith("eed") or word in _PAST_IN_EED
    return word in _BASE and _BASE[word] not in _NOUNS


@lru_cache(maxsize=1)
def _opposites() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for group in _OPPOSITES.split("|"):
        sides = [[_relation_stem(word) for word in side.split()] for side in group.split("/")]
        for one, other in zip(sides, sides[::-1], strict=True):
            for word in one:
                table.setdefault(word, set()).update(other)
    for group in _EXCLUSIVE.split("|"):
        members = [_relation_stem(word) for word in group.split()]
        for word in members:
            table.setdefault(word, set()).update(set(members) - {word})
    return {word: frozenset(others - {word}) for word, others in table.items()}


@lru_cache(maxsize=1)
def _synonyms() -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for group in _SYNONYMS.split("|"):
        members = frozenset(stem_of(word) for word in group.split())
        for member in members:
            table[member] = table.get(member, frozenset()) | members
    return table


@lru_cache(maxsize=16384)
def opposites_of(stem: str) -> frozenset[str]:
    """Return the stems that say the opposite of this one: its antonyms, and itself with or without a negative prefix.

    >>> "reduc" in opposites_of("increas"), "unsaf" in opposites_of("safe"), "coat" in opposites_of("glove")
    (True, True, False)
    """
    return _opposites().get(stem, frozenset()) | negative_forms(stem)


@lru_cache(maxsize=16384)
def negative_forms(stem: str) -> frozenset[str]:
    """Return what this stem would be with a negative prefix, or without its own: `unstabl` for `stabl`."""
    if len(stem) < 4:
        return frozenset()
    bare = [stem[len(prefix) :] for prefix in _PREFIXES if stem.startswith(prefix) and len(stem) - len(prefix) > 3]
    forms = [form for one in bare for form in _endings(one)]
    forms += [prefix + form for form in _endings(stem) for prefix in _PREFIXES]
    return frozenset(forms) - {stem}


def _endings(stem: str) -> tuple[str, ...]:
    """Return a stem with the endings that the stemmer leaves on some forms of a word and not on others."""
    root = stem.rstrip("ei")
    return (stem, root, root + "e", root + "i")


_DENYING = (
    "allow permit authorize/prohibit forbid ban disallow|cover include/exclude|"
    "optional voluntary/mandatory obligatory compulsory require"
)


@lru_cache(maxsize=1)
def _denying() -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for group in _DENYING.split("|"):
        one, other = (frozenset(stem_of(word) for word in side.split()) for side in group.split("/"))
        table |= dict.fromkeys(one, other) | dict.fromkeys(other, one)
    return table


def denials_of(stem: str) -> frozenset[str]:
    """Return the stems that say this one when they are denied: `forbid` for `allow`."""
    return _denying().get(stem, frozenset())


@lru_cache(maxsize=1)
def _implied() -> dict[str, frozenset[str]]:
    entries = (entry.split(":") for entry in _IMPLIED.split("|"))
    return {stem_of(word): frozenset(stem_of(other) for other in others.split()) for word, others in entries}


@lru_cache(maxsize=16384)
def implying(stem: str) -> frozenset[str]:
    """Return the stems that say at least as much as this one, itself included: `buy` for `acquire`."""
    return synonyms(stem) | _implied().get(stem, frozenset())


@lru_cache(maxsize=16384)
def synonyms(stem: str) -> frozenset[str]:
    """Return the stems that mean the same as this one, itself included."""
    return _synonyms().get(stem, frozenset()) | {stem}
