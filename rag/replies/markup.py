"""Markup of thinking, of chat templates and of HTML, taken out of a text that is still growing."""

import re
from typing import Final

_THOUGHT = r"(?:seed:)?think(?:ing)?|thoughts?|reasoning|reflection|analysis|scratchpad|tool_calls?"
_ROLES = "assistant|model|user|system|developer|tool|human"
_CLOSES = rf"</(?:{_THOUGHT})>|<\|end_(?:of_)?(?:thought|thinking)\|>|\[/THINK\]|◁/think▷|<channel\|>|assistantfinal"
_MARKUP = re.compile(
    rf"(?P<think><(?:{_THOUGHT})>|<\|(?:begin_of|start)_(?:thought|thinking)\|>|\[THINK\]|◁think▷)"
    rf"|(?P<closes>{_CLOSES})"
    r"|<\|channel\|?>[ \t]{0,4}(?P<channel>\w{1,20})(?P<header>[^\n]{0,80}?(?:<\|message\|>|\n))?"
    rf"|(?P<role><(?:\|(?:im_)?start\||start_of_turn|\|start_header_id\|)>\s{{0,4}}(?:(?:{_ROLES})(?![a-z]))?)"
    r"|<(?P<tag>cite|citation|ref|source)>\s{0,4}\[?(?P<cited>\d{1,3}(?:, ?\d{1,3}){0,2})\]?\s{0,4}</(?P=tag)>"
    r"|<passage (?P<passage>\d{1,3})>"
    r"|<sup>\s{0,4}(?P<raised>\d{1,2}(?:, ?\d{1,2}){0,3})\s{0,4}</sup>"
    r"|(?P<item><li>)|(?P<line><br ?/?>|</?(?:p|li|ul|ol|div)>)"
    r"|(?P<token><[|｜][^<>\n]{1,40}[|｜]>|</?s>|<(?:end_of_turn|eos|bos|pad|unk)>|</?passage \d{1,3}>"
    r"|\[/?INST\]|<<?/?SYS>>?|</?(?:final[_ ]?)?(?:answer|response|output)>)"
    r"|(?P<style></?(?:b|i|u|em|strong|mark|span|cite|sup|sub|code|co: ?\d{1,2})>)",
    re.IGNORECASE,
)
_THOUGHT_ENDS: Final = re.compile(_CLOSES, re.IGNORECASE)
_CHANNEL_ENDS: Final = re.compile(r"(?=<\|(?:end|start|channel|return|call)\|?>)|<channel\|>")
_OPEN = re.compile(r"<[^<>\n]{0,60}\Z")  # text at the end that may turn out to be markup
_BROKEN = re.compile(r"<[|｜/][^<>\n]{0,60}\Z")  # markup that the end of the stream cut off
_AHEAD = 32  # characters after a piece of markup that must be known: a role may follow, or `</cite>`
_LONGEST_HEADER = 120
_LONGEST_END = 40
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Visible:
    """Keeps of a growing text what its readers may see.

    Attributes:
        thought: Whether there were thoughts.
        withdrawn: Whether all that was returned before turned out to be thoughts, by their end without a beginning.
            Whoever reads this sets it back.
    """

    def __init__(self) -> None:
        self.thought = False
        self.withdrawn = False
        self._held = ""
        self._until: re.Pattern[str] | None = None

    def feed(self, piece: str, *, last: bool = False) -> str:
        """Return what of the text is known to be visible since the last call; `last`: no more will come."""
        text, place = self._held + piece, 0
        shown: list[str] = []
        known = len(text) if last else len(text) - _AHEAD
        while True:
            if self._until:
                end = self._until.search(text, place)
                if end is None:
                    place = len(text) if last else max(place, len(text) - _LONGEST_END)
                    break
                self._until, place = None, end.end()
            mark = _MARKUP.search(text, place)
            if mark is None or mark.end() > known or (not last and _may_grow(mark)):
                stop = min(known, mark.start() if mark else known, len(text) if last else _safe(text))
                shown.append(text[place : max(place, stop)])
                place = max(place, stop)
                break
            shown.append(text[place : mark.start()])
            place = mark.end()
            self._read(mark, shown)
        self._held = text[place:]
        return _BROKEN.sub("", "".join(shown)) if last else "".join(shown)

    def _read(self, mark: re.Match[str], shown: list[str]) -> None:
        if mark["closes"]:
            self.thought = self.withdrawn = True
            shown.clear()
        elif mark["think"] or (mark["channel"] and not mark["channel"].casefold().startswith("final")):
            self.thought = True
            self._until = _THOUGHT_ENDS if mark["think"] else _CHANNEL_ENDS
        else:
            shown.append(_instead(mark))


def _may_grow(mark: re.Match[str]) -> bool:
    """Return whether the header of a channel may be longer than what is known of it."""
    return bool(mark["channel"]) and not mark["header"] and len(mark.string) - mark.start() < _LONGEST_HEADER


def _safe(text: str) -> int:
    """Return up to where no markup begins that is not whole yet."""
    begun = _OPEN.search(text, max(0, len(text) - _AHEAD - 60))
    return begun.start() if begun else len(text)


def _instead(mark: re.Match[str]) -> str:
    if mark["cited"] or mark["passage"]:
        return f" [{mark['cited'] or mark['passage']}] "
    if mark["raised"]:
        return mark["raised"].translate(_RAISED)
    if mark["item"]:
        return "\n- "
    return "" if mark["style"] else "\n" if mark["line"] else "\n\n"


def visible(text: str) -> str:
    """Return what of a whole reply its readers may see.

    >>> visible("<think>Gloves?</think>Wear gloves [1].<|im_end|>").strip()
    'Wear gloves [1].'
    """
    return Visible().feed(text, last=True)


def only_thinks(text: str) -> bool:
    """Return whether a whole reply holds thoughts and nothing else.

    >>> only_thinks("<think>The user asks about"), only_thinks("<think>So</think>Wear gloves."), only_thinks("")
    (True, False, False)
    """
    reply = Visible()
    return not reply.feed(text, last=True).strip() and reply.thought
