"""`/api/metrics`, read by Prometheus' own parser."""

from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families

from rag.candor import Candor


def samples(client: TestClient) -> dict[tuple[str, str], float]:
    response = client.get("/api/metrics")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain; version=")
    families = text_string_to_metric_families(response.text)
    found = [sample for family in families for sample in family.samples]
    return {(each.name, next(iter(each.labels.values()), "")): each.value for each in found if "le" not in each.labels}


def test_questions_stages_and_errors_are_counted(client: TestClient, candor: Candor) -> None:
    before = samples(client)
    asked = client.post("/api/v1/ask", json={"question": "Which gloves are required for dichloromethane?"})
    assert asked.json()["outcome"] == "answered"
    client.post("/api/v1/ask", json={"question": "Who won the football game on Mars in 1732?"})
    after = samples(client)

    def more(name: str, label: str) -> float:
        return after.get((name, label), 0) - before.get((name, label), 0)

    assert more("candor_question_seconds_count", "answered") == 1
    assert more("candor_question_seconds_count", "refused") + more("candor_question_seconds_count", "unsure") == 1
    assert more("candor_stage_seconds_count", "read") >= 2
    assert 0 < more("candor_stage_seconds_sum", "read") < more("candor_question_seconds_sum", "answered") + 60
    assert after["candor_indexed_chunks", ""] == candor.wiring.catalogue.chunk_count() > 0
    assert after["candor_lost_lines", ""] == 0
