"""Runs one tool and streams what it prints to S3 while it runs, so that a host that dies keeps what it has measured.

Installed by the document prepare-host, with the modules beside it. It never parses a tool's figures: it stamps lines,
cuts them into gzip NDJSON chunks (format and keys: domain/model/raw-chunk.ts, domain/workflow/object-keys.ts),
samples counters beside them, and ends with a manifest. Its last line on stdout is the document's result, as JSON.
"""

from __future__ import annotations

import argparse
import ctypes
import gzip
import hashlib
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import threading
import time

from sampling import Sampler, default_interface
from upload import Uploader

# A host may die just before a chunk is uploaded: half a second for the upload, and 10 s is the most that is lost.
CHUNK_SECONDS = 9.5
# A tool that floods its output must not fill this host's memory: a chunk is also cut at this size.
CHUNK_BYTES = 4 * 1024 * 1024
LINE_BYTES = 64 * 1024
# A line that comes alone is stamped at once; those that come faster than this are read together, at a tenth of the cost
READ_PAUSE_SECONDS = 0.02
# How long a tool may go on after SIGTERM, and how long its pipes may stay open after it (a grandchild can hold them).
TERMINATE_SECONDS = 10
DRAIN_SECONDS = 2

CHUNK_SCHEMA = "network-benchmark.chunk.v1"
MANIFEST_SCHEMA = "network-benchmark.manifest.v1"
# The tools' own words for "this was no measurement"; several of their versions exit 0 all the same.
ERROR_LINE = re.compile(r"iperf3: (?:error|interrupt) - .*|ERROR: .*|No messages were received.*")
ANSI_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """Has the kernel send SIGTERM when the parent ends: it works where the parent is killed with SIGKILL, too."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Clock:
    """Unix time that never steps: the monotonic clock, anchored once."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def now(self) -> float:
        return round(self._offset + time.monotonic(), 6)


class ToolPipe:
    """One of the tool's outputs, split into lines."""

    def __init__(self, source: str, descriptor: int) -> None:
        self.source = source
        self.descriptor = descriptor
        self.is_open = True
        self._rest = b""
        os.set_blocking(descriptor, False)

    def read_lines(self) -> list[str]:
        try:
            read = os.read(self.descriptor, LINE_BYTES)
        except BlockingIOError:
            return []
        self.is_open = bool(read)
        ended, newline, self._rest = (self._rest + read).rpartition(b"\n")
        # A last line without an end, and one that does not end at all, are lines as well.
        if self._rest and (not read or len(self._rest) >= LINE_BYTES):
            ended, newline, self._rest = ended + newline + self._rest, b"\n", b""
        return ended.decode("utf-8", "replace").split("\n") if newline else []


