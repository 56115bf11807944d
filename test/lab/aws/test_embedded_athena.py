"""The lab's Athena has Athena's dialect, types and text of values, over Glue tables of JSON lines."""

import base64
import gzip
import json
import re
from datetime import UTC, date, datetime, timedelta

import pytest

WITH_ZONE = "timestamp with time zone"

ROWS = [
    {"run_id": "r1", "bits_per_second": 5e8, "stream": 5, "witnesses": ["series", "counters"], "unknown": 1},
    {"run_id": "r2", "bits_per_second": 1.25, "stream": 6, "host": {"type": "c5.xlarge", "zones": ["a", "b"]}},
    {"run_id": "r3"},
]


@pytest.fixture(scope="module")
def ask(aws, outputs, wait_until):
    lines = "\n".join(json.dumps(row) for row in ROWS).encode()
    s3, athena = aws.client("s3"), aws.client("athena")
    s3.put_object(Bucket=outputs["BucketName"], Key="samples/day=2026-11-20/r.ndjson.gz", Body=gzip.compress(lines))
    s3.put_object(Bucket=outputs["BucketName"], Key="samples/day=2026-11-21/r.ndjson", Body=lines)
    s3.put_object(Bucket=outputs["BucketName"], Key="samples/day=2026-11-21/_SUCCESS", Body=b"no row")

    def run(sql, **more):
        request = {"QueryExecutionContext": {"Database": "bench"}, "WorkGroup": "bench"} | more
        query_id = athena.start_query_execution(QueryString=sql, **request)["QueryExecutionId"]

        def over():
            execution = athena.get_query_execution(QueryExecutionId=query_id)["QueryExecution"]
            return execution if execution["Status"]["State"] not in ("QUEUED", "RUNNING") else None

        execution = wait_until(over)
        if execution["Status"]["State"] == "CANCELLED":
            return f"CANCELLED: {execution['Status']['StateChangeReason']}"
        if execution["Status"]["State"] == "FAILED":
            return execution["Status"]["StateChangeReason"]
        result = athena.get_query_results(QueryExecutionId=query_id)["ResultSet"]
        rows = [[cell.get("VarCharValue") for cell in row["Data"]] for row in result["Rows"]]
        return rows, [column["Type"] for column in result["ResultSetMetadata"]["ColumnInfo"]], execution

    return run


def test_plain_and_compressed_objects_give_rows_with_their_partition(ask):
    rows, types, _ = ask("SELECT * FROM samples ORDER BY day, run_id")
    assert rows[0] == ["run_id", "bits_per_second", "stream", "witnesses", "host", "day"]
    assert types == ["varchar", "double", "bigint", "array", "row", "varchar"]
    assert rows[1] == ["r1", "5.0E8", "5", "[series, counters]", None, "2026-11-20"]
    assert rows[2] == ["r2", "1.25", "6", None, "{type=c5.xlarge, zones=[a, b]}", "2026-11-20"]
    assert rows[3] == ["r3", None, None, None, None, "2026-11-20"]
    assert len(rows) == 7


def test_a_table_without_objects_is_empty(ask):
    assert ask("SELECT run_id, host.type FROM empty")[0] == [["run_id", "type"]]
    assert ask("SELECT count(*) AS n, max(bits_per_second) AS top FROM empty")[0][1] == ["0", None]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("7 / 2", "3"),
        ("7 / 2e0", "3.5"),
        ("sum(stream) / count(stream)", "5"),
        ("approx_percentile(bits_per_second, 0.5) > 1", "true"),
        ("max_by(run_id, bits_per_second)", "r1"),
        ("date_diff('day', date '2026-11-01', date '2026-11-20')", "19"),
        ("date_format(from_iso8601_timestamp('2026-11-20T10:00:00Z'), '%Y-%m')", "2026-11"),
        ("format('%.2f', 1.5e0)", "1.50"),
        ("try_cast('x' AS integer)", None),
        ("cardinality(filter(array[1, 2, 3], x -> x > 1))", "2"),
        ("reduce(array[1, 2], 5, (s, x) -> s + x, s -> s)", "8"),
        ("reduce(array[1, 2], 0, (s, x) -> s + reduce(array[x], 0, (t, y) -> t + y, t -> 2 * t), s -> -s)", "-6"),
        ("array['a', 'b'][2]", "b"),
        ("max(witnesses[stream - 4])", "series"),
        ("max(witnesses[cardinality(witnesses)])", "counters"),
        ("json_extract_scalar('{\"a\": \"b\"}', '$.a')", "b"),
    ],
)
def test_expressions_have_the_values_that_athena_gives_them(ask, expression, value):
    assert ask(f"SELECT {expression} FROM samples LIMIT 1")[0] == [["_col0"], [value]]


