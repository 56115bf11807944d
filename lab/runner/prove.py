"""Runs `npm run prove` against the lab: the same program as in an account, without the checks that need AWS."""

import os
import signal
import subprocess
from pathlib import Path
from types import FrameType

from lab.runner.deployment import STACK_NAME
from lab.runner.embedded_aws import EmbeddedAws
from lab.runner.paths import REPOSITORY

CANNOT_PROVE = REPOSITORY / "lab/cannot-prove.json"


def prove(aws: EmbeddedAws, arguments: list[str], folder: Path) -> int:
    """Runs `test/on-aws/main.ts` in `folder` with these further arguments; returns its exit code."""
    command = [str(REPOSITORY / "node_modules/.bin/tsx"), str(REPOSITORY / "test/on-aws/main.ts")]
    command += ["--yes", f"--stack={STACK_NAME}", f"--cannot-answer={CANNOT_PROVE}", *arguments]
    # A session of its own keeps a terminal's Ctrl-C from reaching the program twice: this process passes it on, and
    # waits until the program has removed what it created.
    process = subprocess.Popen(command, cwd=folder, env=aws.environment, start_new_session=True)

    def pass_on(number: int, _: FrameType | None) -> None:
        os.kill(process.pid, number)

    before = {number: signal.signal(number, pass_on) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        return process.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
