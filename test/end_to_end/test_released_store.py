"""A store that a released version wrote: found, analysed, compared, published and deleted by today's version."""

from __future__ import annotations

import gzip
import json
import lzma
import re
import tarfile
from typing import Any

import pytest

from lab.runner.query import query_result

from .releases import RELEASES, VERSIONS, saved_queries
from .running_lab import Object, RunningLab, control
from .shared_lab import Settings
from .test_deleted_run import delete_run, page, rows

GZIP = b"\x1f\x8b"
NUMBER = r"-?[0-9]+(\.[0-9]+)?(E-?[0-9]+)?"
# What is written anew with a summary, and where the results are.
OF_THE_SUMMARY = {"ended_at", "report_uri", "started_by"}
# The sentence of a witness or of an examined cause, in a row's text.
SENTENCE = r"(?<=, )(?:detail|reason)=.*?(?=\}, \{|\}\]$)"
# Columns that are sentences.
SENTENCES = {"explanation", "other_explanation", "cpu_contention", "warnings"}


@pytest.fixture(scope="module")
def lab_settings() -> Settings:
    """A lab of its own, in which nothing else is stored."""
    return {"context": {}}


def put_store(lab: RunningLab, version: str) -> None:
    """Puts every object under its own key; those of hosts under the role id that the hosts' role has here."""
    # An event about a chunk would have its rows written again while they are read.
    control("faults", json.dumps({"action": "event:Object Created", "code": "Lost", "times": None}).encode())
    function = lab.functions.get_function_configuration(FunctionName=lab.function_name("analyse-measurement"))
    role_id = function["Environment"]["Variables"]["HOST_ROLE_ID"]
    with tarfile.open(RELEASES / version / "store.tar.xz") as packed:
        for entry in packed:
            key = re.sub(r"^raw/[^:/]+:", f"raw/{role_id}:", entry.name)
            content = packed.extractfile(entry)
            assert content is not None
            body = content.read()
            if key.endswith(".gz") and not body.startswith(GZIP):
                body = gzip.compress(body)
            # A key that is too long for the archive's format is a field, too.
            metadata = {name: value for name, value in entry.pax_headers.items() if name != "path"}
            lab.aws.s3.put_object(Bucket=lab.deployment.bucket, Key=key, Body=body, Metadata=metadata)
    lab.clear_faults()


def answer(lab: RunningLab, before: Object, sql: str) -> Object:
    """The rows of a query, with the columns that it had before and the day on which it was asked."""
    dated = sql.replace("current_date", f"date '{before['day']}'")
    result = query_result(lab.aws, lab.deployment, dated)
    return {"names": result.names, "rows": result.rows}


def ordered(found: Object, names: list[str]) -> list[list[Any]]:
    """The values of these columns, in an order that only they decide: texts first, as numbers may differ a little."""
    places = [found["names"].index(name) for name in names]
    return sorted(([row[place] for place in places] for row in found["rows"]), key=_order)


def _order(row: list[Any]) -> tuple[list[str], list[float]]:
    numbers = [value for value in row if isinstance(value, str) and re.fullmatch(NUMBER, value)]
    return ["" if value in numbers else repr(value) for value in row], [float(value) for value in numbers]


@pytest.mark.parametrize("version", VERSIONS)
def test_what_a_released_version_stored_is_all_there(lab: RunningLab, version: str) -> None:
    before = json.loads(lzma.decompress((RELEASES / version / "answers.json.xz").read_bytes()))
    first, second = before["runIds"]
    put_store(lab, version)
    assert_answers(lab, before, set())
    summaries = {run_id: lab.document(run_id, "summary.json") for run_id in (first, second)}

    for pair in lab.document(first, "plan.json")["pairs"]:
        for index, measurement in enumerate(pair["measurements"]):
            request = {"runId": first, "pairIndex": pair["pairIndex"], "measurementIndex": index}
            analysed = lab.invoke("analyse-measurement", request | {"acceptTruncated": False, "failureReason": None})
            assert (analysed["measurementId"], analysed["status"]) == (measurement["measurementId"], "complete"), (
                analysed
            )
    for run_id in (first, second):
        lab.invoke("summarise-run", {"runId": run_id, "pairs": [], "interruptedReason": None})

    assert_answers(lab, before, OF_THE_SUMMARY)
    again = {run_id: lab.document(run_id, "summary.json") for run_id in (first, second)}
    assert again[second]["comparedRun"]["earlierRunId"] == first
    for run_id, summary in again.items():
        # A later version adds fields.
        stored = {name: summary[name] for name in summaries[run_id]}
        due = summaries[run_id] | {name: summary[name] for name in ("endedAt", "report")}
        assert _only_figures(stored) == _only_figures(due)
        report = lab.read(f"reports/{run_id}/report.html").decode()
        assert "kept" in report and "c5.xlarge" in report
    lab.wait_for("both in the page", lambda: lab.keys("index.html") and first in page(lab) and second in page(lab))

    for run_id in (first, second):
        deleted = delete_run(lab, "--yes", run_id)
        assert deleted.returncode == 0, deleted.stderr
        assert [key for key in lab.keys("") if run_id in key] == []
        assert set(map(str, rows(lab, run_id).values())) == {"[['0']]"}
        assert run_id not in page(lab)


def assert_answers(lab: RunningLab, before: Object, written_anew: set[str]) -> None:
    """Holds both the queries of that version and today's of the same name to the answers of then."""
    today = saved_queries(lab, before)
    for name, asked in before["queries"].items():
        names = [each for each in asked["names"] if each not in written_anew]
        for sql in {asked["sql"], today.get(name, asked["sql"])}:
            found, due = ordered(answer(lab, before, sql), names), ordered(asked, names)
            if written_anew:
                found = [_without_words(names, row) for row in found]
                due = [[_nearly(value) for value in _without_words(names, row)] for row in due]
            assert found == due, name


def _without_words(names: list[str], row: list[Any]) -> list[Any]:
    """A later version may put a sentence into other words, but not another figure into it."""

    def without(name: str, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return _figures(value) if name in SENTENCES else re.sub(SENTENCE, lambda text: _figures(text[0]), value)

    return [without(name, value) for name, value in zip(names, row, strict=True)]


def _figures(sentence: str) -> str:
    return " ".join(re.findall(r"[0-9][0-9.]*", sentence))


def _only_figures(summary: Object) -> Object:
    """A summary with the figures alone of each text of several words."""

    def of(value: Any) -> Any:
        if isinstance(value, list):
            return [of(each) for each in value]
        return _figures(value) if isinstance(value, str) and " " in value else value

    return json.loads(json.dumps(summary), object_hook=lambda part: {name: of(value) for name, value in part.items()})


def _nearly(value: Any) -> Any:
    """Today's version stores no more digits of a host's counters than say something."""
    return Number(value) if isinstance(value, str) and re.fullmatch(NUMBER, value) else value


class Number:
    """A number as a query's text, equal to another one with the same digits that say something."""

    def __init__(self, text: str) -> None:
        self.approx = pytest.approx(float(text), rel=1e-4, abs=0.01)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and re.fullmatch(NUMBER, other) is not None and float(other) == self.approx

    def __repr__(self) -> str:
        return str(self.approx)
