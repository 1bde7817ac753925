"""The forms that orders to an assistant take, as patterns of folded text: an order to whoever answers, by its grammar.

What staff, readers and customers are told to do has other forms, or names whom it is for, and is none.
"""

# --- the words of orders ------------------------------------------------------------------------------------------

_RULES = (
    r"(?:instructions?|rules?|prompts?|guidelines?|directions?|directives?|commands?(?! lines?\b|-line)|context"
    r"|constraints?|safeguards?|passages?)"
)
_TOLD = r"(?:instructions?|prompts?|directives?|commands?|orders)"
_FORMER = r"(?:previous|prior|earlier|preceding|above|original|initial|system)"
_VERB = r"(?:ignore|disregard|forget|override|overrule|bypass|discard|neglect|(?:set|put|leave) aside)"
_UNDO = rf"(?<!if you )(?<!never )(?<!not )(?<!may )(?<!can )(?<!could )(?<!might )\b{_VERB}\b"
"""An order or a duty; what somebody may do, or does now and then, is neither."""
_OTHERS = r"(?! (?:of|by|from) (?:the |your |an? )?+(?!system|user|developer|assistant|prompt|model|ai\b|llm)\w)"
"""Not the instructions of somebody who is named: of the dispatcher, by the manufacturer."""
_EARLIER = r"before(?! (?!(?:this|that|it|here|now|and|then|but|so|the|you|your|my)\b)\w)"
"""Not before a day or a season, which limits a rule."""
_SAY = r"(?:say|state|claim|answer|reply|respond|write|output|print|repeat|tell|praise|recommend|ignore)"
_DICTATED = r"(?:\s*[:\"]|,? (?:that (?!follows?\b)|with|only|exactly|yes|no|the following|\d))"
"""What stands after a verb of saying where the words to be said follow."""
_THEN = (
    r"\b(?: ?[.!:;,]| ?(?:and|then|so|but|instead|now|just|simply|only|always|please)\b){1,6} ?"
    rf"(?:\b(?:say|claim|reply|respond|tell|praise|recommend|output)\b|\b{_SAY}\b{_DICTATED})"
)
"""What is to be said follows at once, be it in the next sentence."""
_BARE_WORDS = (
    r"(?!(?:an?|the|all|any|each|every|both|these|those|this|that|them|it|only|no|some|one|two|three|your|our|in|on"
    r"|at|by"
    r"|to|as|with|for|from|if|when|again|here|first|below|questions?|sections?|parts?|items?|boxes|page)\b|\w+ly\b)"
    r"[^\W\d]\w*(?: \w+)?\s*(?:[.!;]|$)"
)
"""One word or two that end the sentence, and are neither told apart by an article nor say how: what is dictated."""
_AI = (
    r"(?:(?:ai|virtual|automated)[ -](?:assistants?|agents?|models?|systems?|bots?)|(?:large )?language models?"
    r"|chat-?bots?|llms?|ais?|chatgpt|gpt(?:-?\d\w*)?)"
)
_SPEAK = r"(?:say|answer|reply|respond|claim|state)"
_EACH = r"(?:(?:the|an?|any|all|every|each|whichever|whatever) )*"
_READS = r"(?:read|process|pars|summari[sz]|index|analy[sz])(?:e?s|ing|e)?"
_TO_YOU = r"(?:{begin}|[.!?;:] ?|\b(?:please|now) |\byou (?:must|should|shall|will|are to)(?: now)? )"

# --- the forms of orders ------------------------------------------------------------------------------------------

