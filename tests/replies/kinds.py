"""Replies in the forms in which models write, and the sentences with the numbers of passages that they hold."""

from passages import hit

from rag.models import DocumentMetadata
from rag.replies import ReplySentence

PASSAGES = [
    hit("Laminate gloves are required.", page=4, document="safety_manual.pdf"),
    hit("Goggles are worn.", rank=2, document="faq (new).html"),
    hit("Hoods are tested.", rank=3, page=5, document="safety_manual.pdf"),
    hit("Bring a badge.", rank=4, document="entry.docx").model_copy(
        update={"metadata": DocumentMetadata(title="Entry rules")}
    ),
]
GLOVES = "Laminate gloves are required"
HOODS = "Hoods are tested twice a year"
Wanted = list[tuple[str, tuple[int, ...]]]

ONE: Wanted = [(f"{GLOVES}.", (1,))]
BOTH: Wanted = [(f"{GLOVES}.", (1, 3))]

CITATIONS: dict[str, tuple[str, Wanted]] = {
    "in square brackets": (f"{GLOVES} [1].", ONE),
    "behind the full stop": (f"{GLOVES}. [1]", ONE),
    "behind the full stop without a space": (f"{GLOVES}.[1] {HOODS}.[3]", [*ONE, (f"{HOODS}.", (3,))]),
    "one after the other": (f"{GLOVES} [1][3].", BOTH),
    "with a comma": (f"{GLOVES} [1, 3].", BOTH),
    "a range": (f"{GLOVES} [1-3].", [(f"{GLOVES}.", (1, 2, 3))]),
    "a range with a dash": (f"{GLOVES} [1–3].", [(f"{GLOVES}.", (1, 2, 3))]),
    "joined by and": (f"{GLOVES} [1] and [3].", BOTH),
    "joined by a comma": (f"{GLOVES} [1], [3].", BOTH),
    "joined in German": (f"{GLOVES} [1] sowie [3].", BOTH),
    "and within the brackets": (f"{GLOVES} [1 and 3].", BOTH),
    "joined behind the full stop": (f"{GLOVES}. [1] and [3] {HOODS}.", [*BOTH, (f"{HOODS}.", ())]),
    "doubled brackets": (f"{GLOVES} [[1]].", ONE),
    "doubled brackets around two": (f"{GLOVES} [[1], [3]].", BOTH),
    "round and square": (f"{GLOVES} ([1], [3]).", BOTH),
    "round, square and a word": (f"{GLOVES} (see [1]).", ONE),
    "in round brackets": (f"{GLOVES} (1).", ONE),
    "in round brackets behind the stop": (f"{GLOVES}. (1) {HOODS}. (3)", [*ONE, (f"{HOODS}.", (3,))]),
    "round within a sentence is none": ("Step (2) comes first.", [("Step (2) comes first.", ())]),
    "a year in round brackets is none": (f"{GLOVES} (2019).", [(f"{GLOVES} (2019).", ())]),
    "round and more than there are is none": (f"{GLOVES} (9).", [(f"{GLOVES} (9).", ())]),
    "as a footnote": (f"{GLOVES} [^1].", ONE),
    "as a footnote behind the stop": (f"{GLOVES}.[^1] {HOODS}.[^3]", [*ONE, (f"{HOODS}.", (3,))]),
    "with the footnote's text": (f"{GLOVES} [^1].\n\n[^1]: safety_manual.pdf, page 4.", ONE),
    "raised": (f"{GLOVES}¹.", ONE),
    "raised behind the stop": (f"{GLOVES}.¹ {HOODS}.³", [*ONE, (f"{HOODS}.", (3,))]),
    "raised within brackets": (f"{GLOVES} [¹].", ONE),
    "raised by carets": (f"{GLOVES} ^1,3^.", BOTH),
    "raised by one caret is a power": ("It grows by x^2 or x^3.", [("It grows by x^2 or x^3.", ())]),
    "raised with a comma": (f"{GLOVES}¹,³.", BOTH),
    "two raised figures": (f"{GLOVES}¹³.", BOTH),
    "raised by HTML": (f"{GLOVES}<sup>1</sup>.", ONE),
    "a power is none": ("The hall has 20 m² and 5 km².", [("The hall has 20 m² and 5 km².", ())]),
    "a power behind a number is none": ("It holds 10³ litres.", [("It holds 10³ litres.", ())]),
    "an ion is none": ("Sulfate is SO₄²⁻.", [("Sulfate is SO₄²⁻.", ())]),
    "black lenses": (f"{GLOVES}【1】.", ONE),
    "black lenses with source": (f"{GLOVES} 【1†source】.", ONE),
    "black lenses with lines": (f"{GLOVES} 【1†L3-L9】.", ONE),
    "black lenses of another numbering": (f"{GLOVES}【4:0†source】.", [(f"{GLOVES}.", ())]),
    "a link within the page": (f"{GLOVES} [1](#1).", ONE),
    "a link": (f"{GLOVES} [[1]](https://example.org/a).", ONE),
    "escaped": (f"{GLOVES} \\[1\\].", ONE),
    "as code": (f"{GLOVES} `[1]`.", ONE),
    "bold": (f"{GLOVES} **[1]**.", ONE),
    "the word passage": (f"{GLOVES} [Passage 1].", ONE),
    "the word passage, round": (f"{GLOVES} (Passage 1).", ONE),
    "passages": (f"{GLOVES} (see passages 1 and 3).", BOTH),
    "the word twice": (f"{GLOVES} [Passage 1, Passage 3].", BOTH),
    "the word source": (f"{GLOVES} [Source 1].", ONE),
    "with a page": (f"{GLOVES} [1, p. 4].", ONE),
    "with its file": (f"{GLOVES} [1: safety_manual.pdf].", ONE),
    "a tag": (f"{GLOVES} <passage 1>.", ONE),
    "another tag": (f"{GLOVES} <cite>1</cite>.", ONE),
    "a file": (f"{GLOVES} [Source: safety_manual.pdf].", BOTH),
    "a file and page": (f"{GLOVES} [Source: safety_manual.pdf, p. 4].", ONE),
    "a file and page, round": (f"{GLOVES} (safety_manual.pdf, page 5).", [(f"{GLOVES}.", (3,))]),
    "a file and a page that was not given": (f"{GLOVES} [safety_manual.pdf, p. 90].", BOTH),
    "a file without its suffix": (f"{GLOVES} (Source: Safety Manual, page 4).", ONE),
    "a file with brackets": (f"{GLOVES} [Source: faq (new).html].", [(f"{GLOVES}.", (2,))]),
    "a title": (f"{GLOVES} [Entry rules].", [(f"{GLOVES}.", (4,))]),
    "two files": (f"{GLOVES} [safety_manual.pdf, p. 4; entry.docx]", [(GLOVES, (1, 4))]),
    "an unknown source": (f"{GLOVES} [Source: Handbook].", [(f"{GLOVES}.", ())]),
    "a title in a sentence is none": ("Read it (the entry rules say so).", [("Read it (the entry rules say so).", ())]),
    "in words": (
        f"According to passage 1, {GLOVES[0].lower()}{GLOVES[1:]}.",
        [("According to passage 1, laminate gloves are required.", ())],
    ),
    "as the source at the beginning": ("According to [1] and [3], gloves are worn.", [("Gloves are worn.", (1, 3))]),
    "as the source at the end": (f"{GLOVES}, as stated in [1].", ONE),
    "another to be seen": (f"{GLOVES} [1]; see also [3].", BOTH),
    "in the place of a noun": (
        "Compare this with [1] and [3] first.",
        [("Compare this with passages 1 and 3 first.", (1, 3))],
    ),
    "a page alone": (f"{GLOVES} (p. 4).", ONE),
    "a page that was not given": (f"{GLOVES} (p. 90).", [(f"{GLOVES} (p. 90).", ())]),
    "a source and a passage": (f"{GLOVES} (Source: Passage 1).", ONE),
    "as the subject": ("[1] says that gloves are required.", [("Passage 1 says that gloves are required.", (1,))]),
    "before each sentence": (f"[1] {GLOVES}. [3] {HOODS}.", [*ONE, (f"{HOODS}.", (3,))]),
    "within a sentence": ("Wear gloves [1], then goggles [2].", [("Wear gloves, then goggles.", (1, 2))]),
    "on the next line": (f"{GLOVES}.\n[1]\n{HOODS}.\n[3]", [*ONE, (f"{HOODS}.", (3,))]),
    "without a stop": (f"{GLOVES} [1] {HOODS} [3]", [(GLOVES, (1,)), (HOODS, (3,))]),
    "a note in brackets is none": ("[Translated] It rained.", [("[Translated] It rained.", ())]),
    "none at all": (f"{GLOVES}.", [(f"{GLOVES}.", ())]),
}