def test_an_array_of_rows_becomes_a_column_for_each_field(ask):
    rows = "CAST(ARRAY[ROW('series', TRUE), ROW('cpu', NULL)] AS ARRAY(ROW(name varchar, agrees boolean)))"
    sql = f"""
        WITH found AS (SELECT run_id, {rows} AS witnesses FROM samples)
        SELECT DISTINCT f.run_id, w.name, w.agrees FROM found AS f CROSS JOIN UNNEST(f.witnesses) AS w (name, agrees)
        WHERE f.run_id = 'r1' AND w.name = 'cpu'
    """
    assert ask(sql)[0][1:] == [["r1", "cpu", None]]


@pytest.fixture(scope="module")
def days(aws, outputs):
    """Rows of a table whose `day` is a date: a fixed one, and those around today, whichever that is by the query."""
    today = datetime.now(UTC).date()
    for day in (date(2026, 1, 31), *(today + timedelta(days=offset) for offset in (-1, 0, 1))):
        row = json.dumps({"run_id": f"r-{day}"}).encode()
        aws.client("s3").put_object(Bucket=outputs["BucketName"], Key=f"days/day={day}/r.ndjson", Body=row)


@pytest.mark.parametrize(
    ("expression", "value", "kind"),
    [
        ("day", "2026-01-31", "date"),
        ("typeof(day)", "date", "varchar"),
        ("day - interval '1' day", "2026-01-30", "date"),
        ("day + interval '1' month", "2026-02-28", "date"),
        ("date_add('day', -31, day)", "2025-12-31", "date"),
        ("date_trunc('month', day) - interval '1' month", "2025-12-01", "date"),
        ("typeof(date_trunc('month', day))", "date", "varchar"),
        ("date_diff('day', day, date '2026-03-01')", "29", "bigint"),
        ("CAST(day AS timestamp)", "2026-01-31 00:00:00.000", "timestamp"),
        ("date_trunc('hour', timestamp '2026-01-31 10:20:30.400')", "2026-01-31 10:00:00.000", "timestamp"),
        ("typeof(CAST(day AS timestamp) + interval '1' second)", "timestamp(3)", "varchar"),
        ("from_iso8601_timestamp('2026-01-31T00:00:00.250Z')", "2026-01-31 00:00:00.250 UTC", WITH_ZONE),
        ("typeof(current_timestamp)", "timestamp(3) with time zone", "varchar"),
    ],
)
def test_dates_and_timestamps_have_athena_s_types_and_texts(ask, days, expression, value, kind):
    rows, types, _ = ask(f"SELECT {expression} AS x FROM days WHERE day = date '2026-01-31'")
    assert (rows[1:], types) == ([[value]], [kind])


def test_days_are_compared_with_dates(ask, days):
    (_, *rows), _, _ = ask("SELECT run_id FROM days WHERE day = current_date")
    assert len(rows) == 1
    (_, (count,)), _, _ = ask(
        "SELECT count(*) FROM days WHERE day BETWEEN current_date - interval '1' day AND current_date"
    )
    assert count == "2"
    assert ask("SELECT run_id FROM days WHERE day < date '2026-02-01'")[0][1:] == [["r-2026-01-31"]]