class Stream:
    """The lines of one tool on one host: collected, cut into chunks, spooled."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.clock = Clock()
        self._arguments = arguments
        self._lines: list[str] = []
        self._lines_bytes = 0
        self._lock = threading.Lock()
        stream_path = f"{arguments.run_id}/{arguments.measurement_id}/{arguments.host_role}"
        self._spool = os.path.join(arguments.state_directory, "spool", stream_path)
        shutil.rmtree(self._spool, ignore_errors=True)
        os.makedirs(self._spool)
        self.uploader = Uploader(arguments.bucket, self._spool, stream_path)
        self.facts = self._read_facts()
        self._chunks: list[dict] = []
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

    def _read_facts(self) -> dict:
        try:
            with open(os.path.join(self._arguments.state_directory, "host-facts.json"), encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return {}

    def start(self) -> None:
        self._origin["startedAtSeconds"] = self.clock.now()
        if self.facts:
            self.add("facts", facts=self.facts)

    def add(self, source: str, **content: object) -> None:
        self._keep([encode({"time": self.clock.now(), "source": source, **content})])

    def add_lines(self, source: str, lines: list[str]) -> None:
        """Lines that were read together: they differ in their text only, and only that is encoded for each."""
        start = encode({"time": self.clock.now(), "source": source})[:-1] + ',"line":'
        self._keep([start + encode(line) + "}" for line in lines])

    def _keep(self, encoded: list[str]) -> None:
        """As text: ten seconds of it take a quarter of the memory of ten seconds of objects."""
        with self._lock:
            self._lines += encoded
            self._lines_bytes += sum(map(len, encoded))

    @property
    def is_full(self) -> bool:
        return self._lines_bytes >= CHUNK_BYTES

    @property
    def chunk_count(self) -> int:
        return len(self._chunks)

    @property
    def line_count(self) -> int:
        return sum(chunk["lineCount"] for chunk in self._chunks)

    def cut(self) -> None:
        with self._lock:
            lines, self._lines, self._lines_bytes = self._lines, [], 0
        if not lines:
            return
        sequence = len(self._chunks)
        header = encode({"schema": CHUNK_SCHEMA, **self._origin, "sequence": sequence})
        text = "\n".join([header, *lines, ""])
        # mtime 0: the same lines are the same bytes.
        body = gzip.compress(text.encode(), compresslevel=4, mtime=0)
        name = f"{sequence:06d}.ndjson.gz"
        digest = hashlib.sha256(body).hexdigest()
        self._chunks.append({"sequence": sequence, "key": name, "sha256": digest, "lineCount": len(lines)})
        self._spool_file(name, body)

    def _spool_file(self, name: str, body: bytes) -> None:
        path = os.path.join(self._spool, name)
        with open(f"{path}.part", "wb") as file:
            file.write(body)
        os.replace(f"{path}.part", path)
        self.uploader.put(name)

    def finish(self, exit_code: int | None, signal_name: str | None) -> bool:
        """Spools the rest and the manifest; true when all of it is in S3."""
        ended_at_seconds = self.clock.now()
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
            }
            self._spool_file("_COMPLETE.json", json.dumps(manifest).encode())
        return self.uploader.finish(max(0.0, deadline_seconds - (time.monotonic() - started)))


class ToolRun:
    """The tool's process and what it said of itself."""

    def __init__(self, stream: Stream, command: list[str]) -> None:
        self._stream = stream
        self._command = command
        self._last_line = ""
        self._error_line = ""
        self._terminate_deadline: float | None = None
        self.was_terminated = False
        self.exit_code: int | None = None
        self.signal_name: str | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # A session of its own, so that a tool that does not heed SIGTERM is killed with its children.
            start_new_session=True,
            # Without this process nobody reads the tool's lines: it must not go on alone.
            preexec_fn=end_with_parent,
        )
        self._pipes = [
            ToolPipe("stdout", self._process.stdout.fileno()),
            ToolPipe("stderr", self._process.stderr.fileno()),
        ]

    @property
    def process_id(self) -> int:
        return self._process.pid

    def terminate(self, *_: object) -> None:
        """Signal handler: passes SIGTERM on; the tool's end then ends the stream in the usual way."""
        self.was_terminated = True
        if self._terminate_deadline is None:
            self._terminate_deadline = time.monotonic() + TERMINATE_SECONDS
            self._process.terminate()

    def follow(self, on_chunk_due) -> None:
        """Reads until the tool has ended and its pipes are empty."""
        poll = select.poll()
        pipes = {pipe.descriptor: pipe for pipe in self._pipes}
        for descriptor in pipes:
            poll.register(descriptor, select.POLLIN)
        next_cut = time.monotonic() + CHUNK_SECONDS
        drain_deadline = None
        # A tool that closes its outputs is not over, and the counters beside it are cut on.
        while pipes or self._process.poll() is None:
            now = time.monotonic()
            if now >= next_cut or self._stream.is_full:
                on_chunk_due()
                # The grid stays put; a cut for size does not move it.
                while next_cut <= now:
                    next_cut += CHUNK_SECONDS
            if self._process.poll() is not None:
                drain_deadline = drain_deadline or now + DRAIN_SECONDS
                if now >= drain_deadline:
                    break
            elif self._terminate_deadline is not None and now >= self._terminate_deadline:
                os.killpg(self._process.pid, signal.SIGKILL)
            for descriptor, _ in poll.poll(min(1.0, max(0.0, next_cut - now)) * 1000):
                pipe = pipes[descriptor]
                self._take(pipe)
                if not pipe.is_open:
                    poll.unregister(descriptor)
                    del pipes[descriptor]
            time.sleep(READ_PAUSE_SECONDS)
        code = self._process.wait()
        self.exit_code = code if code >= 0 else None
        self.signal_name = signal.Signals(-code).name if code < 0 else None

    def _take(self, pipe: ToolPipe) -> None:
        lines = pipe.read_lines()
        self._stream.add_lines(pipe.source, lines)
        self._last_line = next((line for line in reversed(lines) if line.strip()), self._last_line)
        for error in ERROR_LINE.finditer("\n".join(lines)):
            self._error_line = error.group()

    def failure(self) -> str:
        """Why this was no whole run of the tool, in its own words where it has any; empty when nothing was wrong."""
        words = self._error_line or self._last_line
        if self.was_terminated:
            return f"stopped before its end: {words}" if words else "stopped before its end"
        if self.exit_code == 124:
            return f"ended by its time limit; last words: {words}"
        if self.exit_code != 0:
            how = self.signal_name or f"exit code {self.exit_code}"
            return words or f"ended with {how} and no words"
        return self._error_line


