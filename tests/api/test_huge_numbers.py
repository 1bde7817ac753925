"""Numbers beyond what a store's integers hold: refused in every interface's own shape, never a 500."""

from typing import Any

import pytest
from api_samples import ANSWERED
from fastapi.testclient import TestClient

HUGE = [2**63, -(2**63) - 1, 10**30, 1e30, -1e30, 2**31, -(2**31)]
LARGEST = 2**31 - 1
"""The largest chapter and page, as the description says it."""


@pytest.mark.parametrize("name", ["chapter", "page"])
@pytest.mark.parametrize("number", HUGE)
@pytest.mark.parametrize("path", ["/api/v1/ask", "/api/v1/retrieve"])
def test_a_place_that_no_document_has_is_refused_by_name(
    client: TestClient, path: str, number: float, name: str
) -> None:
    for stream in (False, True):
        response = client.post(path, json={"question": ANSWERED, "filters": {name: number}, "stream": stream})
        assert response.status_code == 422
        assert response.json()["error_code"] == "INVALID_INPUT"
        assert response.json()["details"]["field"].startswith(f"filters.{name}")


@pytest.mark.parametrize("number", HUGE)
def test_the_chatbot_refuses_a_chapter_that_no_book_has_in_its_own_shape(client: TestClient, number: float) -> None:
    response = client.post("/api/chatbot/query", json={"question": ANSWERED, "chapter_id": number})
    assert response.status_code == 422
    assert response.json()["error"]["type"] == "validation_error"
    assert "chapter_id" in response.json()["error"]["message"]


def test_the_largest_place_is_asked_for_without_harm_and_stands_in_the_description(client: TestClient) -> None:
    for name in ("chapter", "page"):
        response = client.post("/api/v1/ask", json={"question": ANSWERED, "filters": {name: LARGEST}})
        assert response.status_code < 500
    schemas: dict[str, Any] = client.get("/api/openapi.json").json()["components"]["schemas"]
    filters = schemas["AskFilters"]["properties"]
    fields = [filters["chapter"], filters["page"], schemas["ChatQuery"]["properties"]["chapter_id"]]
    assert [field["anyOf"][0]["maximum"] for field in fields] == [LARGEST] * 3
    assert [field["anyOf"][0]["minimum"] for field in fields] == [-LARGEST, 1, -LARGEST]
