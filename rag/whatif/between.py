"""In which parts two runs of an evaluation differ, in words."""

from rag.evaluation.runs import Run
from rag.models import Answer
from rag.whatif.history import changes

_OF_QUERY = {"top_k", "similarity_threshold", "max_tokens", "temperature", "seed", "confidence_threshold", "estimator"}


def changed_parts(before: Run, after: Run, *, answers: tuple[Answer | None, Answer | None] = (None, None)) -> list[str]:
    """Return the parts in which two runs differ, in words; settings with both values, as an answer of each holds."""
    if before.fingerprints is None or after.fingerprints is None:
        return []
    old, new = before.fingerprints.model_dump(), after.fingerprints.model_dump()
    old["prompt"], new["prompt"] = _prompt(old["prompt"], answers[0]), _prompt(new["prompt"], answers[1])
    parts = [name for name in old if old[name] != new[name] and None not in (old[name], new[name])]
    if "settings" in parts:
        then, now = _settings(before, answers[0]), _settings(after, answers[1])
        both = then.keys() & now.keys()
        named = changes({name: then[name] for name in both}, {name: now[name] for name in both})
        place = parts.index("settings")
        parts[place : place + 1] = named or ["settings that the runs do not hold by name"]
    return parts


def _prompt(named: str, answer: Answer | None) -> str | None:
    """Return the prompt's fingerprint, empty where answers are quoted; a run takes it from its first question."""
    return named or (answer.fingerprints.prompt if answer is not None and answer.answer is not None else None)


def _settings(run: Run, answer: Answer | None) -> dict[str, object]:  # names and values as words, not data handed on
    values: dict[str, object] = {} if run.dense_weight is None else {"dense_weight": run.dense_weight}
    if answer is None:
        return values
    values |= answer.query.model_dump(include=_OF_QUERY)
    if answer.gate is not None:
        values |= {"confidence_threshold": round(answer.gate.threshold, 4), "estimator": answer.gate.estimator}
    return values | ({"model": answer.generator.model} if answer.generator.model else {})
