"""What a test asks of the lab itself.

POST   /_lab/kill-host?instance=i-…   everything on the host ends at once
POST   /_lab/faults                   {"action": "RunInstances", "code": "VcpuLimitExceeded", "times": 3,
                                      "where": {"zone": "us-east-1a", "instanceType": "c5.xlarge"}}; other services'
                                      actions are "ssm:SendCommand", "elasticloadbalancing:CreateLoadBalancer",
                                      "servicequotas:GetServiceQuota"
DELETE /_lab/faults
POST   /_lab/quotas                   {"code": "L-1216C47A", "value": 8}
DELETE /_lab/quotas
GET    /_lab/resources?tag=KEY        what exists and costs, by kind; with a key, what has such a tag
POST   /_lab/save                     writes the state now, not only at the end
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

from ministack import app as ministack_app
from ministack.core import persistence
from ministack.core.responses import request_scope

from lab.aws import patching
from lab.aws.elb_records import Records
from lab.aws.faults import Fault, Faults
from lab.aws.inventory import resources
from lab.aws.machines import Fleet
from lab.aws.region import ACCOUNT_ID, REGION
from lab.aws.service_quotas import ServiceQuotas

PREFIX = "/_lab/"


class Application:
    """The ASGI application: our own paths, then MiniStack."""

    def __init__(self, fleet: Fleet, faults: Faults, quotas: ServiceQuotas, load_balancing: Records) -> None:
        self._fleet = fleet
        self._actions: dict[tuple[str, str], Callable[[dict[str, str], Any], None]] = {
            ("POST", "kill-host"): lambda query, _: fleet.kill_host(query["instance"]),
            ("POST", "faults"): lambda _, body: faults.add(Fault(**body)),
            ("DELETE", "faults"): lambda _, __: faults.clear(),
            ("POST", "quotas"): lambda _, body: quotas.set_value(body["code"], body["value"]),
            ("DELETE", "quotas"): lambda _, __: quotas.reset(),
            ("GET", "resources"): lambda query, _: resources(load_balancing, query.get("tag")),
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
            with request_scope(ACCOUNT_ID, REGION):
                found = action(query, json.loads(body) if body else None)
        except (LookupError, TypeError, ValueError) as error:
            return 400, f"{error}\n"
        return 200, "ok\n" if found is None else json.dumps(found)

    def close(self) -> None:
        self._fleet.close()