@pytest.mark.parametrize(
    "condition",
    [
        "day = '2026-01-31'",
        "day BETWEEN '2026-01-01' AND '2026-01-31'",
        "day >= CAST(current_date - interval '7' day AS varchar)",
        "run_id < current_timestamp",
    ],
)
def test_a_date_is_not_compared_with_text(ask, days, condition):
    reason = ask(f"SELECT 1 FROM days WHERE {condition}")
    assert reason.startswith("TYPE_MISMATCH: line 1:1: Cannot compare a date or timestamp with varchar: ")


def test_windows_common_tables_and_unnest(ask):
    sql = """
        WITH ranked AS (
          SELECT run_id, host, row_number() OVER (PARTITION BY day ORDER BY bits_per_second DESC) AS place
          FROM bench.samples
        )
        SELECT r.run_id, zone FROM ranked AS r CROSS JOIN UNNEST(r.host.zones) AS z(zone) WHERE place = 2 ORDER BY 2
    """
    assert ask(sql)[0] == [["run_id", "zone"], ["r2", "a"], ["r2", "a"], ["r2", "b"], ["r2", "b"]]


def test_results_go_to_the_workgroup_s_location_even_if_another_is_requested(aws, outputs, ask):
    elsewhere = {"OutputLocation": "s3://elsewhere/"}
    location = ask("SELECT 1", ResultConfiguration=elsewhere)[2]["ResultConfiguration"]["OutputLocation"]
    prefix = f"s3://{outputs['BucketName']}/"
    assert location.startswith(f"{prefix}athena-results/")
    written = aws.client("s3").get_object(Bucket=outputs["BucketName"], Key=location.removeprefix(prefix))
    assert written["Body"].read().decode() == '"_col0"\n"1"\n'


@pytest.mark.parametrize("sql", ["SHOW TABLES", "show tables in bench;", 'SHOW TABLES FROM "bench"'])
def test_tables_and_views_are_listed(ask, create_view, sql):
    create_view("per_run", stored("SELECT run_id, count(*) AS n FROM samples", {"run_id": "string", "n": "bigint"}))
    rows, types, _ = ask(sql)
    names = [name for (name,) in rows[1:]]
    assert (rows[0], types, names) == (["tab_name"], ["string"], sorted(names))
    assert {"samples", "empty", "per_run"} <= set(names)


def test_a_table_and_a_view_are_described_by_their_declared_columns(ask, create_view):
    rows, types, _ = ask("DESCRIBE samples")
    assert types == ["string"] * 3
    assert rows[:3] == [
        ["col_name", "data_type", "comment"],
        ["run_id", "string", None],
        ["bits_per_second", "double", None],
    ]
    assert rows[-1] == ["day", "string", "partition"]
    create_view("per_run", stored("SELECT run_id, count(*) AS n FROM samples", {"run_id": "string", "n": "bigint"}))
    assert ask('desc bench."per_run";')[0][1:] == [["run_id", "string", None], ["n", "bigint", None]]


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("DESCRIBE nobody", "TABLE_NOT_FOUND: line 1:1: Table 'awsdatacatalog.bench.nobody' does not exist"),
        ("SHOW TABLES IN nowhere", "SCHEMA_NOT_FOUND: line 1:1: Schema 'nowhere' does not exist"),
        ("SHOW PARTITIONS samples", "NOT_SUPPORTED: the lab's Athena answers SELECT, SHOW TABLES and DESCRIBE, got"),
        ("SELEC 1", "SYNTAX_ERROR"),
        (
            "SELECT CAST('ninety' AS integer)",
            "INVALID_CAST_ARGUMENT: Conversion Error: Could not convert string 'ninety'",
        ),
        ("SELECT * FROM nobody", "TABLE_NOT_FOUND"),
        ("SELECT reduce(ARRAY[1], 0, (s, x) -> s + x)", "SYNTAX_ERROR: reduce: must have"),
        ("SELECT nope FROM samples", "COLUMN_NOT_FOUND: line 1:1: Column 'nope' cannot be resolved"),
        ("SELECT run_id FROM samples WHERE nope = 1", "COLUMN_NOT_FOUND: line 1:1: Column 'nope' cannot be resolved"),
        ("SELECT s.nope FROM samples AS s", "COLUMN_NOT_FOUND: line 1:1: Column 'nope' cannot be resolved"),
        ("CREATE TABLE copy AS SELECT 1", "NOT_SUPPORTED"),
        ("SELECT 1; SELECT 2", "must be one statement"),
    ],
)
def test_a_query_that_can_t_run_fails_with_a_reason(ask, sql, reason):
    assert reason in ask(sql)


