"""The measuring tool as a child process: reads its output line by line, stops it when asked, and says why it failed."""

from __future__ import annotations

import ctypes
import os
import re
import select
import signal
import subprocess
import time
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from stream import Stream

# A host may die just before a chunk is uploaded. The limit for lost data is 10 s, of which the upload takes 0.5 s.
CHUNK_SECONDS = 9.5
LINE_BYTES = 64 * 1024
# A single line gets its time at once; lines that come faster than this are read together, at a tenth of the cost.
READ_PAUSE_SECONDS = 0.02
# How long a tool may go on after SIGTERM, and how long its pipes may stay open after its end: a grandchild that
# inherited them can keep them open.
TERMINATE_SECONDS = 10
DRAIN_SECONDS = 2
# How the tools report that nothing was measured. Several versions of them exit with 0 all the same.
ERROR_LINE = re.compile(r"iperf3: (?:error|interrupt) - .*|ERROR: .*|No messages were received.*")
PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """Asks the kernel for a SIGTERM when the parent process ends, even if the parent was killed with SIGKILL."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class DocumentWorker:
    """The agent's process that runs the document. When it dies, the script goes on, but nobody learns its result.

    The agent starts the script in a process group of its own, so the worker is the first ancestor outside that group.
    The kernel's signal at a parent's end is of no use here: it comes at the end of the thread that made the child.
    """

    def __init__(self) -> None:
        """Must be made before this process leaves the script's process group."""
        group = os.getpgrp()
        self._script = os.getpid()
        while (parent := parent_of(self._script)) and os.getpgid(parent) == group:
            self._script = parent
        self._worker = parent_of(self._script)

    @property
    def is_dead(self) -> bool:
        """Returns whether the script has got another parent; a script that has itself ended has none."""
        return parent_of(self._script) != self._worker


def signal_in(exit_code: int | None) -> str | None:
    """Returns the signal that an exit code stands for where a program reports how another ended (128 + signal)."""
    try:
        return signal.Signals((exit_code or 0) - 128).name
    except ValueError:
        return None


def parent_of(process_id: int) -> int | None:
    """Returns the parent's id, 0 for one outside this process namespace, or None when the process is gone."""
    fields = stat_fields(process_id)
    return int(fields[1]) if fields else None


def stat_fields(process_id: int) -> list[bytes]:
    """Returns what follows the process name in /proc/<pid>/stat; nothing when the process is gone."""
    try:
        with open(f"/proc/{process_id}/stat", "rb") as file:
            # The process name is in parentheses and may itself contain any character.
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return []


class ToolPipe:
    """One of the tool's outputs, split into lines."""

    def __init__(self, source: str, pipe: IO[bytes] | None) -> None:
        assert pipe is not None
        self.source = source
        self.descriptor = pipe.fileno()
        self.is_open = True
        self._rest = b""
        os.set_blocking(self.descriptor, False)

    def read_lines(self) -> list[str]:
        try:
            read = os.read(self.descriptor, LINE_BYTES)
        except BlockingIOError:
            return []
        self.is_open = bool(read)
        ended, newline, self._rest = (self._rest + read).rpartition(b"\n")
        # A last line without a newline is a line too, and so is every LINE_BYTES of one that never ends.
        if self._rest and (not read or len(self._rest) >= LINE_BYTES):
            ended, newline, self._rest = ended + newline + self._rest, b"\n", b""
        return ended.decode("utf-8", "replace").split("\n") if newline else []


class ToolRun:
    """The tool's process, and what its output says about success."""

    def __init__(self, stream: Stream, command: list[str], worker: DocumentWorker | None = None) -> None:
        """The tool is stopped when the document's worker dies; a server outlives its document and has none."""
        self._stream = stream
        self._worker = worker
        self._command = command
        self._last_line = ""
        self._error_line = ""
        self._terminate_deadline: float | None = None
        self.exit_code: int | None = None
        self.signal_name: str | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # In a session of its own, a tool that ignores SIGTERM can be killed together with its children.
            start_new_session=True,
            # When this process is gone nobody reads the tool's output, so the tool must end as well.
            preexec_fn=end_with_parent,
        )
        self._pipes = [ToolPipe("stdout", self._process.stdout), ToolPipe("stderr", self._process.stderr)]

    @property
    def process_id(self) -> int:
        return self._process.pid

    def terminate(self, *_: object) -> None:
        """Signal handler: passes SIGTERM on to the tool, whose end then ends the stream in the usual way."""
        if self._terminate_deadline is None:
            self._terminate_deadline = time.monotonic() + TERMINATE_SECONDS
            self._process.terminate()

    def follow(self) -> None:
        """Reads until the tool has ended and its pipes are empty, and has chunks cut on time."""
        poll = select.poll()
        pipes = {pipe.descriptor: pipe for pipe in self._pipes}
        for descriptor in pipes:
            poll.register(descriptor, select.POLLIN)
        next_cut = time.monotonic() + CHUNK_SECONDS
        drain_deadline = None
        # A tool that closes its outputs may still run. Its counters are sampled and cut until it ends.
        while pipes or self._process.poll() is None:
            now = time.monotonic()
            if self._stream.is_over_limit or (self._worker is not None and self._worker.is_dead):
                self.terminate()
            if now >= next_cut or self._stream.is_full:
                self._stream.cut()
                # Cuts stay on their grid; one for size does not move it.
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
        """Returns why the run failed, quoting the tool where it printed anything; empty when the run was good."""
        quote = self._error_line or self._last_line
        if self._stream.is_over_limit:
            return self._stream.overflow
        if self._terminate_deadline is not None:
            return f"stopped before its end: {quote}" if quote else "stopped before its end"
        if self.exit_code == 124:
            return f"ended by its time limit; last line: {quote}"
        if self.exit_code != 0:
            # Its last line is then an ordinary one, which would hide the signal.
            killed_by = self.signal_name or signal_in(self.exit_code)
            if killed_by and quote:
                return f"ended by {killed_by}; last line: {quote}"
            return quote or f"ended with {killed_by or f'exit code {self.exit_code}'} and printed nothing"
        return self._error_line
