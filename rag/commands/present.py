"""Values as plain text for a terminal. Nothing is computed here."""

import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rag.cite import as_text
from rag.models import Answer, DocumentRecord, Health, NearMiss, page_of
from rag.text.counted import several
from rag.text.words import fold

if TYPE_CHECKING:
    from rag.evaluation.calibration import Counted
    from rag.evaluation.fitting import Fitted
    from rag.evaluation.intervals import Rate
    from rag.experts.teaching import Taught
    from rag.ingest.report import IngestReport
    from rag.records.unanswered import Group
    from rag.workspace.values import ApiKey

NARROWEST, WIDEST = 40, 100
"""Limits of the columns that text is broken at: those of the terminal; the most where there is none."""
NAMED = 20  # so many documents that were removed, and so many that were replaced, are named; `--json` has all


def answer_text(answer: Answer, *, verbose: bool = False) -> str:
    """Return an answer with its markers and sources, or what there is in its place: passages that may answer, a reason.

    `verbose` adds what was left out, and figures also where there is no answer.
    """
    if answer.outcome == "talk":
        return "\n".join(map(_filled, (answer.message or "").splitlines()))  # a list has a line for each document
    lines = _answered(answer) if answer.answer is not None else _not_answered(answer, verbose=verbose)
    lines += _left_out(answer, verbose=verbose)
    lines += [f"Warning: {warning}" for warning in answer.gate.warnings] if answer.gate else []
    shown = answer.answer is not None or verbose
    return "\n".join([*lines, "", _figures(answer) if shown else f"{answer.request_id} (--verbose shows the figures)"])


def _figures(answer: Answer) -> str:
    shown, gate, spoke = f"confidence {answer.confidence:.2f}", answer.gate, answer.generator
    if gate:
        of_passages = f"of the passages {gate.confidence:.2f}, " if spoke.is_model else ""
        unsure = "" if gate.unsure_threshold is None else f", unsure from {gate.unsure_threshold:.2f}"
        shown += f" ({of_passages}threshold {gate.threshold:.2f}{unsure}, {gate.estimator})"
    where = f" at {spoke.server}" if spoke.server else ""
    who = f"model {spoke.model}{where}" if spoke.is_model else spoke.name
    return f"{shown} · {who} · {answer.timings_ms.total:.0f} ms · {answer.request_id}"


def _answered(answer: Answer) -> list[str]:
    cited = [f"{one.text} {''.join(f'[{index + 1}]' for index in one.citations)}" for one in answer.sentences]
    text = as_text(answer.sentences, answer.citations, cited, speaker=answer.generator, line="\n")
    lines = [*(_filled(line) for line in text.split("\n")), *_notes(answer), "", "Sources"]
    for number, citation in enumerate(answer.citations, start=1):
        section = f", section {citation.section}" if citation.section and citation.page is not None else ""
        place = citation.label.strip("[]") + (f" (printed: {citation.printed})" if citation.printed else "") + section
        lines.append(f"[{number}] {place}  (similarity {citation.similarity_score:.2f})")
        lines.append(_filled(f"“{' '.join(citation.excerpt.split())}”", indent=4))
    return lines


def _left_out(answer: Answer, *, verbose: bool) -> list[str]:
    if not answer.left_out:
        return []
    told = f"{several(len(answer.left_out), 'sentence')} left out by the check"
    if not verbose:
        return ["", f"{told} (--verbose shows them, and why)"]
    lines = ["", f"{told}:"]
    for one in answer.left_out:
        nearest = " ".join(next(filter(None, one.evidence), "").split())
        said = f"“{one.text}”: {one.reason}." + (f" Nearest: “{nearest}”" if nearest else "")
        lines.append(_filled(_printable(said), indent=2))
    return lines


def _notes(answer: Answer) -> list[str]:
    return ["", *(_filled(f"Note: {note}") for note in answer.notes)] if answer.notes else []


def _not_answered(answer: Answer, *, verbose: bool) -> list[str]:
    lines = [_filled(answer.message or ""), *_notes(answer)]
    misses = answer.gate.nearest_misses if answer.gate else ()
    if misses:
        lines += ["", "These passages may answer:" if answer.outcome == "unsure" else "The closest passages:"]
    for miss in misses:
        where = page_of(miss.page, miss.printed) or miss.part
        read_at = "" if miss.reading is None else f", answers with {miss.reading:.0%}"
        figure = f"  (similarity {miss.similarity_score:.2f}{read_at})" if verbose else ""
        lines.append(f"  {miss.document}{', ' + where if where else ''}{figure}")
        lines.append(_filled(_marked(miss), indent=6))
    return lines