def test_an_unknown_workgroup_is_refused(aws):
    athena = aws.client("athena")
    with pytest.raises(athena.exceptions.InvalidRequestException, match="WorkGroup nobody is not found"):
        athena.start_query_execution(QueryString="SELECT 1", WorkGroup="nobody")


def test_a_query_over_the_workgroup_s_scan_limit_is_cancelled(aws, outputs, ask):
    workgroup = {"Name": "tight", "Configuration": {"BytesScannedCutoffPerQuery": 10_000_000}}
    location = {"ResultConfiguration": {"OutputLocation": f"s3://{outputs['BucketName']}/tight/"}}
    workgroup["Configuration"] |= location
    aws.client("athena").create_work_group(**workgroup)
    line = json.dumps({"run_id": "x" * 1000}).encode() + b"\n"
    key = "samples/day=2026-10-01/large.ndjson"
    aws.client("s3").put_object(Bucket=outputs["BucketName"], Key=key, Body=line * 11_000)
    try:
        answer = ask("SELECT max(run_id) FROM samples", WorkGroup="tight")
        assert answer == "CANCELLED: Query cancelled! : Bytes scanned limit was exceeded"
    finally:
        aws.client("s3").delete_object(Bucket=outputs["BucketName"], Key=key)


SERIES_VIEW = """
    -- A comment.
    SELECT s.run_id, count(*) AS row_count, sum(s.stream) AS streams, w.zone,
      CAST(from_iso8601_timestamp('2026-11-20T21:02:03.250Z') AS timestamp) AS at, date '2026-11-20' AS date
    FROM samples AS s CROSS JOIN LATERAL (SELECT max(element_at(e.host.zones, 1)) AS zone FROM bench.samples AS e
      WHERE e.run_id = s.run_id) AS w
    GROUP BY s.run_id, w.zone
"""
VIEW_COLUMNS = {
    "run_id": "string",
    "row_count": "bigint",
    "streams": "bigint",
    "zone": "string",
    "at": "timestamp",
    "date": "date",
}


def stored(sql, columns=VIEW_COLUMNS, **definition):
    """A view as Athena stores it."""
    stored = {"originalSql": sql, "catalog": "awsdatacatalog", "schema": "bench"}
    stored |= {"columns": [{"name": name, "type": kind} for name, kind in columns.items()]}
    return {
        "TableType": "VIRTUAL_VIEW",
        "Parameters": {"presto_view": "true", "comment": "Presto View"},
        "StorageDescriptor": {"Columns": [{"Name": name, "Type": kind} for name, kind in columns.items()]},
        "ViewOriginalText": f"/* Presto View: {base64.b64encode(json.dumps(stored).encode()).decode()} */",
        "ViewExpandedText": "/* Presto View */",
    } | definition


@pytest.fixture
def create_view(aws):
    glue = aws.client("glue")
    created = []

    def create(name, definition):
        glue.create_table(DatabaseName="bench", TableInput={"Name": name} | definition)
        created.append(name)

    yield create
    for name in created:
        glue.delete_table(DatabaseName="bench", Name=name)


