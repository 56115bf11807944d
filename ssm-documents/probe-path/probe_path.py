"""Probes the way to the server, and prints one line of JSON (`probeOutput` in domain/tools/probed-path.ts).

The server may refuse the TCP connection, because nothing listens there yet: a refusal proves the way, too.
"""

from __future__ import annotations

import concurrent.futures
import datetime
import json
import os
import shutil
import socket
import subprocess
import sys
import time

ATTEMPTS = 3
ATTEMPT_SECONDS = 5
# Where user data installs tracepath, that is at work while this runs.
INSTALL_SECONDS = 10
# tracepath gives a silent hop three seconds.
ROUTE_SECONDS = 25
MAX_HOPS = 30
# Systems Manager returns 2,500 characters of what a document prints.
ROUTE_CHARACTERS = 1_800


def connect(address: str, port: int) -> dict[str, object]:
    """Tries to connect until the server answers, three times at most, five seconds apart."""
    began = time.monotonic()
    answer = problem = None
    attempt = 0
    while answer is None and attempt < ATTEMPTS:
        time.sleep(max(0.0, began + attempt * ATTEMPT_SECONDS - time.monotonic()))
        attempt += 1
        try:
            socket.create_connection((address, port), timeout=ATTEMPT_SECONDS).close()
            answer = "accepted"
        except ConnectionRefusedError:
            answer = "refused"
        except TimeoutError:
            problem = "no answer"
        except OSError as error:
            problem = error.strerror or str(error)
    return {
        "answer": answer,
        "attempts": attempt,
        "seconds": round(time.monotonic() - began, 3),
        "problem": problem if answer is None else None,
    }


def find_route(address: str) -> dict[str, str | None]:
    """Returns the text of tracepath, or why there is none."""
    deadline = time.monotonic() + INSTALL_SECONDS
    while shutil.which("tracepath") is None:
        if time.monotonic() >= deadline:
            return {"route": "", "routeProblem": "tracepath is not installed"}
        time.sleep(0.5)
    traced = subprocess.run(
        ["timeout", str(ROUTE_SECONDS), "stdbuf", "-oL", "tracepath", "-n", "-m", str(MAX_HOPS), address],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, "LC_ALL": "C"},
        check=False,
    )
    problem = None if traced.stdout else f"tracepath ended with exit code {traced.returncode} and printed nothing"
    return {"route": traced.stdout[:ROUTE_CHARACTERS], "routeProblem": problem}


def main() -> None:
    address, port = sys.argv[1], int(sys.argv[2])
    probed_at = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        route = pool.submit(find_route, address)
        connection = connect(address, port)
        print(json.dumps({"probedAt": probed_at, **connection, **route.result()}))


main()