def _marked(miss: NearMiss) -> str:
    """Return what came close, on one line, the sentence that comes nearest between » and «."""
    text, sentence = (" ".join(part.split()) for part in (miss.stated or miss.excerpt, miss.sentence))
    return text.replace(sentence, f"»{sentence}«", 1) if sentence not in ("", text) else text


def _filled(text: str, *, indent: int = 0) -> str:
    columns = shutil.get_terminal_size((WIDEST, 24)).columns if sys.stdout.isatty() else WIDEST
    width, before = min(WIDEST, max(NARROWEST, columns)), " " * indent
    return textwrap.fill(text, width, initial_indent=before, subsequent_indent=before)


def documents_text(documents: Sequence[DocumentRecord]) -> str:
    """Return the indexed documents as a table."""
    if not documents:
        return "Nothing is indexed yet: add documents with 'candor ingest PATH'."
    widest = max(len("document"), *(len(record.document) for record in documents))
    lines = [f"{'document':{widest}}  pages  chunks  ingested (UTC)"]
    for record in documents:
        pages = "-" if record.pages is None else str(record.pages)
        lines.append(f"{record.document:{widest}}  {pages:>5}  {record.chunks:>6}  {record.ingested_at:%Y-%m-%d %H:%M}")
        lines += [f"  {note}" for note in record.notes]
    return "\n".join(lines)


def unanswered_text(groups: "Sequence[Group]") -> str:
    """Return the questions without a good answer, a line for each group and its other wordings below."""
    from rag.records.unanswered import wordings

    if not groups:
        return "No unanswered questions: every recorded question of this time got an answer that nobody called bad."
    lines = []
    for group in groups:
        why = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in group.why.items())
        lines.append(f"{group.times:4d} x  {group.last:%Y-%m-%d}  {group.question}  ({why})")
        others = [one for one in wordings(group.questions) if fold(one) != fold(group.question)]
        lines += [f"{'':20}{other}" for other in others]
    return "\n".join(lines)


def ingest_text(report: "IngestReport") -> str:
    """Return what became of the files: what was removed, replaced or not ingested by name, with the reason."""
    counts = [
        f"{number} {kind}"
        for kind in ("added", "replaced", "unchanged", "removed", "failed")
        if (number := report.count(kind))
    ]
    speed = f"; {several(report.chunks, 'chunk')} in {report.seconds:.1f} s" if report.chunks else ""
    lines = [f"{', '.join(counts) or 'no files found'}{speed}"]
    for outcome in ("removed", "replaced"):
        files = [file for file in report.files if file.outcome == outcome]
        named = [f"  {outcome} {file.document}" + (f": {file.reason}" if file.reason else "") for file in files]
        lines += _first(named, outcome)
    lines += _first([f"  {file.document}: {note}" for file in report.files for note in file.notes], "notes")
    lines += [f"  {_printable(file.document)}: {file.reason}" for file in report.failed]
    lines += [f"  {_printable(report.passed)}"] if report.passed else []
    return "\n".join(lines)


def _printable(name: str) -> str:
    """Return a file's name without what would move a terminal's cursor or colour its text."""
    return name if name.isprintable() else repr(name)[1:-1]


def _first(lines: list[str], what: str) -> list[str]:
    return lines[:NAMED] + ([f"  and {len(lines) - NAMED} more {what}"] if len(lines) > NAMED else [])


def health_text(health: Health) -> str:
    """Return the state of every service."""
    lines: list[str] = [health.status]
    for name, service in health.services.items():
        latency = f" {service.latency_ms:.0f} ms" if service.latency_ms is not None else ""
        kind = f" ({service.kind})" if service.kind else ""
        lines.append(f"  {name:10} {service.state}{kind}{latency}  {service.detail}")
    if health.lost_lines:
        lines.append(f"  {several(health.lost_lines, 'line')} of the log and of answers could not be kept")
    return "\n".join(lines)