encode = json.JSONEncoder(separators=(",", ":")).encode


def program_version(program: str) -> str:
    try:
        # A tool that prints what is no text has no version that could be read, and that is all.
        answer = subprocess.run(
            [program, "--version"], capture_output=True, encoding="utf-8", errors="replace", timeout=5, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    version = re.search(r"\d+(?:\.\d+)+", answer)
    return version.group() if version else "unknown"


def printable(text: str) -> str:
    """At most 400 characters of printable ASCII: the agent drops a reply that grows too large by escaping."""
    return re.sub(r"[^ -~]+", " ", ANSI_COLOUR.sub("", text)).strip()[:400]


def print_result(status: str, exit_code: int | None, reason: str, **more: object) -> int:
    print(json.dumps({"status": status, "exitCode": exit_code, "reason": printable(reason), **more}), flush=True)
    return 0 if status == "complete" else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("run-id", "pair-id", "measurement-id", "bucket", "tool"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--host-role", required=True, choices=("client", "server"))
    parser.add_argument("--program", help="what is asked for the tool's version; default: the tool's own name")
    parser.add_argument("--interface", help="the interface whose counters are sampled; default: the default route's")
    parser.add_argument("--upload-deadline-seconds", type=float, default=60, help="counted from the tool's end")
    parser.add_argument("--state-directory", default="/var/lib/network-benchmark")
    parser.add_argument("--end-with-parent", action="store_true", help="stop when the calling script is killed")
    parser.add_argument("command", nargs="+", help="the tool's argv, after --")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    if arguments.end_with_parent:
        # A cancelled command is killed with its whole process group. In a group of its own this process hears of it by
        # SIGTERM instead, and what it holds in memory still reaches S3.
        os.setpgid(0, 0)
        end_with_parent()
    stream = Stream(arguments)
    tool = ToolRun(stream, arguments.command)
    stream.start()
    try:
        tool.start()
    except OSError as error:
        return print_result("failed", None, f"{arguments.command[0]}: {error.strerror}")
    signal.signal(signal.SIGTERM, tool.terminate)
    signal.signal(signal.SIGINT, tool.terminate)
    sampler = Sampler(stream.add, arguments.interface or default_interface(), tool.process_id)
    sampler.start()
    stream.uploader.start()
    tool.follow(stream.cut)
    sampler.end()
    is_uploaded = stream.finish(tool.exit_code, tool.signal_name)
    failure = tool.failure()
    if not is_uploaded:
        failure = f"{failure or 'the tool ended well'}; upload to S3 failed: {stream.uploader.last_error or 'too slow'}"
    return print_result(
        "failed" if failure else "complete",
        tool.exit_code,
        failure,
        chunkCount=stream.chunk_count,
        lineCount=stream.line_count,
    )


if __name__ == "__main__":
    sys.exit(main())
