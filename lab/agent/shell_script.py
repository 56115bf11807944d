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
# The agent reports this exit code when the shell itself, not a program in it, is killed by another process.
_KILLED_ITSELF_EXIT_CODE = -1
_KEPT_BYTES = 100_000
_CHUNK_BYTES = 4096
# The real agent copies a step's output byte by byte, so a script that prints 10 MB is held up for half a minute.
_OUTPUT_BYTES_PER_SECOND = 360_000
# The script's parent, a program in lab/hosts/bin/, reports by these signals what no exit code can.
_WORKER = "ssm-document-worker"
_SCRIPT_KILLED, _NO_DIRECTORY = -signal.SIGUSR1, -signal.SIGUSR2
# Writes standard input to a script in the directory $1 and runs it. With Default Host Management, the agent gives every
# script another role, in a file that the SDKs read before they ask for the instance profile. The lab therefore writes
# both roles to files, which the SDKs read in this order.
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
umask 022
exec sh -c "$script" </dev/null
"""
_POLL_SECONDS = 0.02


@dataclass(frozen=True)
class ScriptEnd:
    """How a script ended; `exit_code` is None on a lost host. `error` is what the agent adds to a failed step."""

    exit_code: int | None
    stdout: str
    stderr: str
    error: str = ""
    is_cancelled: bool = False
    is_worker_dead: bool = False


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
        """Writes the script to the host, runs it with `sh -c`, and waits until it and its output have ended.

        At the timeout, the process group gets SIGKILL and the step ends, even if a process still has its output open.
        If no process of the group is left to kill, the agent reports a failure instead of a timeout.
        """
        downloads = f"{os.path.dirname(directory)}/downloads"
        start = ["sh", "-c", _START, "sh", directory]
        command = fleet.command(instance_id, [_WORKER, downloads, working_directory or "", *start])
        pipe = subprocess.PIPE
        with self._lock:
            if self._is_cancelled:
                return ScriptEnd(KILLED_EXIT_CODE, "", "", is_cancelled=True)
            self._process = subprocess.Popen(
                command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
            )
        assert self._process.stdin is not None
        # The host may be lost before the script is written.
        with suppress(BrokenPipeError), self._process.stdin as script_file:
            script_file.write(script.encode())
        outputs = [_Output(self._process.stdout), _Output(self._process.stderr)]
        is_timed_out = not self._wait(outputs, time.monotonic() + timeout_seconds)
        for output in outputs:
            output.stop()
        with self._lock:
            is_killed = is_timed_out and self._kill_group()
            self._process.wait()
            is_cancelled = self._is_cancelled
            status = self._process.returncode
            self._process = None
        stdout, stderr = (output.text() for output in outputs)
        if not fleet.is_running(instance_id):
            return ScriptEnd(None, stdout, stderr)
        if is_cancelled or is_killed:
            return ScriptEnd(KILLED_EXIT_CODE, stdout, stderr, is_cancelled=is_cancelled)
        code, error = _code_and_error(status)
        if is_timed_out:
            code, error = 1, "no such process"
        return ScriptEnd(code, stdout, stderr, error, is_worker_dead=code is None)

    def _wait(self, outputs: list["_Output"], deadline_seconds: float) -> bool:
        """Waits for the script and its output; returns whether both ended in time. A dead worker reads no output."""
        assert self._process is not None
        try:
            status = self._process.wait(max(0.0, deadline_seconds - time.monotonic()))
        except subprocess.TimeoutExpired:
            return False
        is_worker_dead = _code_and_error(status)[0] is None
        while any(output.is_open for output in outputs) and not self._is_cancelled and not is_worker_dead:
            if time.monotonic() >= deadline_seconds:
                return False
            time.sleep(_POLL_SECONDS)
        return True

    def _kill_group(self) -> bool:
        """Kills the group with SIGKILL, and returns whether it still had a process."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
                return True
        return False


def _code_and_error(status: int) -> tuple[int | None, str]:
    """Maps the worker's exit status to the step's exit code and the agent's error; a killed worker has no code."""
    if status == _SCRIPT_KILLED:
        return _KILLED_ITSELF_EXIT_CODE, "signal: killed"
    if status == _NO_DIRECTORY:
        # The agent's message names the shell, which does exist; the working directory is what is missing.
        return 1, "fork/exec /usr/bin/sh: no such file or directory"
    return (None, "") if status < 0 else (status, f"exit status {status}")


class _Output:
    """Reads one pipe at the agent's pace and keeps the beginning of what it reads."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        assert pipe is not None
        self._pipe = pipe
        self._kept = bytearray()
        self._is_stopped = False
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    @property
    def is_open(self) -> bool:
        return self._thread.is_alive()

    def stop(self) -> None:
        """Stops keeping output. A process that still writes succeeds once; its second write finds the pipe closed."""
        self._is_stopped = True

    def text(self) -> str:
        return bytes(self._kept).decode("utf-8", errors="replace")

    def _drain(self) -> None:
        with self._pipe:
            while (chunk := os.read(self._pipe.fileno(), _CHUNK_BYTES)) and not self._is_stopped:
                self._kept += chunk[: max(0, _KEPT_BYTES - len(self._kept))]
                time.sleep(len(chunk) / _OUTPUT_BYTES_PER_SECOND)