def calibration_text(fitted: "Fitted") -> str:
    """Return what a fit is worth, out of fold, what its thresholds keep, and which gate decides now."""
    fit, refused = fitted.fit, fitted.refused
    bound = "" if refused.upper_bound is None else f", at most {refused.upper_bound:.2%} with 95% confidence"
    lines = [
        f"threshold {fit.threshold:.4f}: answered from there on. {fitted.control.reason}",
        f"unsure_threshold {fit.unsure_threshold:.4f}: refused below it, of the answerable questions "
        f"{_counted(refused)}{bound}; asked for were at most {fit.max_refused_rate:.1%}.",
        "",
        "out of fold:",
    ]
    for name, one in fitted.counted.items():
        auroc = fitted.auroc.get(name)
        lines.append(f"  {name}: AUROC {'-' if auroc is None else f'{auroc:.3f}'}, {_of_data_set(one)}")
        if name in fitted.before:
            lines.append(f"    before: {_of_data_set(fitted.before[name])}")
    lines += [
        "(counts, shares and their 95% Wilson intervals; the thresholds were chosen on these labels)",
        "(out of fold: by fits that saw no question on the same document; the gate itself is fitted on all)",
        *(["(before: the gate that decided until now, on the same questions)"] if fitted.before else []),
        *(["", _unproven(fitted)] if fitted.control.threshold is None else []),
    ]
    return "\n".join([*lines, "", *fitted.notes, *fitted.next_steps])


def _of_data_set(one: "Counted") -> str:
    return (
        f"coverage {_counted(one.coverage)}, false answers {_counted(one.false_answers)}, "
        f"answerable refused {_counted(one.refused)}, unanswerable unsure {_counted(one.unsure)}"
    )


def taught_text(taught: "Taught") -> str:
    """Return what the reader learned, what that is worth on questions that it did not learn from, and what follows."""
    found = taught.comparison
    unseen = "answerable questions, no window that answers was read: nothing is learned there."
    sources = ", ".join(f"{count} from {name}" for name, count in taught.sources.items())
    lines = [
        f"{several(found.questions, 'judged question')} ({sources}), {found.answerable} of them answerable; "
        f"{found.windows} windows of text, {found.answering} of which answer.",
        *([f"For {found.unseen} of the {unseen}"] if found.unseen else []),
        "",
        f"On questions that were not learned from ({found.groups} groups held out in turn), answered from "
        f"confidence {found.threshold:.4f} on:",
    ]
    for name, one in (("before", found.before), ("after", found.after)):
        area = one.auroc
        shown = "-" if area.value is None else f"{area.value:.3f} ({area.low:.3f} to {area.high:.3f})"
        lines += [
            f"  {name:6}  answered right {_counted(one.right)}; answered falsely {_counted(one.false_answers)}",
            f"          window that answers put first {_counted(one.choice)}; AUROC of confidence {shown}",
        ]
    return "\n".join([*lines, "", *_what_follows(taught)])


def _what_follows(taught: "Taught") -> list[str]:
    better = taught.comparison.is_better
    if taught.number is None:
        return ["NOT put in force: it is no better. Judge more questions, or put it in force anyway with --force."]
    changed = ": run `candor calibrate` on your own labels to set new thresholds."
    if taught.gate_moved:
        changed = ", so the promise for the gate's thresholds no longer holds: run `candor calibrate` again."
    return [
        f"In force from now on as lesson {taught.number}{'' if better else ', though it is no better'}: {taught.path}. "
        "`candor train --undo` takes it back.",
        f"Confidences have changed{changed}",
    ]


def _unproven(fitted: "Fitted") -> str:
    asked, found = fitted.fit.max_false_answer_rate, fitted.deciding
    if found.value is None:
        return "Nothing is proven of the threshold."
    kept = f"at most the {asked:.1%} asked for, but on these very labels only."
    if found.value > asked:
        kept = f"more than the {asked:.1%} asked for: no threshold keeps that on these labels."
    return (
        "Nothing is proven: of the unanswerable questions that decide it the threshold answers "
        f"{_counted(found)}, {kept}"
    )


def _counted(one: "Rate") -> str:
    if one.value is None or one.low is None or one.high is None:
        return "-"
    return f"{one.numerator:.0f} of {one.denominator}, {one.value:.1%} ({one.low:.1%} to {one.high:.1%})"


def keys_text(keys: "Sequence[ApiKey]") -> str:
    """Return the API keys as a table."""
    rows = []
    for key in keys:
        state = "revoked" if key.revoked_at else "active"
        rows.append(f"{key.key_id}  {key.role:8}  {key.created_at:%Y-%m-%d}  {state:7}  {_printable(key.name)}")
    return "\n".join(rows) or "No keys: anyone on this machine may ask. Create one with 'candor keys create NAME'."
