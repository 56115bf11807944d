"""The namespaces around the lab: nothing gets out of them, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from lab import namespace

REPOSITORY = Path(__file__).resolve().parents[2]
ENTER = [sys.executable, "-m", "lab.namespace"]


def enter(*argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ENTER, *argv], cwd=REPOSITORY, capture_output=True, text=True, timeout=600, check=False)


def processes_with(mark: str) -> list[str]:
    """Returns the command lines with this mark of all processes that the test can see; zombies have none."""
    lines = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                lines.append((process / "cmdline").read_text().replace("\0", " "))
            except OSError:
                continue
    return [line for line in lines if mark in line]


def processes_under(process_id: int) -> list[int]:
    children = Path(f"/proc/{process_id}/task/{process_id}/children").read_text().split()
    return [int(child) for child in children]


def wait_until_gone(mark: str, seconds: float = 300) -> list[str]:
    deadline_seconds = time.monotonic() + seconds
    while (left := processes_with(mark)) and time.monotonic() < deadline_seconds:
        time.sleep(0.05)
    return left


def test_the_exit_code_passes_through() -> None:
    assert enter("sh", "-c", "exit 7").returncode == 7
    assert enter("sh", "-c", "kill -9 $$").returncode == 137


def test_standard_input_passes_through() -> None:
    answer = subprocess.run(
        [*ENTER, "cat"], cwd=REPOSITORY, input="a line\n", capture_output=True, text=True, check=True
    )

    assert answer.stdout == "a line\n"


def test_nothing_outside_can_be_reached() -> None:
    inside = enter(
        "sh",
        "-c",
        # Some kernels put further interfaces into every new namespace (tunl0, sit0), but these are down.
        "ip -o link show up | wc -l; ip route show table all | grep -vcE '^(local|broadcast|multicast)|dev lo'; id -u",
    )

    assert inside.stdout.split() == ["1", "0", "0"]
    connect = "import socket; socket.create_connection(('192.0.2.1', 443), timeout=2)"
    assert "Network is unreachable" in enter(sys.executable, "-c", connect).stderr


@pytest.mark.parametrize("folder", ["/run", "/dev/shm"])
def test_files_in_memory_are_not_visible_outside(folder: str) -> None:
    mark = f"{folder}/{uuid.uuid4()}"

    assert enter("sh", "-c", f"touch {mark}; ls {mark}").stdout.strip() == mark
    assert not Path(mark).exists()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_the_end_of_the_launcher_ends_everything(number: int) -> None:
    mark = str(uuid.uuid4())
    script = f"setsid sh -c 'trap \"\" TERM HUP INT; sleep 1000; : {mark}' & echo up; sleep 1000; : {mark}"
    launcher = subprocess.Popen(
        [*ENTER, "sh", "-c", script], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert launcher.stdout is not None
    assert launcher.stdout.readline() == "up\n"
    assert len(processes_with(mark)) >= 3

    os.kill(launcher.pid, number)
    launcher.wait(timeout=300)

    assert wait_until_gone(mark) == []


def test_ctrl_c_reaches_the_command_and_its_exit_code_comes_back() -> None:
    program = "import time\ntry:\n print('up', flush=True)\n time.sleep(100)\n"
    program += "except KeyboardInterrupt:\n raise SystemExit(42)"
    launcher = subprocess.Popen(
        [*ENTER, sys.executable, "-c", program],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert launcher.stdout is not None
    assert launcher.stdout.readline() == "up\n"

    os.killpg(launcher.pid, signal.SIGINT)

    assert launcher.wait(timeout=600) == 42


def test_a_command_beside_another_lab_uses_no_folder_of_another_user(tmp_path: Path) -> None:
    machines, own = tmp_path / "machine", tmp_path / "own"
    for folder in (machines, own):
        folder.mkdir()
    # Nobody, not even root, can use a file as the folder that tsx derives from the user's number.
    (machines / "tsx-0").touch()
    program = tmp_path / "program.ts"
    program.write_text("console.log(1)")
    lab = subprocess.Popen(
        [*ENTER, "sh", "-c", "echo up; read line"],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert lab.stdin is not None
    assert lab.stdout is not None
    assert lab.stdout.readline() == "up\n"
    inside = next(iter(processes_under(lab.pid)))

    tsx = str(REPOSITORY / "node_modules/.bin/tsx")
    answer = subprocess.run(
        namespace.command_inside(inside, [tsx, str(program)], str(own)),
        env={**os.environ, "TMPDIR": str(machines)},
        capture_output=True,
        text=True,
        check=False,
    )
    lab.stdin.close()
    lab.wait(timeout=600)

    assert (answer.stdout, answer.stderr) == ("1\n", "")


def test_a_machine_without_the_tools_gets_the_command_that_installs_them(tmp_path: Path) -> None:
    environment = {"PATH": str(tmp_path)}
    refused = subprocess.run(
        [sys.executable, "-c", "import lab.namespace as n; n._SYSTEM_PATH = ''; n.require_permitted()"],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert "unshare: must be installed, run: sudo apt-get install -y util-linux" in refused.stderr