def test_a_view_has_its_query_s_rows_in_the_declared_types(ask, create_view):
    create_view("per_run", stored(SERIES_VIEW))
    rows, types, execution = ask("SELECT * FROM per_run ORDER BY run_id")
    assert rows == [
        list(VIEW_COLUMNS),
        ["r1", "2", "10", None, "2026-11-20 21:02:03.250", "2026-11-20"],
        ["r2", "2", "12", "a", "2026-11-20 21:02:03.250", "2026-11-20"],
        ["r3", "2", None, None, "2026-11-20 21:02:03.250", "2026-11-20"],
    ]
    # DuckDB's own type of the sum is wider than a bigint.
    assert types == ["varchar", "bigint", "bigint", "varchar", "timestamp", "date"]
    assert execution["Statistics"]["DataScannedInBytes"] > 0


def test_a_query_joins_views_of_views_with_tables(ask, create_view):
    create_view("per_run", stored(SERIES_VIEW))
    create_view(
        "doubled", stored("SELECT run_id, 2 * row_count AS n FROM per_run", {"run_id": "string", "n": "bigint"})
    )
    sql = "SELECT d.run_id, max(d.n) FROM doubled AS d JOIN samples AS s ON s.run_id = d.run_id GROUP BY 1 ORDER BY 1"
    assert ask(sql)[0][1:] == [["r1", "4"], ["r2", "4"], ["r3", "4"]]


@pytest.mark.parametrize(
    ("definition", "reason"),
    [
        (stored("SELECT nope FROM samples"), "INVALID_VIEW.*Failed analyzing stored view.*nope"),
        (stored("SELECT run_id FROM nobody"), "INVALID_VIEW.*TABLE_NOT_FOUND.*nobody"),
        (stored("SELECT run_id AS renamed FROM samples"), "VIEW_IS_STALE.*renamed"),
        (stored("SELECT * FROM broken"), "VIEW_IS_RECURSIVE"),
        (stored("DROP TABLE samples"), "INVALID_VIEW.*answers SELECT, SHOW"),
        (stored(SERIES_VIEW, Parameters={}), "INVALID_VIEW.*presto_view must be true"),
        (stored(SERIES_VIEW, Description="Runs"), "INVALID_VIEW.*must be Presto View, got Runs"),
        (stored(SERIES_VIEW, ViewOriginalText=SERIES_VIEW), "INVALID_VIEW.*must be /\\* Presto View: <base64>"),
        (stored(SERIES_VIEW, ViewOriginalText="/* Presto View: bm9uZQ== */"), "INVALID_VIEW.*can't be decoded"),
        (stored(SERIES_VIEW, StorageDescriptor={"Columns": []}), "INVALID_VIEW.*those of the StorageDescriptor"),
    ],
    ids=[
        "column", "table", "renamed", "itself", "no query", "no flag", "comment", "no code", "no JSON", "no columns",
    ],
)  # fmt: skip
def test_a_broken_view_fails_every_query_on_it(ask, create_view, definition, reason):
    create_view("broken", definition)
    assert re.search(reason, ask("SELECT * FROM broken"), re.DOTALL)


@pytest.fixture(scope="module")
def by_run(aws, outputs):
    """A table whose partition is injected, with an object of each of two runs."""
    s3, glue = aws.client("s3"), aws.client("glue")
    for run_id in ("r1", "r2"):
        key, line = f"by_run/run_id={run_id}/rows.ndjson.gz", json.dumps({"run_id": run_id, "stream": int(run_id[1:])})
        s3.put_object(Bucket=outputs["BucketName"], Key=key, Body=gzip.compress(line.encode()))
    location = f"s3://{outputs['BucketName']}/by_run/"
    table = {
        "Name": "by_run",
        "TableType": "EXTERNAL_TABLE",
        "PartitionKeys": [{"Name": "run_id", "Type": "string"}],
        "Parameters": {
            "projection.enabled": "true",
            "projection.run_id.type": "injected",
            "storage.location.template": f"{location}run_id=${{run_id}}/",
        },
        "StorageDescriptor": {"Location": location, "Columns": [{"Name": "stream", "Type": "bigint"}]},
    }
    glue.create_table(DatabaseName="bench", TableInput=table)
    yield
    glue.delete_table(DatabaseName="bench", Name="by_run")