MARKUP: dict[str, tuple[str, Wanted]] = {
    "think": (f"<think>Gloves? [2]</think>\n\n{GLOVES} [1].", ONE),
    "thinking": (f"<thinking>\nGloves?\n</thinking>{GLOVES} [1].", ONE),
    "think, capitals": (f"<THINK>Gloves?</THINK>{GLOVES} [1].", ONE),
    "think in brackets": (f"[THINK]Gloves?[/THINK]{GLOVES} [1].", ONE),
    "begin of thought": (f"<|begin_of_thought|>Gloves?<|end_of_thought|>{GLOVES} [1].", ONE),
    "think that is not ended": ("<think>The user asks about gloves [1]. I should", []),
    "think that was begun by the template": (f"The user wants gloves.\n</think>\n{GLOVES} [1].", ONE),
    "think in the middle": (f"{GLOVES} [1]. <think>More?</think>{HOODS} [3].", [*ONE, (f"{HOODS}.", (3,))]),
    "channels": (
        "<|channel|>analysis<|message|>Gloves.<|end|><|start|>assistant"
        f"<|channel|>final<|message|>{GLOVES} [1].<|return|>",
        ONE,
    ),
    "channels, the analysis alone": ("<|channel|>analysis<|message|>The user wants gloves.", []),
    "channels without their signs": (f"analysisWe need gloves.assistantfinal{GLOVES} [1].", ONE),
    "a channel on a line": (f"<|channel>thought\nGloves?\n<channel|>{GLOVES} [1].", ONE),
    "a turn": (f"<|im_start|>assistant\n{GLOVES} [1].<|im_end|>", ONE),
    "another turn": (f"<start_of_turn>model\n{GLOVES} [1].<end_of_turn>", ONE),
    "a header": (f"<|start_header_id|>assistant<|end_header_id|>\n\n{GLOVES} [1].<|eot_id|>", ONE),
    "an end in wide strokes": (f"{GLOVES} [1].<｜end▁of▁sentence｜>", ONE),
    "INST": (f"[/INST] {GLOVES} [1]. [INST]", ONE),
    "end of sequence": (f"<s> {GLOVES} [1].</s>", ONE),
    "an end cut off": (f"{GLOVES} [1].<|im_e", ONE),
    "answer": (f"<answer>{GLOVES} [1].</answer>", ONE),
    "the fence of a passage": (f"<passage 1>\n{GLOVES}.\n</passage 1>", ONE),
    "fence": (f"```\n{GLOVES} [1].\n```", ONE),
    "fence with a language": (f"```markdown\n- {GLOVES} [1]\n```\n", [(f"- {GLOVES}", (1,))]),
    "quotation marks": (f'"{GLOVES} [1]."', ONE),
    "quotation marks around two": (f"“{GLOVES} [1]. {HOODS} [3].”", [*ONE, (f"{HOODS}.", (3,))]),
    "quotation marks within stay": ('The sign says "Stop here" [1].', [('The sign says "Stop here".', (1,))]),
    "quoted by a stroke": (f"> {GLOVES} [1].", ONE),
    "bold": ("**Laminate gloves** are required [1].", ONE),
    "bold, all": (f"**{GLOVES} [1].**", ONE),
    "bold over two sentences": (f"**{GLOVES}. {HOODS}.** [3]", [(f"{GLOVES}.", ()), (f"{HOODS}.", (3,))]),
    "italic": ("*Laminate* _gloves_ are required [1].", ONE),
    "stars and strokes that mean something": ("Set max_size to 2 * 3 [1].", [("Set max_size to 2 * 3.", (1,))]),
    "less than": ("It holds where p < 0.05 and q > 1 [1].", [("It holds where p < 0.05 and q > 1.", (1,))]),
    "tags of HTML": (
        f"<p><b>Laminate gloves</b> are required [1].</p><p>{HOODS} [3].</p>",
        [*ONE, (f"{HOODS}.", (3,))],
    ),
}

