"""How long the tables and pages over a long log take, cold and warm, and whether the percentiles are the true ones.

    python benchmarks/log_analytics.py [--lines 1000000] [--requests 10000] [--json]

A log of a month is made, rotated at 50 MB, and with it the short lines of the newest requests. Then:

- `first_read_s`: parsing all of it once; in the dashboard this goes on in the background, with progress.
- `cold_tables_s`: all tables of Monitor in a new report, the rows taken from the segments beside the log.
- `warm_tables_s`: the same again, the median of five.
- `cold_page_s`: Monitor as the first page that is drawn with a table, in a new process that has shown Ask before.
- `warm_page_s`, `tune_page_s`: Monitor and Tune drawn again, the median of five.
- `regate_ms`: one slider move over 1,000 recorded requests, the arithmetic alone, the median of five.
- `percentile_error`: the largest relative difference of p50, p95, p99 to those of the numbers that were written. The
  rows are kept, not sketched: what remains is the rounding of a 32-bit float.

Pages are drawn by Streamlit's AppTest: the script and its messages, without browser and network.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.log_lines import Made, make_folder  # noqa: E402 - run by path
from benchmarks.options import at_least  # noqa: E402

TABLES = ("overview", "outcomes", "refusal_reasons", "top_documents", "latency", "latency_over_time", "slowest",
          "confidence_over_time", "errors")  # fmt: skip


def measure(folder: Path, made: Made) -> dict[str, Any]:  # figures by name, to print
    """Return the figures over a folder that nothing has read yet."""
    from rag.report import Report

    begun = time.perf_counter()
    Report(folder).read()
    first = time.perf_counter() - begun
    begun = time.perf_counter()
    report = Report(folder)
    _draw_tables(report)
    cold = time.perf_counter() - begun
    return {
        "log_lines": made.lines,
        "requests": made.requests,
        "first_read_s": first,
        "cold_tables_s": cold,
        "warm_tables_s": _median(lambda: _draw_tables(report)),
        **_pages(folder),
        "regate_ms": 1000 * _regate(folder),
        "percentile_error": percentile_error(report, made),
        "load_average": os.getloadavg()[0],
    }


def _draw_tables(report: Any) -> None:
    for name in TABLES:
        getattr(report, name)(**({"stage": "total"} if name == "latency_over_time" else {}))


def percentile_error(report: Any, made: Made) -> float:
    """Return the largest relative error of the percentiles of the total, against the numbers that were written."""
    frame = report.latency()
    row = frame[frame["stage"] == "total"].iloc[0]
    wanted = np.quantile(made.totals_ms, [0.5, 0.95, 0.99])
    found = np.array([row["p50_ms"], row["p95_ms"], row["p99_ms"]])
    return float(np.max(np.abs(found - wanted) / wanted))


def _regate(folder: Path) -> float:
    """Return the seconds of one slider move over 1,000 recorded requests."""
    from rag.record import Recorder
    from rag.whatif.arrays import what_if
    from rag.whatif.cases import cases_of

    cases = cases_of(list(Recorder(folder).requests(limit=1000)))
    return _median(lambda: what_if(cases, confidence_threshold=0.6, unsure_threshold=0.3))


def _median(act: Callable[[], object], times: int = 5) -> float:
    moments = [time.perf_counter()]
    for _ in range(times):
        act()
        moments.append(time.perf_counter())
    return statistics.median(later - earlier for earlier, later in pairwise(moments))


def _pages(folder: Path) -> dict[str, float]:
    """Return the times of pages, drawn in a process of their own."""
    environment = {**os.environ, "CANDOR_DATA_DIR": str(folder), "OLLAMA_HOST": "http://127.0.0.1:9"}
    command = [sys.executable, str(Path(__file__).resolve()), "--pages"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def draw_pages() -> dict[str, float]:
    """Return the times of Monitor and Tune in this process; the environment says over which folder."""
    from streamlit.testing.v1 import AppTest

    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run()
    time.sleep(3)  # somebody reads Ask; meanwhile the libraries of charts are imported

    def draw(page: str) -> float:
        begun = time.perf_counter()
        test.switch_page(f"pages/{page}.py").run()
        if test.exception:
            raise RuntimeError(f"{page}: {test.exception[0].value}")
        return time.perf_counter() - begun

    cold = draw("monitor")
    warm = statistics.median(draw("monitor") for _ in range(5))
    first_tune = draw("tune")
    tune = statistics.median(draw("tune") for _ in range(5))
    return {"cold_page_s": cold, "warm_page_s": warm, "cold_tune_page_s": first_tune, "tune_page_s": tune}


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the log, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=at_least(1), default=1_000_000, help="log lines")
    parser.add_argument("--requests", type=at_least(1), default=10_000, help="recorded requests")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--pages", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.pages:
        sys.stdout.write(json.dumps(draw_pages()) + "\n")
        return
    with tempfile.TemporaryDirectory(prefix="candor-log-") as folder:
        found = measure(Path(folder), make_folder(Path(folder), lines=chosen.lines, recorded=chosen.requests))
    lines = [f"{name:20} {value:.4g}" for name, value in found.items()]
    sys.stdout.write((json.dumps(found) if chosen.json else "\n".join(lines)) + "\n")


if __name__ == "__main__":
    main()
