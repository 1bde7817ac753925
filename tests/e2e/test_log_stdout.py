"""Log lines on standard output, for a collector: from what serves, and from nothing else."""

import json
import sys

import httpx
import pytest
from library import candor, clean_environment, free_port, served
from processes import CANDOR

SERVE = [sys.executable, "-c", CANDOR, "serve"]
API = [sys.executable, "-m", "uvicorn", "--no-access-log", "api.app:app"]


@pytest.mark.parametrize("command", [SERVE, API], ids=["candor serve", "uvicorn api.app:app"])
def test_what_serves_prints_the_lines_of_the_log_where_it_is_told_to_and_nothing_else(tmp_path, command):
    port, home, out = free_port(), tmp_path / "data", tmp_path / "out"
    env = clean_environment(home, CANDOR_LOG_STDOUT="true")
    alone = ["sh", "-c", 'exec "$@" 2>/dev/null', "sh", *command, "--port", str(port)]
    with served(alone, port, "/api/livez", log=out, env=env) as url:
        refused = httpx.post(f"{url}/api/v1/ask", json={"question": "?"}, timeout=60)

    lines = out.read_text().splitlines()
    assert refused.headers["x-request-id"] in [json.loads(line)["request_id"] for line in lines]
    assert lines == (home / "logs" / "candor.jsonl").read_text().splitlines()


def test_a_command_prints_its_answer_alone_whatever_is_set(tmp_path):
    ran = candor("ask", "?", "--json", data_dir=tmp_path / "data", CANDOR_LOG_STDOUT="true")

    assert ran.json["error_code"] == "QUERY_TOO_SHORT"
    assert (tmp_path / "data" / "logs" / "candor.jsonl").read_text()