LINES: dict[str, tuple[str, Wanted]] = {
    "bullets": (
        "You need:\n\n- gloves [1]\n- goggles [2]",
        [("You need:", ()), ("- gloves", (1,)), ("- goggles", (2,))],
    ),
    "stars": ("* **Gloves**: laminate [1]\n* goggles [2]", [("- Gloves: laminate", (1,)), ("- goggles", (2,))]),
    "numbers": ("1. gloves [1]\n2) goggles [2]", [("1. gloves", (1,)), ("2) goggles", (2,))]),
    "an item over two lines": (
        "- gloves of\n  class A [1]\n- goggles",
        [("- gloves of class A", (1,)), ("- goggles", ())],
    ),
    "an item of two sentences": (f"- {GLOVES} [1]. {HOODS} [3].", [(f"- {GLOVES}.", (1,)), (f"{HOODS}.", (3,))]),
    "a list and a sentence": (f"- gloves [1]\n\n{HOODS} [3].", [("- gloves", (1,)), (f"{HOODS}.", (3,))]),
    "items of HTML": ("<ul><li>gloves [1]</li><li>goggles [2]</li></ul>", [("- gloves", (1,)), ("- goggles", (2,))]),
    "documents asked for": (
        "Documents:\n- passport [1]\n- visa [2]",
        [("Documents:", ()), ("- passport", (1,)), ("- visa", (2,))],
    ),
    "a heading": (f"## Gloves\n{GLOVES} [1].", [("Gloves", ()), *ONE]),
    "a bold line is a heading": (f"**Gloves**\n{GLOVES} [1].", [("Gloves", ()), *ONE]),
    "bold numbers": ("**1.** gloves [1]\n**2. Eyes:** goggles [2]", [("1. gloves", (1,)), ("2. Eyes: goggles", (2,))]),
    "bold terms": (
        "**Acetone:** butyl [1]\n**Toluene**: nitrile [3]",
        [("Acetone: butyl", (1,)), ("Toluene: nitrile", (3,))],
    ),
    "a rule": (f"{GLOVES} [1].\n\n---\n\n{HOODS} [3].", [*ONE, (f"{HOODS}.", (3,))]),
    "a table": (
        "| Liquid | Gloves |\n|---|---|\n| Acetone | butyl [1] |\n| Toluene | nitrile [3] |",
        [("- Liquid: Acetone; Gloves: butyl", (1,)), ("- Liquid: Toluene; Gloves: nitrile", (3,))],
    ),
    "a table with a column of sources": (
        "| Liquid | Source |\n| --- | --- |\n| Acetone | [1] |\n\nDone.",
        [("- Liquid: Acetone", (1,)), ("Done.", ())],
    ),
    "rows alone": (
        "| Acetone | butyl [1] |\n| Toluene | nitrile |",
        [("- Acetone; butyl", (1,)), ("- Toluene; nitrile", ())],
    ),
    "hard wrapped": (
        "Laminate gloves\nare required\n[1]. Hoods are\ntested twice a year [3].",
        [*ONE, (f"{HOODS}.", (3,))],
    ),
    "lines from Windows": (
        "Laminate gloves\r\nare required [1].\r\n\r\nHoods are tested twice a year [3].",
        [*ONE, (f"{HOODS}.", (3,))],
    ),
    "terms": ("Acetone: butyl [1]\nToluene: nitrile [3]", [("Acetone: butyl", (1,)), ("Toluene: nitrile", (3,))]),
    "preface": (f"Here is the answer: {GLOVES} [1].", [("Here is the answer:", ()), *ONE]),
    "preface and greeting": (
        f"Sure! Here you go: {GLOVES} [1]. Let me know!",
        [("Sure!", ()), ("Here you go:", ()), *ONE, ("Let me know!", ())],
    ),
    "preface on its line": (f"Based on the passages:\n{GLOVES} [1].", [("Based on the passages:", ()), *ONE]),
    "preface in bold": (f"**Answer:** {GLOVES} [1].", [("Answer:", ()), *ONE]),
    "the question again": (
        f"Question: Which gloves are required?\nAnswer: {GLOVES} [1].",
        [("Question:", ()), ("Which gloves are required?", ()), ("Answer:", ()), *ONE],
    ),
    "a colon is no preface": ("Required gloves: laminate [1].", [("Required gloves: laminate.", (1,))]),
    "a colon behind a citation": (
        f"{GLOVES} [1]. The rule says: Hoods are tested often [3].",
        [*ONE, ("The rule says: Hoods are tested often.", (3,))],
    ),
    "sources": (f"{GLOVES} [1].\n\nSources:\n[1] safety_manual.pdf, page 4\n[2] faq (new).html", ONE),
    "references in bold": (f"{GLOVES} [1].\n\n**References**\n\n1. safety_manual.pdf\n2. Passage 2", ONE),
    "a source on its line": (f"{GLOVES}.\n\nSource: safety_manual.pdf, page 4", [(f"{GLOVES}.", ())]),
    "sources on one line": (f"{GLOVES} [1].\nSources: [1], [2]", ONE),
    "a source and a closing": (f"{GLOVES} [1].\n\nSources:\n- [1]\n\nStay safe!", [*ONE, ("Stay safe!", ())]),
    "what is listed in the prompt": (f"[1] safety_manual.pdf, page 4, section 2\n{GLOVES} [1].", ONE),
    "sources of something": ("Sources of ignition are removed [1].", [("Sources of ignition are removed.", (1,))]),
    "abbreviations": (
        "Dr. Ek uses 4.5 ml, e.g. of acetone [1]. It rained.",
        [("Dr. Ek uses 4.5 ml, e.g. of acetone.", (1,)), ("It rained.", ())],
    ),
    "German": (
        "Handschuhe sind z. B. aus Laminat [1]. Nitril reicht nicht (Passage 2).",
        [("Handschuhe sind z. B. aus Laminat.", (1,)), ("Nitril reicht nicht.", (2,))],
    ),
    "Chinese": ("需要层压手套[1]。丁腈手套不行【2】。", [("需要层压手套。", (1,)), ("丁腈手套不行。", (2,))]),
    "Russian": (
        "Нужны перчатки [1]. Нитрил не подходит [2].",
        [("Нужны перчатки.", (1,)), ("Нитрил не подходит.", (2,))],
    ),
    "nothing but marks": ("---\n\n[1]\n**", []),
    "nothing": ("", []),
}
KINDS = {**CITATIONS, **{f"markup: {k}": v for k, v in MARKUP.items()}, **{f"lines: {k}": v for k, v in LINES.items()}}


def form(sentences: list[ReplySentence]) -> Wanted:
    """What is shown of each sentence, and what it cites."""
    return [(one.shown, one.cited) for one in sentences]
