"""Models' replies read by their form: markup, citations, lists. Meaning is judged elsewhere. Ground floor.

Markup of thinking and of chat templates is dropped (`markup`), every form of citation becomes the numbers of passages
(`citations`), lines become sentences (`lines`), and a sentence becomes plain text with its numbers (`sentence`).
`reader` puts these together for a text that is still growing.
"""

from rag.replies.markup import only_thinks as only_thinks
from rag.replies.markup import visible as visible
from rag.replies.reader import ReplyReader as ReplyReader
from rag.replies.reader import reply_sentences as reply_sentences
from rag.replies.reader import sentence_of as sentence_of
from rag.replies.sentence import ReplySentence as ReplySentence