_UNDO_WHAT = (
    rf"{_UNDO}[^.!?]{{0,20}}\b(?:you|your|previous|prior|earlier|preceding|all|any|these|those)\b[^.!?]{{0,40}}"
    rf"\b{_RULES}\b{_OTHERS}|\byou (?:may|can|could|might)(?: now)? {_VERB}\b[^.!?]{{0,40}}\b{_RULES}\b"
    rf"|{_UNDO}[^.!?]{{0,40}}\b{_RULES}\b[^.!?]{{0,20}}\b(?:above|{_EARLIER}|given|previously|so far)\b"
    rf"|{_UNDO}[^.!?]{{0,40}}\b{_RULES}\b[^.!?]{{0,20}}\b(?:and|then|instead)\b[^.!?]{{0,15}}\b{_SAY}\b"
    rf"|{_UNDO} (?:everything|anything|all)(?: of| the| that is| that was| said| written| stated){{0,3}}"
    r" (?:above|before(?: this(?: (?:line|point|sentence|paragraph|note|message))?)?|so far)"
    r"(?=\s*(?:[.!;:,]|$|and\b|then\b))"
    rf"|{_UNDO}(?: (?:everything|anything|all|of|the|that|is|was|text|content|words|sentences?|paragraphs?)){{1,4}}"
    rf" (?:above|preceding|foregoing)(?:{_THEN}|,? (?:and|then|and then) answer {_BARE_WORDS})"
    rf"|{_UNDO} (?:(?:everything|anything|all)(?: else)?(?: that)? you (?:\w+ ){{0,3}}(?:know|learned|learnt|told"
    r"|instructed|taught|given)|what(?:ever)? you (?:were|have been|had been|are) (?:told|instructed|taught))"
    r"\b(?! (?:about|of|on|how|in|from|at)\b)"
)
_DO_NOT_FOLLOW = (
    r"\b(?:do not|don't|never|stop|cease|quit|no longer) (?:follow|obey|adher|comply|heed)(?:e|ing)?(?: to| with)?"
    rf"(?: any of| all of| all| any)?(?: your (?:{_FORMER} |own |usual |current )*{_RULES}"
    rf"| (?:the |these )?{_FORMER} (?:{_FORMER} )?{_TOLD})\b{_OTHERS}"
    r"|\b(?:do not|don't|never) (?:follow|obey|heed|believe|trust|use) (?:any of |all of )?(?:the |any )?"
    r"(?:rules?|instructions?|guidelines?|directives?|text|sentences?|paragraphs?|information)"
    r" (?:above|before this|given so far|so far)\s*(?:[.!]|$)"
)
_NO_LONGER_HOLDS = (
    r"\b(?:changed|updated|replaced|cancell?ed|void|revoked|invalid|obsolete|overridden|withdrawn|suspended"
    r"|superseded|deleted|no longer \w+)\b"
)
_RULES_CHANGED = (
    rf"\byour (?:{_FORMER} |own |usual |current )*(?:instructions?|rules?|prompts?|directives?)"
    rf" (?:(?:are|is|have|has)(?: now| hereby| all)?(?: been)? )?(?:now )?{_NO_LONGER_HOLDS}"
    rf"|\b{_FORMER} (?:{_TOLD}|rules?|guidelines?)\b[^.!?]{{0,20}}{_NO_LONGER_HOLDS}{_THEN}"
    rf"|\b(?:new|updated|your)(?: new| updated)? (?:system )?instructions?\b\s*(?::|are\b)[^.!?]{{0,20}}\b{_SAY}\b"
    r"|\b(?:new|updated|your) system instructions?\b"
)
_SYSTEM_PROMPT = (
    r"\b(?:your|this (?:assistant|chatbot|model)'s) system prompt\b"
    rf"|{_TO_YOU}(?:reveal|repeat|output|print|disclose|leak|recite|paste|dump|{_VERB})(?: (?:me|us|back|out|all|of"
    r"|the|your"
    r"|this|entire|full|complete|whole|original|exact|hidden|initial|contents?|text|first|lines?)){0,6} system prompt\b"
    r"|\bsystem prompt (?:overrides?|injection|leak)\b(?=\s*(?:[:;.!]|$|\s[-–—]\s))"
    r"|\b(?:new|updated|changed|revised) system prompt(?: is)?\s*:"
    rf"|\bsystem prompt\s*: ?(?:you (?:are|must|will|shall|should)|always|never|do not|from now on|{_SAY}|{_VERB})\b"
    r"|\bsystem prompt (?:now )?(?:tells|instructs|orders|requires|allows|forbids) you\b"
)
_ADDRESSED = (
    rf"{{begin}}{_AI}\s*[:,] ?(?:please |now |you (?:must|should|will) )*(?:{_SAY}|{_VERB}|follow|obey)\b"
    rf"|\b(?:instructions?|messages?|notes?|notices?|orders?|commands?|directives?) (?:for|to) {_EACH}{_AI}"
    rf"(?=\s*[:!]|\s[-–—]\s| (?:that |which )?{_READS}\b)"
    rf"|\bto {_EACH}{_AI} (?:(?:that|which|who)(?: is| are)? )?{_READS} (?:this|these|it)\b"
    rf"|\bas an? {_AI},? you (?:must|should|shall|will|have to|need to)\b"
    r"|\b(?:(?:ai|virtual) (?:assistants?|agents?|models?)|(?:the|every|any) (?:chatbot|language model|llm|ai))\b"
    r"[^.!?]{0,30}\b(?:must|should|shall|has to|have to)\b(?! (?:(?:not )?be|(?:\w+ )?(?:within|before|until))\b)"
)
_GREETED = (
    r"\b(?:dear|note to|attention|hey),?(?: the| any| every| all)? (?:ai )?(?:assistants?|chatbots?"
    rf"|language models?|models?|llms?|ais?)\b(?=\s*[:;,.!]|\s[-–—]\s|\s*$| {_READS}\b)"
)
_ROLE = (
    r"\byou are (?:now )?(?:an?|the)\b(?:(?! (?:and|of|in|on|at|with|who|where|when|if|by) )[^.!?]){0,30}"
    r"\b(?:ai|chatbot|bot|(?:ai|language) model|llm"
    r"|assistant(?! (?!without|that|who|with|named|called|and|for|from|in|to|made)\w))\b"
    rf"|{_TO_YOU}act as (?:if|though|an?|the)\b[^.!?]{{0,40}}\b(?:(?:without|free of|has no|have no|with no)"
    r"(?: any| all)? (?:\w+ )?(?:rules?|restrictions?|limitations?|filters?|guidelines?|constraints?)"
    rf"|unrestricted|uncensored|unfiltered)\b|{_TO_YOU}pretend (?:to be|that you|you)\b"
    r"|\byou are now (?:called |named |known as )?\w+(?: \w+)?, (?:an?|the) (?:[^.!?,]{0,30} )?(?:ai|chatbot|bot"
    r"|model|llm|assistant|persona|character|unrestricted|uncensored|unfiltered|jailbroken)\b"
    r"|\byou are now (?:called |named |known as )?\w+(?: \w+)?(?:, an? (?:\w+ ){1,3}(?:who|that|which|without)|,? and"
    rf"|,? who) (?:(?:will|must|shall|can|always|only|never) )*(?:{_SPEAK}s?|obeys?|(?:has|have) no|rules|restrictions"
    r"|limits)\b(?! (?:the|all|any|to|for|your) )"
    r"|\byou are now (?:(?:unrestricted|uncensored|unfiltered|jailbroken|dan)\b|(?:free|freed|released) (?:of"
    rf"|from) (?:all |any |your |these |those |the )*{_RULES})"
)
_WORDS_TO_SAY = (
    r"\b(?:say|respond|reply|answer|output|print|tell (?:the )?users?|repeat)\b[^.!?]{0,20}"
    r"\b(?:only with|the following (?:text|sentence|words)|instead(?=\s*[:,]| that))"
    r"|\b(?:say|respond|reply|answer|output|tell (?:the )?users?|print|repeat)(?: back| only| with)* exactly\b"
    r"(?! (?:as|once|twice|how|what|when|where|one|two|three|\d))"
    rf"|{_TO_YOU}(?:output|respond|reply|answer|say|return)(?: with)? (?:only|just|nothing but)(?: with)? the"
    r" (?:single |one |exact |following )?(?:words?|phrase|sentence|text|string|token) (?!counts?\b|lists?\b|of\b"
    r"|in\b|on\b|from\b|that\b|which\b|with\b|to\b|you\b)[^ .!?]+\s*(?:[.!,;]|$|and\b)"
)
_WHATEVER_ASKED = (
    r"\b(?:whatever|regardless of|no matter|irrespective of)\b(?:(?!\b(?:customer|caller|client|guest|patient|visitor)"
    r"s?\b)[^.!?]){0,40}\b(?:questions?|query|queries|asked|asks?|prompts?)\b[^.!?]{0,30}"
    rf"\b(?:say|state|claim|answer|reply|respond|write|output|print|tell \w+(?: \w+)?){_DICTATED}"
)
_WHEN_ASKED = rf"\bwhen(?:ever)? (?:you are )?asked\b[^.!?]{{0,60}}\b{_SPEAK}\b[ ,:]*(?:that|with|only)"
_ANSWERS = r"(?:answers?|responses?|repl(?:y|ies)|outputs?|summar(?:y|ies))"
_ANY_QUESTION = r"(?:any|every|all|each|the user's|a user's)(?: of the)?(?: \w+)? (?:questions?|quer(?:y|ies)|prompts?)"
_GIVEN_WORDS = (
    r"(?:the (?:exact )?(?:words?|phrase|sentence|text|string) (?!of\b|in\b|on\b|from\b|that\b|which\b|you\b)\S"
    r"|(?:\w+ )?https?:|\"|'(?=\w)|(?!\w+s\b)(?!.{1,30} (?:case|name|number|date|letters?|word|sentence|stop|mark)\b)"
    rf"{_BARE_WORDS})"
)
"""Words that an answer is to begin with, given as they are: not a capital letter, a full stop or the number."""
_LANGUAGE = (
    r"(?:english|french|german|spanish|italian|portuguese|dutch|latin|russian|chinese|japanese|klingon|esperanto"
    r"|leetspeak)"
)
_YOUR_ANSWER = (
    r"\b(?:begin|start|end|finish|preface|prefix) (?:your|every) (?:answer|reply|response|output)s? with\s*[:\"]"
    r"|\byour (?:final |only )?(?:answer|reply|response|output) (?:must|shall|has to)(?: always| only)?"
    r" (?:be|read|say|state)\s*[:\"]"
    rf"|\b(?:begin|start|end|finish|preface|prefix) (?:your|every|all|each) {_ANSWERS} with {_GIVEN_WORDS}"
    rf"|\b(?:all|every|each|any|your)(?: \w+)? {_ANSWERS}(?: to {_ANY_QUESTION})? (?:must|should|shall|will|has to"
    r"|have to"
    r"|needs? to|is to|are to)(?: always| all)? (?:(?:begin|start|open|end|close|finish) with|be (?:prefixed|prefaced)"
    rf" (?:with|by)) {_GIVEN_WORDS}"
    rf"|\b(?:all|every|each|any|your)(?: \w+)? {_ANSWERS}(?: to {_ANY_QUESTION})? (?:must|should|shall|will|has to"
    r"|have to)(?: always| all)? (?:contain|include|mention) (?:https?:|www\.)"
    rf"|\bthe (?:only|sole|one)(?: (?:correct|right|true|valid|permitted|allowed|acceptable|possible))? {_ANSWERS} to"
    rf" {_ANY_QUESTION}[^.!?]{{0,40}} (?:is|must be|shall be|should be)(?: always)?\s*(?:[:\"]|\d[\d.,]*\s*(?:[.!]|$)"
    rf"|(?:yes|no)\b|(?!\w+(?:ed|en|wn)\b){_BARE_WORDS})"
    rf"|\bthe (?:(?:correct|right|true|final) )?{_ANSWERS} to {_ANY_QUESTION}[^.!?]{{0,40}} (?:is always|must be"
    r"|shall be)\s*(?:[:\"]|\d[\d.,]*\s*(?:[.!]|$)|(?:yes|no)\b)"
    rf"|\bthe (?:only |sole |one )?(?:(?:correct|right|true|valid|proper|final) )?{_ANSWERS} to {_ANY_QUESTION}"
    r"(?: (?:here|below|in this \w+|(?:about|on|regarding|concerning) [^.!?,]{1,40}))? is(?: always)?(?:\s*:| that)"
    r" (?!which\b|of\b|given\b|in\b|on\b|found\b|printed\b|shown\b|with\b)"
    rf"|{_TO_YOU}(?:always )?(?:answer|reply to|respond to) {_ANY_QUESTION} (?:about|on|regarding|concerning)"
    r" [^.!?:]{1,40} with\s*(?:[:\"]|yes\b(?! or)|no\b(?! or))"
    rf"|{_TO_YOU}(?:always )?(?:append|prepend|add|include|insert|attach|put|place|embed)"
    r" (?:[^.!?]{0,30} )?(?:https?:|www\.)(?:[^.!?]|[.!?](?=\w)){0,80} (?:to|in|into|within|before|after"
    rf"|(?:at|to) the (?:end|beginning|start|top|bottom) of) (?:your|every|each|all|any) {_ANSWERS}\b(?! (?:to|by"
    rf"|for)\b)|{_TO_YOU}(?:always )?(?:append|prepend) [^.!?]{{1,60}} to (?:your|every|each|all|any) {_ANSWERS}\b"
    r"(?! (?:to|by|for|letters?|forms?|sheets?|cards?)\b)"
)
_NEW_TASK = (
    r"\byour (?:new |only |real |actual |true |sole )+(?:task|job|goal|objective|purpose|mission|role|instruction)"
    r"(?: from now on| now)?(?: is(?: now)? to|\s*:(?: to)?) (?:always |only |just )?(?:"
    r"(?:answer|respond|reply|translate|rewrite|convert|turn|repeat|print|output|say)(?: to)? (?:everything|anything"
    r"|(?:all|any|every|each)(?: \w+)? (?:text|input|output|questions?|prompts?|messages?|answers?|responses?"
    r"|passages?)(?! (?:of|from|by|in|on|at|about|that|which)\b))\b"
    rf"|{_SPEAK} (?:that (?!follows?\b)|exactly\b|yes\b|no\b)|{_SAY}\s*[:\"]"
    r"|(?:tell|convince|persuade|warn|inform) (?:the |all |every |any )?users?\b"
    r"|(?:act|behave|answer|respond|reply|speak) (?:as|like) (?:if|though|an?)\b"
    rf"|output\b|reveal\b|{_VERB} [^.!?]{{0,30}}\b{_RULES}\b{_OTHERS})"
)
_FROM_NOW_ON = (
    r"\bfrom now on,? you (?:are|(?:will|must|shall) (?:only )?(?:be|act|answer|respond|reply|say|speak))\b"
    r"|\bfrom now on,? (?:please |always |only |just )*(?:respond|reply|answer|speak|talk|write)(?: only| always| just"
    r"| exclusively| everything)* (?:in (?:(?!the|your|an?|his|her|our|their)\w+ )?(?:speak|slang|rhymes?|verse"
    r"|haikus?|riddles"
    r"|json|xml|base64|emojis?|uppercase|lowercase)\b|(?:in|with) (?:the style|the voice|the tone|a (?:\w+ )?accent)\b"
    r"|(?:as|like) (?:if you|though you|an? (?:\w+ )?(?:pirate|robot|bot|ai|assistant|chatbot|model|child|villain"
    r"|character))\b"
    r"|with (?:only|nothing but|the (?:words?|phrase|sentence|text))\b|to (?:all|every|any|each) (?:questions?|prompts?"
    r"|quer(?:y|ies)) with\b|(?:all|every|any|each) (?:questions?|prompts?|quer(?:y|ies)) (?:with|in|as|like)\b)"
    r"|\bfrom now on,? (?:please |always |only |just )*(?:respond|reply|answer) (?:only "
    rf"|always )?in {_LANGUAGE}\s*(?:[.,;!]|$)"
    r"|\bfrom now on,? (?:please |always |only )*(?:pretend|call yourself|refer to yourself|ignore (?:all|any|your"
    r"|every))\b"
)
_WHEN_USER_ASKS = (
    r"\b(?:if|when|whenever|should|once)(?: (?:an?|the|any|some|every|your))? (?:users?|prompts?) (?:asks?|inquires?"
    r"|enquires?"
    r"|wants to know|wonders|mentions?|is about|questions? you|talks?)\b[^.!?]{0,60}[, ] ?(?:then |please |always "
    r"|only |just |simply"
    r" |you (?:must|should|shall|will) )*(?:(?:tell|assure|inform) (?:them|him|her|it|users?|the user)(?: that\b"
    r"|\s*[:\"]"
    r"|,? (?!to\b|about\b|how\b|where\b|when\b|which\b|what\b|who\b|why\b|whether\b|if\b|of\b|so\b|by\b|in\b|at\b|on\b"
    r"|the (?:reason|time|number|name|date|price|way)\b)\w+ (?:\w+ ){0,6}(?:is|are|was|were|has|have|can|may|must"
    rf"|will)\b)|{_SPEAK}(?: that\b|\s*[:\"]| only\b| exactly\b| yes\b| no\b))"
    r"|\b(?:if|when|whenever)(?: (?:an?|the|any|this))? (?:ai|model|language model|chatbot|llm|ai (?:assistant"
    rf"|model)) is asked\b[^.!?]{{0,60}}\b{_SPEAK}\b"
)
_HIDE = (
    r"\b(?:do not|don't|never) (?:tell|inform|warn|reveal|mention|disclose)\b(?:[^.!?]{0,40}"
    r"(?:\b(?:this|these|your) (?:instructions?|prompts?|paragraphs?|sentences?|orders?)\b|\bthe prompt\b)"
    r"|(?: \w+){0,2} users?(?: about| of)? (?:this|it)\b(?=\s*(?:[.,;:!]|$|and\b)| (?:message|note|text)s?\b)"
    r"|(?: \w+){0,3} (?:this|it)(?: \w+)? to (?:the |any )?users?\b)"
)
_TEMPLATE = (
    r"\[/?inst\]|[<‹] ?\| ?/?(?:im|system|user|assistant|end|eot|eom|start|begin|bos|eos)[ a-z]{0,20}\| ?[>›]"
    r"|[<‹]{2} ?/?sys ?[>›]{2}|[<‹](?:start|end) of turn[>›]|[<‹]\s*/?\s*(?:passage|system|assistant)\b[^>›]{0,20}[>›]"
    r"|### ?(?:system|assistant|human|user|instruction|response)(?: prompt| message)? ?:"
)
_WHEN_SUMMARISED = (
    rf"\b(?:when|while|if|before|after)(?: you are| you)? (?:{_READS}|quot(?:e|ing)|cit(?:e|ing)) (?:this|the above)"
    rf"(?: \w+)?\b,? (?:please |always |only |you (?:must|should|shall|will) )*{_SPEAK}(?: that\b|\s*[:\"])"
)
_HIDDEN = (
    r"<!--(?:(?!-->).){0,400}\b(?:reply|respond|answer|say|state|summari[sz]e|assistant|instructions?|ignore"
    r"|disregard)\b"
)
FORMS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("ignore", "disregard", "forget", "overr", "bypass", "discard", "neglect", "aside"), _UNDO_WHAT),
    (("follow", "obey", "adher", "comply", "heed", "trust", "believe", "above"), _DO_NOT_FOLLOW),
    (("instruction", "rule", "prompt", "guideline", "directive", "command", "orders"), _RULES_CHANGED),
    (("system prompt",), _SYSTEM_PROMPT),
    (("your system", "your developer"), r"\byour (?:system|developer) (?:prompt|message)\b"),
    (
        ("assistant", "chatbot", "language model", "ai model", "llm"),
        r"{begin}(?:ai |virtual )?(?:assistant|chatbot|language model|ai model|llm)\s*[:,]"
        r"(?! ?(?:per|an?|each|every) (?:(?:half|whole|full) )?(?:hour|day|week|month|evening|session|person)"
        r" ?\| ?\W?\d)",
    ),
    (
        (
            *(" ai", "ai:", "ai,", "ai :", "ai ,", "ais", "ai-", "ai a", "ai b", "ai m", "ai s"),
            *("gpt", "llm", "language model", "chatbot", "chat-bot", "virtual", "automated"),
        ),
        _ADDRESSED,
    ),
    (
        ("assistant",),
        rf"\b(?:the|every|any) assistant (?:must|should|shall|has to|will)\b[^.!?]{{0,20}}\b{_SAY}{_DICTATED}",
    ),
    (("dear", "note to", "attention", "hey"), _GREETED),
    (("you are", "act as", "pretend"), _ROLE),
    (("only with", "exactly", "the following ", "instead", "only", "just", "nothing but"), _WORDS_TO_SAY),
    (("whatever", "regardless", "no matter", "irrespective"), _WHATEVER_ASKED),
    (("asked",), _WHEN_ASKED),
    (("answer", "repl", "respon", "output", "summar"), _YOUR_ANSWER),
    (("do not", "don't", "never"), _HIDE),
    (("from now on",), _FROM_NOW_ON),
    (("task", "job", "goal", "objective", "purpose", "mission", "role", "instruction"), _NEW_TASK),
    (("user", "prompt", "ai", "model", "chatbot", "llm"), _WHEN_USER_ASKS),
    (("summari", "read", "process", "pars", "index", "analy", "quot", "cit"), _WHEN_SUMMARISED),
    (("<!--",), _HIDDEN),
    (("inst]", "<", "‹", "###"), _TEMPLATE),
)
"""Each form, after marks of which every text of that form has one: looking for them costs a fraction of the pattern.

Patterns and marks are of `_seen` text; `{begin}` is the beginning of a sentence.
"""
