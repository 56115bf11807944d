"""The lab's Athena reads Parquet where the table's SerDe says so, with the partitions of the table's template."""

import duckdb
import pytest
from test_embedded_athena import ask  # noqa: F401

SERDE = {"SerializationLibrary": "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"}
COLUMNS = {"run_id": "string", "day": "date", "bits": "array<double>", "later": "bigint"}
# The second object is of a version that had no column `later`.
OBJECTS = {
    "month=2026-09/a.0000.parquet": "SELECT 'r1' AS run_id, DATE '2026-09-05' AS day, [1.5::DOUBLE] AS bits, "
    "7::BIGINT AS later",
    "month=2026-10/b.0000.parquet": "SELECT 'r2' AS run_id, DATE '2026-10-05' AS day, []::DOUBLE[] AS bits",
    "month=2026-10/_manifest": "SELECT 'none' AS run_id",
}


@pytest.fixture
def put(aws, outputs, tmp_path):
    def put(key, sql):
        file = tmp_path / "object"
        duckdb.execute(f"COPY ({sql}) TO '{file}' (FORMAT parquet)")
        aws.client("s3").put_object(Bucket=outputs["BucketName"], Key=f"closed/{key}", Body=file.read_bytes())

    return put


@pytest.fixture
def closed(aws, outputs, put):
    for key, sql in OBJECTS.items():
        put(key, sql)
    location = f"s3://{outputs['BucketName']}/closed/"
    table = {
        "Name": "closed",
        "TableType": "EXTERNAL_TABLE",
        "PartitionKeys": [{"Name": name, "Type": "string"} for name in ("year", "month")],
        "Parameters": {"storage.location.template": f"{location}month=${{year}}-${{month}}/"},
        "StorageDescriptor": {
            "Location": location,
            "Columns": [{"Name": name, "Type": kind} for name, kind in COLUMNS.items()],
            "SerdeInfo": SERDE,
        },
    }
    glue = aws.client("glue")
    glue.create_table(DatabaseName="bench", TableInput=table)
    yield
    glue.delete_table(DatabaseName="bench", Name="closed")


@pytest.mark.usefixtures("closed")
def test_rows_have_the_declared_columns_and_the_partitions_of_their_objects(ask):  # noqa: F811
    rows, types, _ = ask("SELECT * FROM closed ORDER BY run_id")
    assert rows == [
        [*COLUMNS, "year", "month"],
        ["r1", "2026-09-05", "[1.5]", "7", "2026", "09"],
        ["r2", "2026-10-05", "[]", None, "2026", "10"],
    ]
    assert types == ["varchar", "date", "array", "bigint", "varchar", "varchar"]
    assert ask("SELECT run_id FROM closed WHERE year = '2026' AND month = '10'")[0][1:] == [["r2"]]


@pytest.mark.usefixtures("closed")
def test_a_column_of_another_type_than_the_declared_one_is_an_error(ask, put):  # noqa: F811
    put("month=2026-11/c.0000.parquet", "SELECT 'r3' AS run_id, '2026-11-05' AS day")
    assert ask("SELECT run_id FROM closed").startswith("HIVE_BAD_DATA: column day: must be DATE in every object, got")
    put("month=2026-11/c.0000.parquet", "SELECT 'r3' AS run_id")
    assert len(ask("SELECT run_id FROM closed")[0]) == 4