PARAMS = "WITH params AS (SELECT concat('r', '2') AS run_id)"
CHECKED = f"{PARAMS}, checked AS (SELECT run_id FROM params)"


@pytest.mark.usefixtures("by_run")
@pytest.mark.parametrize(
    ("sql", "streams"),
    [
        ("SELECT stream FROM by_run WHERE run_id = 'r2'", ["2"]),
        ("SELECT b.stream FROM by_run AS b WHERE 'r2' = b.run_id AND b.stream > 0", ["2"]),
        ("SELECT stream FROM by_run WHERE run_id IN ('r1', 'r2') ORDER BY stream", ["1", "2"]),
        (f"{PARAMS} SELECT stream FROM by_run AS b CROSS JOIN params AS p WHERE b.run_id = p.run_id", ["2"]),
        (f"{PARAMS} SELECT b.stream FROM by_run AS b JOIN params AS p ON b.run_id = p.run_id", ["2"]),
        (f"{CHECKED} SELECT stream FROM by_run AS b CROSS JOIN checked AS p WHERE b.run_id = p.run_id", ["2"]),
        ("SELECT stream FROM by_run WHERE run_id = 'nosuch'", []),
        ("SELECT stream FROM by_run WHERE run_id = CAST(NULL AS varchar)", []),
    ],
)
def test_a_query_reads_the_injected_partitions_that_it_names(ask, sql, streams):
    (_, *rows), _, execution = ask(sql)
    assert rows == [[stream] for stream in streams]
    # Only their objects are read.
    assert 40 * len(rows) <= execution["Statistics"]["DataScannedInBytes"] <= 60 * len(rows)


@pytest.mark.usefixtures("by_run")
@pytest.mark.parametrize(
    ("sql", "streams"),
    [
        ("SELECT stream FROM streams_of_run WHERE run_id = 'r2'", ["2"]),
        (f"{CHECKED} SELECT stream FROM streams_of_run AS s CROSS JOIN checked AS p WHERE s.run_id = p.run_id", ["2"]),
        ("SELECT stream FROM streams_of_run WHERE run_id IN ('r1', 'r2') ORDER BY stream", ["1", "2"]),
    ],
)
def test_a_view_reads_the_injected_partitions_that_its_query_names(ask, create_view, sql, streams):
    create_view(
        "streams_of_run",
        stored(
            "SELECT run_id, sum(stream) AS stream FROM by_run GROUP BY run_id", {"run_id": "string", "stream": "bigint"}
        ),
    )
    (_, *rows), _, execution = ask(sql)
    assert rows == [[stream] for stream in streams]
    assert 40 * len(rows) <= execution["Statistics"]["DataScannedInBytes"] <= 60 * len(rows)
    assert ask("SELECT stream FROM streams_of_run").startswith("CONSTRAINT_VIOLATION: For the injected")


@pytest.mark.usefixtures("by_run")
@pytest.mark.parametrize(
    "condition",
    [
        "",
        "WHERE stream = 1",
        "WHERE run_id LIKE 'r%'",
        "WHERE run_id = 'r1' OR stream = 1",
        "WHERE run_id = (SELECT max(run_id) FROM samples)",
        "JOIN samples AS s ON s.run_id = by_run.run_id",
    ],
)
def test_a_query_that_does_not_name_its_injected_partitions_is_refused(ask, condition):
    assert ask(f"SELECT count(*) FROM by_run {condition}") == (
        "CONSTRAINT_VIOLATION: For the injected projected partition column run_id, the WHERE clause must contain only "
        "static equality conditions, and at least one such condition must be present."
    )
