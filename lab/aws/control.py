"""What a test asks of the lab itself.

POST   /_lab/kill-host?instance=i-…   everything on the host ends at once
POST   /_lab/faults                   {"action": "RunInstances", "code": "VcpuLimitExceeded", "times": 3,
                                      "where": {"zone": "us-east-1a", "instanceType": "c5.xlarge"}}; "ssm:SendCommand"
DELETE /_lab/faults
POST   /_lab/save                     writes the state now, not only at the end
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

from ministack import app as ministack_app
from ministack.core import persistence

from lab.aws import patching
from lab.aws.faults import Fault, Faults
from lab.aws.machines import Fleet

PREFIX = "/_lab/"


class Application:
    """The ASGI application: our own paths, then MiniStack."""

    def __init__(self, fleet: Fleet, faults: Faults) -> None:
        self._fleet = fleet
        self._actions: dict[tuple[str, str], Callable[[dict[str, str], Any], None]] = {
            ("POST", "kill-host"): lambda query, _: fleet.kill_host(query["instance"]),
            ("POST", "faults"): lambda _, body: faults.add(Fault(**body)),
            ("DELETE", "faults"): lambda _, __: faults.clear(),
            ("POST", "save"): lambda _, __: persistence.save_all(ministack_app._build_persistence_save_dict()),
        }
        patching.require(ministack_app, "_build_persistence_save_dict")
        patching.require(persistence, "save_all")

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(PREFIX):
            await ministack_app.app(scope, receive, send)
            return
        body = b""
        more = True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        status, text = self._act(scope, body)
        await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", b"text/plain")]})
        await send({"type": "http.response.body", "body": text.encode()})

    def _act(self, scope: Any, body: bytes) -> tuple[int, str]:
        action = self._actions.get((scope["method"], scope["path"].removeprefix(PREFIX)))
        if action is None:
            return 404, f"{scope['path']}: must be one of {sorted(PREFIX + name for _, name in self._actions)}\n"
        query = {key: values[0] for key, values in parse_qs(scope["query_string"].decode()).items()}
        try:
            action(query, json.loads(body) if body else None)
        except (LookupError, TypeError, ValueError) as error:
            return 400, f"{error}\n"
        return 200, "ok\n"

    def close(self) -> None:
        self._fleet.close()
