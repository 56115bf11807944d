"""Runs one aws:runShellScript step on a host as the agent does."""

import os
import signal
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from lab.hosts.fleet import HostFleet

KILLED_EXIT_CODE = 137
# How the agent reports that the shell itself, and not a program in it, was killed by somebody else.
KILLED_ITSELF_EXIT_CODE = -1
_KEPT_BYTES = 100_000
_CHUNK_BYTES = 4096
# The real agent copies a step's output byte by byte: the script has to wait half a minute for 10 MB.
_OUTPUT_BYTES_PER_SECOND = 360_000
_AGENT_WORKING_DIRECTORY = "/usr/bin"
# Writes standard input to a script in the directory $1 and runs it in the directory $2. The message about a directory
# that does not exist is the agent's misleading one. With Default Host Management the agent gives every script another
# role, in a file that the SDKs read before they ask for the instance profile: both are therefore files, in this order.
_START = r"""
umask 077
if [ -n "${AWS_ACCESS_KEY_ID:-}" ]; then
  export AWS_CONFIG_FILE=/var/lib/amazon/ssm/instance-profile
  export AWS_SHARED_CREDENTIALS_FILE=/var/lib/amazon/ssm/default-host-management
  printf '[default]\naws_access_key_id = %s\naws_secret_access_key = %s\naws_session_token = %s\n' \
    "$AWS_ACCESS_KEY_ID" "$AWS_SECRET_ACCESS_KEY" "$AWS_SESSION_TOKEN" >"$AWS_CONFIG_FILE"
  printf '[default]\naws_access_key_id = ASIADEFAULTHOSTMANAG\naws_secret_access_key = another-role\n' \
    >"$AWS_SHARED_CREDENTIALS_FILE"
  unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN
fi
script=$1/_script.sh
if ! { mkdir -p "$1" && cat >"$script" && chmod 700 "$script"; }; then
  echo 'script: must be written to the host, could not be' >&2
  exit 1
fi
cd "$2" 2>/dev/null || { echo 'fork/exec /usr/bin/sh: no such file or directory' >&2; exit 1; }
unset OLDPWD
umask 022
exec sh -c "$script" </dev/null
"""
# After the group is killed, a process that has left the group may keep the pipes open.
_PIPE_GRACE_SECONDS = 0.5
_POLL_SECONDS = 0.02


@dataclass(frozen=True)
class ScriptEnd:
    """How a script ended; on a lost host it has no exit code."""

    exit_code: int | None
    stdout: str
    stderr: str
    is_cancelled: bool = False


class ScriptRun:
    """One script in a process group of its own. `cancel` may be called at any time from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_cancelled = False

    def cancel(self) -> None:
        with self._lock:
            self._is_cancelled = True
            self._kill_group()

    def run(
        self,
        fleet: HostFleet,
        instance_id: str,
        directory: str,
        script: str,
        environment: dict[str, str],
        working_directory: str | None,
        timeout_seconds: float,
    ) -> ScriptEnd:
        """Writes the script to the host, runs it with `sh -c`, and waits for its end and for the end of its output."""
        start_in = working_directory if working_directory and working_directory[0] == "/" else _AGENT_WORKING_DIRECTORY
        command = fleet.command(instance_id, ["sh", "-c", _START, "sh", directory, start_in])
        pipe = subprocess.PIPE
        with self._lock:
            if self._is_cancelled:
                return ScriptEnd(KILLED_EXIT_CODE, "", "", is_cancelled=True)
            self._process = subprocess.Popen(
                command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
            )
        assert self._process.stdin is not None
        # The host may be lost in the meantime.
        with suppress(BrokenPipeError), self._process.stdin as script_file:
            script_file.write(script.encode())
        outputs = [_Output(self._process.stdout), _Output(self._process.stderr)]
        deadline_seconds = time.monotonic() + timeout_seconds
        is_timed_out = not self._wait(outputs, deadline_seconds)
        if is_timed_out:
            with self._lock:
                self._kill_group()
            self._process.wait()
        with self._lock:
            is_cancelled = self._is_cancelled
            code = self._process.returncode
            self._process = None
        stdout, stderr = (output.text() for output in outputs)
        if not fleet.is_running(instance_id):
            return ScriptEnd(None, stdout, stderr)
        code = KILLED_ITSELF_EXIT_CODE if code < 0 else code
        if is_timed_out or is_cancelled:
            code = KILLED_EXIT_CODE
        return ScriptEnd(code, stdout, stderr, is_cancelled)

    def _wait(self, outputs: list["_Output"], deadline_seconds: float) -> bool:
        """Waits for the script and its output; returns whether both ended in time."""
        assert self._process is not None
        try:
            self._process.wait(max(0.0, deadline_seconds - time.monotonic()))
        except subprocess.TimeoutExpired:
            return False
        while any(output.is_open for output in outputs) and not self._is_cancelled:
            if time.monotonic() >= deadline_seconds:
                return False
            time.sleep(_POLL_SECONDS)
        return True

    def _kill_group(self) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)


class _Output:
    """Reads one pipe at the agent's pace and keeps the beginning."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        assert pipe is not None
        self._pipe = pipe
        self._kept = bytearray()
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    @property
    def is_open(self) -> bool:
        return self._thread.is_alive()

    def text(self) -> str:
        self._thread.join(_PIPE_GRACE_SECONDS)
        return bytes(self._kept).decode("utf-8", errors="replace")

    def _drain(self) -> None:
        with self._pipe:
            while chunk := os.read(self._pipe.fileno(), _CHUNK_BYTES):
                self._kept += chunk[: max(0, _KEPT_BYTES - len(self._kept))]
                time.sleep(len(chunk) / _OUTPUT_BYTES_PER_SECOND)
