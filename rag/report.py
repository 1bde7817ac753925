"""Recorded lines -> the tables the dashboard shows.

Read by DuckDB, without torn lines. A table with nothing to show has all its columns and types, too. Times are UTC.
"""

import pandas as pd

from rag.records.recorded_tables import Moment, RecordedTables

_OVER_TIME = """
    WITH all_lines AS (
        SELECT *, time_bucket(to_seconds($width), timestamp) AS time FROM all_told
        WHERE timestamp >= $since),
    lines AS (SELECT * FROM all_lines WHERE ended),
    stages AS (
        SELECT *, time_bucket(to_seconds($width), timestamp) AS time FROM timed
        WHERE timestamp >= $since),
    stretches AS (SELECT unnest(generate_series(time_bucket(to_seconds($width), $first::TIMESTAMP),
                                                $last::TIMESTAMP, to_seconds($width))) AS time)
"""


class Report(RecordedTables):
    """The tables of one data folder; one object serves all threads and reads only what was added since."""

    def requests(
        self,
        *,
        outcome: str | None = None,
        since: Moment = None,
        min_confidence: float = 0.0,
        max_confidence: float = 1.0,
        document: str | None = None,
        text: str = "",
        limit: int = 500,
    ) -> pd.DataFrame:
        """Return requests, newest first, with the latest verdict on each.

        Args:
            outcome: `answered`, `unsure`, `refused` or `talk`; None: all.
            since: Not before this.
            min_confidence: Lowest confidence, 0 to 1.
            max_confidence: Highest confidence, 0 to 1.
            document: Only answers that cite this document.
            text: What the question or the request id contains, case folded.
            limit: The most rows.
        """
        return self.select(since, """
            SELECT timestamp, request_id, question, outcome, confidence, threshold, estimator, refusal_stage,
                   refusal_code, generator, documents, total_ms, session_id, verdict, recorded
            FROM requests LEFT JOIN verdicts USING (request_id)
            WHERE timestamp >= $since
              AND ($outcome IS NULL OR outcome = $outcome)
              AND coalesce(confidence, 0) BETWEEN $low AND $high
              AND ($document IS NULL OR list_contains(documents, $document))
              AND (contains(lower(coalesce(question, '')), lower($text)) OR contains(lower(request_id), lower($text)))
            ORDER BY timestamp DESC, request_id LIMIT $limit
            """, outcome=outcome, low=min_confidence, high=max_confidence, document=document, text=text,
            limit=limit)  # fmt: skip

    def slowest(self, *, since: Moment = None, limit: int = 20) -> pd.DataFrame:
        """Return the requests that took longest, the longest first."""
        return self.select(since, """
            SELECT timestamp, request_id, question, outcome, total_ms FROM requests
            WHERE timestamp >= $since AND total_ms IS NOT NULL
            ORDER BY total_ms DESC, request_id LIMIT $limit
            """, limit=limit)  # fmt: skip

    def overview(self, *, since: Moment = None) -> pd.DataFrame:
        """Return one row: how many questions ended in which way and their shares, p50 and p95, log and error lines.

        A question is rejected where it is outside the limits: nothing is searched for it, and it is no request here.
        Nor is one that was stopped or left before it was answered, nor talk, which asks nothing of the documents.
        """
        return self.select(since, """
            SELECT count(*) FILTER (ended) AS requests,
                   count(*) FILTER (ended AND outcome = 'answered') AS answered,
                   count(*) FILTER (ended AND outcome = 'unsure') AS unsure,
                   count(*) FILTER (ended AND outcome = 'refused') AS refused,
                   count(*) FILTER (event = 'answer_returned' AND outcome = 'talk') AS talk,
                   count(DISTINCT request_id) FILTER (event = 'query_rejected') AS rejected,
                   count(*) FILTER (event = 'question_stopped') AS stopped,
                   answered / nullif(requests, 0) AS answered_share,
                   unsure / nullif(requests, 0) AS unsure_share,
                   refused / nullif(requests, 0) AS refused_share,
                   quantile_cont(ms, 0.5) FILTER (ended)::DOUBLE AS p50_ms,
                   quantile_cont(ms, 0.95) FILTER (ended)::DOUBLE AS p95_ms,
                   count(*) AS log_lines,
                   count(*) FILTER (level = 'ERROR') AS error_lines
            FROM all_told WHERE timestamp >= $since
            """)  # fmt: skip

    def stopped(self, *, since: Moment = None, limit: int = 500) -> pd.DataFrame:
        """Return the questions that were stopped or left before they were answered, newest first, and after how long.

        No question, for what was stopped is not recorded.
        """
        return self.select(since, """
            SELECT timestamp, request_id, ms::DOUBLE AS total_ms FROM log
            WHERE event = 'question_stopped' AND timestamp >= $since
            ORDER BY timestamp DESC, request_id LIMIT $limit
            """, limit=limit)  # fmt: skip

    def outcomes(self, *, since: Moment = None) -> pd.DataFrame:
        """Return requests, answered, unsure, refused and stopped for each stretch of time, empty stretches included.

        `requests` are those that came to an end; what was stopped is counted beside them, and talk not at all.
        """
        return self._over_time(since, """
            SELECT time, count(*) FILTER (ended) AS requests,
                   count(*) FILTER (ended AND outcome = 'answered') AS answered,
                   count(*) FILTER (ended AND outcome = 'unsure') AS unsure,
                   count(*) FILTER (ended AND outcome = 'refused') AS refused,
                   count(*) FILTER (event = 'question_stopped') AS stopped
            FROM stretches LEFT JOIN all_lines USING (time) GROUP BY time ORDER BY time
            """)  # fmt: skip

    def confidence_over_time(self, *, since: Moment = None) -> pd.DataFrame:
        """Return the 10%, 50% and 90% quantile of confidence for each stretch of time; null where nobody asked."""
        return self._over_time(since, """
            SELECT time, count(confidence) AS requests, quantile_cont(confidence, 0.1) AS p10,
                   quantile_cont(confidence, 0.5) AS p50, quantile_cont(confidence, 0.9) AS p90
            FROM stretches LEFT JOIN lines USING (time) GROUP BY time ORDER BY time
            """)  # fmt: skip

    def latency_over_time(self, *, since: Moment = None, stage: str | None = None) -> pd.DataFrame:
        """Return p50, p95 and p99 in milliseconds for each stage, or for one, and stretch of time in which it ran."""
        return self._over_time(since, """
            SELECT time, stage, found[1]::DOUBLE AS p50_ms, found[2]::DOUBLE AS p95_ms, found[3]::DOUBLE AS p99_ms
            FROM (SELECT time, stage, quantile_cont(ms, [0.5, 0.95, 0.99]) AS found FROM stages
                  WHERE $stage IS NULL OR stage = $stage GROUP BY time, stage)
            ORDER BY time, stage
            """, stage=stage)  # fmt: skip

    def latency(self, *, since: Moment = None) -> pd.DataFrame:
        """Return count, p50, p95, p99 and maximum in milliseconds for each stage and, as `total`, in all.

        `requests` of the stage `ingest` are documents that were taken in, each with its own time.
        """
        return self.select(since, """
            SELECT stage, requests, found[1]::DOUBLE AS p50_ms, found[2]::DOUBLE AS p95_ms, found[3]::DOUBLE AS p99_ms,
                   max_ms
            FROM (SELECT stage, count(*) AS requests, quantile_cont(ms, [0.5, 0.95, 0.99]) AS found,
                         max(ms)::DOUBLE AS max_ms
                  FROM timed WHERE timestamp >= $since GROUP BY stage)
            ORDER BY list_position(['validate', 'embed', 'retrieve', 'read', 'gate', 'prompt', 'generate',
                                    'ground', 'api', 'ingest', 'total'], stage), stage
            """)  # fmt: skip

    def refusal_reasons(self, *, since: Moment = None) -> pd.DataFrame:
        """Return how many requests ended without an answer, unsure or refused, by stage and code, most first."""
        return self.select(since, """
            SELECT outcome, refusal_stage, refusal_code, count(*) AS requests,
                   count(*) / sum(count(*)) OVER () AS share
            FROM requests WHERE outcome IN ('unsure', 'refused') AND timestamp >= $since
            GROUP BY outcome, refusal_stage, refusal_code
            ORDER BY requests DESC, outcome, refusal_stage, refusal_code
            """)  # fmt: skip

    def errors(self, *, since: Moment = None) -> pd.DataFrame:
        """Return errors, and warnings with a code, by level, code, component and event, the most frequent first.

        `requests` counts those that an id is known of; `lines` are the log's.
        """
        return self.select(since, """
            SELECT level, error_code, component, event, count(*) AS lines, count(DISTINCT request_id) AS requests,
                   max(timestamp) AS last_seen,
                   arg_max(request_id, timestamp) AS last_request_id, arg_max(message, timestamp) AS last_message
            FROM log WHERE (level = 'ERROR' OR error_code IS NOT NULL) AND timestamp >= $since
            GROUP BY level, error_code, component, event ORDER BY lines DESC, level, error_code, component, event
            """)  # fmt: skip

    def top_documents(self, *, since: Moment = None, limit: int = 20) -> pd.DataFrame:
        """Return in how many answers each document was cited, and the share of all answers."""
        return self.select(since, """
            SELECT document, count(*) AS answers,
                   answers / (SELECT count(*) FROM requests WHERE outcome = 'answered' AND timestamp >= $since) AS share
            FROM (SELECT unnest(documents) AS document FROM requests WHERE timestamp >= $since)
            GROUP BY document ORDER BY answers DESC, document LIMIT $limit
            """, limit=limit)  # fmt: skip

    def feedback(self, *, since: Moment = None, limit: int = 500) -> pd.DataFrame:
        """Return what people thought of answers, newest first, with question and outcome where they are recorded.

        What was taken back is left out.
        """
        return self.select(since, """
            SELECT f.timestamp, f.request_id, verdict, f.reason, note, f."by", question, outcome, confidence
            FROM standing_feedback f LEFT JOIN requests USING (request_id)
            WHERE f.timestamp >= $since
            ORDER BY f.timestamp DESC, f.place DESC LIMIT $limit
            """, limit=limit)  # fmt: skip

    def verdicts(self, *, since: Moment = None) -> pd.DataFrame:
        """Return one row, good and bad: how many requests were judged so at last, in what was said in this time."""
        return self.select(since, """
            SELECT count(*) FILTER (verdict = 'good') AS good, count(*) FILTER (verdict = 'bad') AS bad
            FROM verdicts WHERE request_id IN (SELECT request_id FROM standing_feedback WHERE timestamp >= $since)
            """)  # fmt: skip

    def runs(self) -> pd.DataFrame:
        """Return the finished runs of `candor evaluate`, in the data folder or noted there, the latest first."""
        from rag.evaluation.runlist import runs_table

        return runs_table(self._data_dir / "runs")

    def _over_time(self, since: Moment, query: str, **values: object) -> pd.DataFrame:
        return self.select(since, _OVER_TIME + query, **self.stretches(since), **values)
