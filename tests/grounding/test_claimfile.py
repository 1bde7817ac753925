import json
from contextlib import nullcontext, suppress

import pytest

from rag.errors import InvalidQuery
from rag.ground import EvidenceCheck
from rag.grounding.claimfile import LONGEST, ground_file
from rag.ingest.chunking import MAX_CHARACTERS
from rag.language.text import sentence_spans

CHECK = EvidenceCheck()
EVIDENCE = "Nitrile gloves are worn with acids. They are changed every two hours."


def write(path, *rows):
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def verdicts(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def claim(text, **fields):
    return json.dumps({"claim": text, "evidence": EVIDENCE, **fields}, ensure_ascii=False)


def test_verdicts_come_in_the_order_of_the_claims_with_their_ids(tmp_path):
    rows = (
        claim("Nitrile gloves are worn with acids.", id="c-1"),
        claim("Nitrile gloves are changed every five hours.", id=2),
        claim("Nitrile gloves are not worn with acids.", id="c-1"),
        claim("Gloves are changed every two hours."),
    )
    counts = ground_file(write(tmp_path / "in.jsonl", *rows), tmp_path / "out.jsonl", check=CHECK)
    found = verdicts(tmp_path / "out.jsonl")

    assert [verdict.get("id") for verdict in found] == ["c-1", 2, "c-1", None]
    assert [verdict["supported"] for verdict in found] == [True, False, False, True]
    assert "id" not in found[3]
    assert counts == (4, 2)


def test_evidence_may_be_a_list_of_passages(tmp_path):
    passages = ["Hoods are checked.", EVIDENCE]
    rows = (
        claim("Nitrile gloves are worn with acids.", evidence=passages),
        claim("Hoods are worn with acids.", evidence=passages),
    )
    ground_file(write(tmp_path / "in.jsonl", *rows), tmp_path / "out.jsonl", check=CHECK)

    assert [verdict["supported"] for verdict in verdicts(tmp_path / "out.jsonl")] == [True, False]


def test_supported_means_a_support_of_at_least_one_half(tmp_path):
    class Fixed:
        name = "fixed"

        def support(self, claim, evidence):
            return float(claim)

    rows = (claim("0.499"), claim("0.5"), claim("1.7"), claim("-3"))
    ground_file(write(tmp_path / "in.jsonl", *rows), tmp_path / "out.jsonl", check=Fixed())

    assert verdicts(tmp_path / "out.jsonl") == [
        {"supported": False, "support": 0.499},
        {"supported": True, "support": 0.5},
        {"supported": True, "support": 1.0},
        {"supported": False, "support": 0.0},
    ]


def test_unusual_line_separators_inside_a_text_do_not_end_its_line(tmp_path):
    rows = (claim("Gloves are worn.\u2028Acids burn.\x85"), claim("Gloves are worn."))

    assert ground_file(write(tmp_path / "in.jsonl", *rows), tmp_path / "out.jsonl", check=CHECK)[0] == 2


def test_a_byte_order_mark_blank_lines_and_windows_line_ends_are_read_over(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_bytes(f"\ufeff{claim('Gloves are worn.')}\r\n\r\n{claim('Acids burn.')}\r\n".encode())

    assert ground_file(path, tmp_path / "out.jsonl", check=CHECK)[0] == 2


def test_a_file_without_a_claim_is_refused_and_nothing_is_written(tmp_path):
    with pytest.raises(InvalidQuery, match=r"in.jsonl' holds no claim, so there is nothing to check"):
        ground_file(write(tmp_path / "in.jsonl", "", " "), tmp_path / "out.jsonl", check=CHECK)
    assert not (tmp_path / "out.jsonl").exists()


def test_empty_texts_are_not_supported(tmp_path):
    ground_file(
        write(tmp_path / "in.jsonl", claim(""), '{"claim": "Gloves.", "evidence": ""}'), tmp_path / "o", check=CHECK
    )

    assert [verdict["supported"] for verdict in verdicts(tmp_path / "o")] == [False, False]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "in.jsonl, line 2 is not JSON"),
        ('{"claim": "x", "evidence": "x", "id": ' + "1" * 5000 + "}", "line 2 is not JSON .*more than 4300 digits"),
        ('{"claim": "x", "evidence": "x", "id": ' + "[" * 5000 + "]" * 5000 + "}", "line 2 .*nested too deeply"),
        ('{"claim": "x", "evidence": "x", "id": NaN}', "line 2 is not JSON .*NaN and Infinity are no JSON"),
        ('{"claim": "x", "evidence": ["x", 1]}', "in.jsonl, line 2: .evidence. is .*a text or a list of texts"),
        ("[", "in.jsonl, line 2 is not JSON .*Write one object a line, without brackets around them"),
        ("[1]", "in.jsonl, line 2: list where an object was expected. Write one object a line"),
        ('{"claim": "x"}', "in.jsonl, line 2: .evidence. is missing"),
        ('{"claim": 1, "evidence": "x"}', "in.jsonl, line 2: .claim. is 1: it must be a text"),
    ],
)
def test_a_malformed_line_is_named_and_nothing_is_written(tmp_path, line, complaint):
    out = tmp_path / "out.jsonl"
    with pytest.raises(InvalidQuery, match=complaint):
        ground_file(write(tmp_path / "in.jsonl", claim("Gloves."), line), out, check=CHECK)
    assert not out.exists()


