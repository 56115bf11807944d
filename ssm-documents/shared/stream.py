"""Runs one tool and streams its output to S3 while it runs, so that a host that dies loses only a few seconds of data.

The document prepare-host installs this program with the modules beside it. It never interprets a tool's figures: it
adds a time to each line, cuts the lines into gzip NDJSON chunks (format and keys: domain/model/raw-chunk.ts and
domain/workflow/object-keys.ts), samples counters at the same time, and writes a manifest at the end. The last line of
its standard output is the document's result, as JSON.
"""

import argparse
import contextlib
import errno
import gzip
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from typing import Any

from sampling import Sampler, default_interface
from tool_run import DocumentWorker, ToolRun, end_with_parent
from upload import Uploader

# A tool that floods its output must not fill the host's memory, so a chunk is also cut when it reaches this size.
CHUNK_BYTES = 4 * 1024 * 1024
# iperf3's 64 streams in both directions print 140 MB within the longest measurement of two hours, counted as they are
# stored. A tool that prints more than this prints something else, which the analysis could not hold in its memory.
OUTPUT_BYTES = 200_000_000
CHUNK_SCHEMA = "network-benchmark.chunk.v1"
MANIFEST_SCHEMA = "network-benchmark.manifest.v1"
FULL_DISK = "the disk was full, so chunks were uploaded from memory"
ANSI_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Stream:
    """The lines of one tool on one host: collects them, cuts them into chunks and writes the chunks to the spool."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._unix_time_offset = time.time() - time.monotonic()
        self._arguments = arguments
        self._lines: list[str] = []
        self._lines_bytes = 0
        self._output_bytes = 0
        self._lock = threading.Lock()
        stream_path = f"{arguments.run_id}/{arguments.measurement_id}/{arguments.host_role}"
        self._spool = os.path.join(arguments.state_directory, "spool", stream_path)
        shutil.rmtree(self._spool, ignore_errors=True)
        # A full disk may have no room for a folder either. What finds no room in the spool is uploaded from memory.
        with contextlib.suppress(OSError):
            os.makedirs(self._spool)
        self.uploader = Uploader(arguments.bucket, self._spool, stream_path)
        self.facts: dict[str, Any] = {}
        facts_path = os.path.join(arguments.state_directory, "host-facts.json")
        with contextlib.suppress(OSError, ValueError), open(facts_path, encoding="utf-8") as file:
            self.facts = json.load(file)
        self._chunks: list[dict[str, Any]] = []
        self.disk_was_full = False
        self._origin = {
            "runId": arguments.run_id,
            "pairId": arguments.pair_id,
            "measurementId": arguments.measurement_id,
            "hostRole": arguments.host_role,
            "instanceId": os.environ.get("AWS_SSM_INSTANCE_ID") or self.facts.get("instanceId") or "unknown",
            "tool": arguments.tool,
            "toolVersion": program_version(arguments.program or arguments.tool),
            "command": arguments.command,
        }

    def _now(self) -> float:
        """Returns Unix time that never jumps: the monotonic clock plus an offset that was read once."""
        return round(self._unix_time_offset + time.monotonic(), 6)

    def start(self) -> None:
        self._origin["startedAtSeconds"] = self._now()
        if self.facts:
            self.add("facts", facts=self.facts)

    def add(self, source: str, **content: object) -> None:
        self._append([encode({"time": self._now(), "source": source, **content})])

    def add_lines(self, source: str, lines: list[str]) -> None:
        """Adds lines that were read together. They share time and source, so only their text is encoded one by one."""
        if self.is_over_limit:
            return
        start = encode({"time": self._now(), "source": source})[:-1] + ',"line":'
        encoded = [start + encode(line) + "}" for line in lines]
        self._output_bytes += sum(map(len, encoded))
        self._append(encoded)

    def _append(self, encoded: list[str]) -> None:
        """Stores lines as text, which for ten seconds of lines takes a quarter of the memory of objects."""
        with self._lock:
            self._lines += encoded
            self._lines_bytes += sum(map(len, encoded))

    @property
    def is_full(self) -> bool:
        return self._lines_bytes >= CHUNK_BYTES

    @property
    def is_over_limit(self) -> bool:
        """Whether the tool has printed more than is kept; its further lines are left out."""
        return self._output_bytes > OUTPUT_BYTES

    @property
    def overflow(self) -> str:
        """What to say where the tool was stopped because of that."""
        tool, host_role = self._arguments.tool, self._arguments.host_role
        limit = f"{OUTPUT_BYTES // 1_000_000} MB"
        return f"the output of {tool} on the {host_role} was larger than {limit}, so {tool} was stopped"

    @property
    def chunk_count(self) -> int:
        return len(self._chunks)

    @property
    def line_count(self) -> int:
        return sum(chunk["lineCount"] for chunk in self._chunks)

    def cut(self) -> None:
        """Writes the lines collected so far as the next chunk; without any lines there is no chunk."""
        with self._lock:
            lines, self._lines, self._lines_bytes = self._lines, [], 0
        if not lines:
            return
        sequence = len(self._chunks)
        header = encode({"schema": CHUNK_SCHEMA, **self._origin, "sequence": sequence})
        text = "\n".join([header, *lines, ""])
        # Without a modification time in the gzip header, equal lines give equal bytes.
        body = gzip.compress(text.encode(), compresslevel=4, mtime=0)
        name = f"{sequence:06d}.ndjson.gz"
        digest = hashlib.sha256(body).hexdigest()
        self._chunks.append({"sequence": sequence, "key": name, "sha256": digest, "lineCount": len(lines)})
        self._spool_file(name, body)

    def _spool_file(self, name: str, body: bytes) -> None:
        """Writes a file for the uploader, which gets the bytes themselves where the disk has no room for them."""
        path = os.path.join(self._spool, name)
        try:
            with open(path, "wb") as file:
                file.write(body)
        except OSError as error:
            self.disk_was_full = self.disk_was_full or error.errno == errno.ENOSPC
            # What was written before the disk was full is no whole file, and takes up room.
            with contextlib.suppress(OSError):
                os.remove(path)
            self.uploader.put(name, body)
        else:
            self.uploader.put(name)

    def finish(self, exit_code: int | None, signal_name: str | None) -> bool:
        """Spools the remaining lines and the manifest; returns whether everything reached S3."""
        ended_at_seconds = self._now()
        self.cut()
        deadline_seconds = self._arguments.upload_deadline_seconds
        started = time.monotonic()
        prefix = self.uploader.key_prefix(deadline_seconds)
        if prefix is not None:
            manifest = {
                "schema": MANIFEST_SCHEMA,
                **self._origin,
                "endedAtSeconds": ended_at_seconds,
                "exitCode": exit_code,
                "signal": signal_name,
                "chunks": [{**chunk, "key": prefix + chunk["key"]} for chunk in self._chunks],
                "lineCount": self.line_count,
                "faults": [self.overflow] if self.is_over_limit else [],
                "warnings": [FULL_DISK] if self.disk_was_full else [],
            }
            self._spool_file("_COMPLETE.json", json.dumps(manifest).encode())
        return self.uploader.finish(max(0.0, deadline_seconds - (time.monotonic() - started)))


encode = json.JSONEncoder(separators=(",", ":")).encode


def program_version(program: str) -> str:
    # nginx has no --version, and prints what -v shows on standard error.
    for option in ("--version", "-v"):
        try:
            # Replacing undecodable bytes is enough: a program that prints no text prints no version either.
            answer = subprocess.run(
                [program, option], capture_output=True, encoding="utf-8", errors="replace", timeout=5, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return "unknown"
        text = answer.stdout + (answer.stderr if answer.returncode == 0 else "")
        if version := re.search(r"\d+(?:\.\d+)+", text):
            return version.group()
    return "unknown"


def printable(text: str) -> str:
    """Returns at most 400 characters of printable ASCII: the agent drops a reply that escaping makes too long."""
    return re.sub(r"[^ -~]+", " ", ANSI_COLOUR.sub("", text)).strip()[:400]


def print_result(status: str, exit_code: int | None, reason: str, **more: object) -> int:
    print(json.dumps({"status": status, "exitCode": exit_code, "reason": printable(reason), **more}), flush=True)
    return 0 if status == "complete" else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("run-id", "pair-id", "measurement-id", "bucket", "tool"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--host-role", required=True, choices=("client", "server"))
    parser.add_argument("--program", help="program that reports the tool's version; default: the tool's name")
    parser.add_argument("--interface", help="interface whose counters are sampled; default: that of the default route")
    parser.add_argument("--upload-deadline-seconds", type=float, default=60, help="counted from the tool's end")
    parser.add_argument("--state-directory", default="/var/lib/network-benchmark")
    parser.add_argument("--end-with-parent", action="store_true", help="stop when the calling script is killed")
    parser.add_argument("command", nargs="+", help="the tool's command line, after --")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    worker = None
    if arguments.end_with_parent:
        worker = DocumentWorker()
        # The agent kills the process group of a cancelled command. This process leaves that group and gets SIGTERM from
        # the kernel instead, so that it can still upload the lines it holds in memory.
        os.setpgid(0, 0)
        end_with_parent()
    stream = Stream(arguments)
    tool = ToolRun(stream, arguments.command, worker)
    stream.start()
    try:
        tool.start()
    except OSError as error:
        return print_result("failed", None, f"{arguments.command[0]}: {error.strerror}")
    signal.signal(signal.SIGTERM, tool.terminate)
    signal.signal(signal.SIGINT, tool.terminate)
    sampler = Sampler(stream, arguments.interface or default_interface(), tool.process_id)
    sampler.start()
    stream.uploader.start()
    tool.follow()
    sampler.end()
    is_uploaded = stream.finish(tool.exit_code, tool.signal_name)
    failure = tool.failure()
    if not is_uploaded:
        failure = f"{failure or 'the tool ended well'}; upload to S3 failed: {stream.uploader.last_error or 'too slow'}"
        if lost := stream.uploader.unspooled_count:
            failure += f"; {lost} of the files found no room on the disk either and are lost"
    if failure and stream.disk_was_full:
        failure += f"; {FULL_DISK}"
    status = "failed" if failure else "complete"
    counts = {"chunkCount": stream.chunk_count, "lineCount": stream.line_count}
    return print_result(status, tool.exit_code, failure, **counts)


if __name__ == "__main__":
    sys.exit(main())
