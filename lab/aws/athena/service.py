"""Query executions: each runs on a thread of its own in a workgroup, and writes its results to S3."""

import logging
import uuid
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlparse

from lab.aws import embedded
from lab.aws.athena.catalogue import QueryFailedError
from lab.aws.athena.engine import QueryResult, run_query
from lab.aws.athena.tables import quoted
from lab.aws.router import Action, Service
from lab.aws.wire import AwsError, Request

logger = logging.getLogger("lab.athena")

OVER = ("SUCCEEDED", "FAILED", "CANCELLED")


class _ScanLimitError(Exception):
    """The query read more than its workgroup allows."""


@dataclass
class Execution:
    query: str
    database: str
    workgroup: str
    output_location: str
    scan_limit_bytes: int | None
    query_id: str
    state: str = "QUEUED"
    reason: str | None = None
    result: QueryResult | None = None

    def view(self) -> dict[str, Any]:
        return {
            "QueryExecutionId": self.query_id,
            "Query": self.query,
            "ResultConfiguration": {"OutputLocation": self.output_location},
            "QueryExecutionContext": {"Database": self.database, "Catalog": "awsdatacatalog"},
            "Status": {"State": self.state} | ({"StateChangeReason": self.reason} if self.reason else {}),
            "Statistics": {"DataScannedInBytes": self.result.scanned_bytes if self.result else 0},
            "WorkGroup": self.workgroup,
        }


class QueryExecutions:
    """The actions on query executions, which are kept in memory only."""

    def __init__(self) -> None:
        self._executions: dict[str, Execution] = {}
        self._by_token: dict[str, str] = {}

    def start(self, request: Request) -> dict[str, Any]:
        token = request.get("ClientRequestToken")
        if token in self._by_token:
            return {"QueryExecutionId": self._by_token[token]}
        name = request.get("WorkGroup", "primary")
        try:
            workgroup = embedded.call("athena", "GetWorkGroup", WorkGroup=name)["WorkGroup"]
        except AwsError as error:
            raise _invalid(f"WorkGroup {name} is not found.") from error
        configuration = workgroup.get("Configuration", {})
        query_id = str(uuid.uuid4())
        execution = Execution(
            query=request["QueryString"],
            database=request.get("QueryExecutionContext", {}).get("Database", "default"),
            workgroup=name,
            output_location=f"{_location(configuration, request)}{query_id}.csv",
            scan_limit_bytes=configuration.get("BytesScannedCutoffPerQuery"),
            query_id=query_id,
        )
        self._executions[query_id] = execution
        if token:
            self._by_token[token] = query_id
        embedded.in_background(_execute, execution)
        return {"QueryExecutionId": query_id}

    def get(self, request: Request) -> dict[str, Any]:
        return {"QueryExecution": self._found(request).view()}

    def stop(self, request: Request) -> dict[str, Any]:
        execution = self._found(request)
        if execution.state not in OVER:
            execution.state = "CANCELLED"
        return {}

    def results(self, request: Request) -> dict[str, Any]:
        """Returns the rows, the first of which is the header, as in Athena."""
        execution = self._found(request)
        if execution.state != "SUCCEEDED" or execution.result is None:
            raise _invalid(f"Query has not yet finished. Current state: {execution.state}")
        result = execution.result
        return {
            "ResultSet": {
                "Rows": [
                    {"Data": [{} if value is None else {"VarCharValue": value} for value in row]} for row in result.rows
                ],
                "ResultSetMetadata": {
                    "ColumnInfo": [
                        {"Name": name, "Type": kind}
                        for name, kind in zip(result.rows[0], result.column_types, strict=True)
                    ]
                },
            },
        }

    def _found(self, request: Request) -> Execution:
        query_id = request.get("QueryExecutionId", "")
        if query_id not in self._executions:
            raise _invalid(f"QueryExecution {query_id} was not found")
        return self._executions[query_id]


def athena_service() -> Service:
    executions = QueryExecutions()
    return Service(
        "athena",
        {
            "StartQueryExecution": Action(executions.start),
            "GetQueryExecution": Action(executions.get),
            "GetQueryResults": Action(executions.results),
            "StopQueryExecution": Action(executions.stop),
        },
    )


def _execute(execution: Execution) -> None:
    """Runs the query, and writes its results to S3 before its state becomes SUCCEEDED."""
    execution.state = "RUNNING"
    state, reason = "SUCCEEDED", None
    try:
        result = run_query(execution.query, execution.database)
        limit = execution.scan_limit_bytes
        if limit is not None and result.scanned_bytes > limit:
            raise _ScanLimitError
        _write_results(execution.output_location, result)
        execution.result = result
    except _ScanLimitError:
        # This text is Athena's; it is the only sign that a query was cancelled because of its scan limit.
        state, reason = "CANCELLED", "Query cancelled! : Bytes scanned limit was exceeded"
    except QueryFailedError as error:
        state, reason = "FAILED", str(error)
    except Exception as error:  # whoever polls must see an end
        logger.exception("%s: the lab's Athena failed", execution.query_id)
        state, reason = "FAILED", f"GENERIC_INTERNAL_ERROR: {error}"
    if execution.state == "RUNNING":
        execution.reason, execution.state = reason, state


def _location(configuration: dict[str, Any], request: Request) -> str:
    """Returns where results go: a workgroup that enforces its configuration overrides the request."""
    of_workgroup = configuration.get("ResultConfiguration", {}).get("OutputLocation")
    of_request = request.get("ResultConfiguration", {}).get("OutputLocation")
    is_enforced = str(configuration.get("EnforceWorkGroupConfiguration", True)).lower() == "true"
    location = of_workgroup if of_workgroup and (is_enforced or not of_request) else of_request
    if not location:
        raise _invalid("No output location provided. An output location is required.")
    return str(location).rstrip("/") + "/"


def _write_results(location: str, result: QueryResult) -> None:
    """Writes Athena's CSV: every value is quoted, and NULL is empty."""
    lines = [",".join("" if value is None else quoted(value) for value in row) + "\n" for row in result.rows]
    url = urlparse(location)
    target = {"Bucket": url.netloc, "Key": url.path.lstrip("/")}
    try:
        embedded.call("s3", "PutObject", **target, Body="".join(lines).encode(), ContentType="text/csv")
    except AwsError as error:
        raise QueryFailedError(f"Unable to write to the output location {location}: {error.message}") from error


def _invalid(message: str) -> AwsError:
    return AwsError("InvalidRequestException", message)