@pytest.mark.parametrize("depth", range(100, 1000, 25))
def test_an_id_nested_nearly_too_deeply_is_passed_on_or_named_and_no_traceback(tmp_path, depth):
    out = tmp_path / "out.jsonl"
    path = write(tmp_path / "in.jsonl", '{"claim": "x", "evidence": "x", "id": ' + "[" * depth + "]" * depth + "}")
    told = "line 1 is not JSON that can be read: brackets are nested too deeply"
    with suppress(InvalidQuery) if depth > 500 else nullcontext():
        assert ground_file(path, out, check=CHECK)[0] == 1
    if not out.exists():
        with pytest.raises(InvalidQuery, match=told):
            ground_file(path, out, check=CHECK)


def test_files_that_cannot_be_read_or_written_are_named(tmp_path):
    with pytest.raises(InvalidQuery, match=r"nobody\.jsonl"):
        ground_file(tmp_path / "nobody.jsonl", tmp_path / "out.jsonl", check=CHECK)
    with pytest.raises(InvalidQuery, match="cannot be written"):
        ground_file(write(tmp_path / "in.jsonl", claim("Gloves.")), tmp_path / "no" / "out.jsonl", check=CHECK)


def test_the_claims_are_not_overwritten_by_the_verdicts(tmp_path):
    path = write(tmp_path / "in.jsonl", {"claim": "Wear gloves.", "evidence": "Wear gloves."})
    before = path.read_text()
    with pytest.raises(InvalidQuery, match="is the file of the claims itself"):
        ground_file(path, path, check=CHECK)
    assert path.read_text() == before


class Read:
    """Remembers what it is asked to read."""

    name = "read"

    def __init__(self):
        self.read = []

    def support(self, claim, evidence):
        self.read.append(evidence)
        return 0.0


def test_an_overlong_sentence_of_the_evidence_is_read_in_pieces_and_the_line_says_so(tmp_path):
    check, evidence = Read(), f"Gloves are worn. {'sand ' * 900}end. Masks are worn."  # 4504 characters in the second
    row = json.dumps({"claim": "Gloves are worn.", "evidence": evidence})
    ground_file(write(tmp_path / "in.jsonl", row), tmp_path / "out.jsonl", check=check)
    (read,), (verdict,) = check.read, verdicts(tmp_path / "out.jsonl")

    assert read.split() == evidence.split()
    assert max(end - start for start, end in sentence_spans(read)) <= LONGEST
    assert len(sentence_spans(read)) == 5
    assert verdict["note"] == "1 sentence of the evidence has more than 2000 characters: read in pieces."


def test_a_word_longer_than_a_sentence_may_be_is_cut_where_it_is_full(tmp_path):
    check = Read()
    row = json.dumps({"claim": "Gloves are worn.", "evidence": "x" * 4500})
    ground_file(write(tmp_path / "in.jsonl", row), tmp_path / "out.jsonl", check=check)

    assert [len(piece) for piece in check.read[0].split()] == [2000, 2000, 500]


def test_an_overlong_claim_is_supported_only_word_for_word(tmp_path):
    long = "Gloves are worn. " * 150  # 2550 characters
    rows = [json.dumps({"claim": long, "evidence": text}) for text in (f"Here: {long}", "Gloves are worn.")]
    ground_file(write(tmp_path / "in.jsonl", *rows), tmp_path / "out.jsonl", check=CHECK)
    found = verdicts(tmp_path / "out.jsonl")

    assert [verdict["supported"] for verdict in found] == [True, False]
    assert all("only looked for word for word" in verdict["note"] for verdict in found)


def test_evidence_of_ordinary_sentences_is_read_as_it_is_however_long(tmp_path):
    check, evidence = Read(), "Gloves are worn in the yard. " * 200
    row = json.dumps({"claim": "Gloves are worn.", "evidence": evidence})
    ground_file(write(tmp_path / "in.jsonl", row), tmp_path / "out.jsonl", check=check)

    assert check.read == [evidence]
    assert "note" not in verdicts(tmp_path / "out.jsonl")[0]


def test_a_sentence_may_be_as_long_as_a_passage_of_the_index():
    assert LONGEST == MAX_CHARACTERS


def test_a_long_claim_is_no_quotation_from_amid_a_sentence(tmp_path):
    tail = "allowed to enter " + "the long hall and " * 120 + "the yard."
    for evidence, supported in ((f"Guests are not {tail}", False), (f"Guests wait. {tail} Then they go.", True)):
        claims, out = tmp_path / "claims.jsonl", tmp_path / "out.jsonl"
        claims.write_text(json.dumps({"claim": tail, "evidence": evidence}), encoding="utf-8")
        ground_file(claims, out, check=EvidenceCheck())
        assert json.loads(out.read_text())["supported"] is supported


def test_half_a_character_is_read_as_an_unknown_one(tmp_path):
    claims = write(tmp_path / "claims.jsonl", r'{"claim": "Gloves \ud800 are worn.", "evidence": "\udfff"}')
    check = Read()
    assert ground_file(claims, tmp_path / "out.jsonl", check=check) == (1, 0)
    assert check.read == ["\ufffd"]
