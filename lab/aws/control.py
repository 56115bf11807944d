"""The application that is served: requests of tests to the lab itself, then the embedded AWS.

POST   /_lab/kill-host?instance=i-…   everything on the host ends at once
POST   /_lab/host-command?instance=i-…   ["sh", "-c", "…"] runs on the host as root, and must succeed
POST   /_lab/faults                   one fault, see below
GET    /_lab/faults                   how many requests have met the faults whose `where` is the body
DELETE /_lab/faults                   all faults end; with a body, those whose `where` it is
POST   /_lab/time-out?execution=ARN   the execution ends as at its machine's TimeoutSeconds
POST   /_lab/quotas                   {"code": "L-1216C47A", "value": 8}; "L-B99A9384" is that of Lambda's concurrent
                                      executions: what comes beyond it is throttled
DELETE /_lab/quotas
POST   /_lab/account-plan              "FREE", "PAID" or "NONE": the account's plan of AWS Free Tier
DELETE /_lab/account-plan
GET    /_lab/removals                 who removed what, and when
POST   /_lab/bare-metal               {"start_seconds": 60, "stop_seconds": 60}: how long the hosts of bare-metal types
                                      take to boot and to be gone, beyond what virtual ones take
POST   /_lab/slower-cards             {"instance_type": "m4.xlarge", "factor": 0.8}: the cards of this type's hosts that
                                      are launched from now on carry so much less, whatever EC2 publishes
POST   /_lab/path-faults              ["m5.large:loss=10%@20"]: the faults (lab.hosts.path_fault) of the hosts that are
                                      launched from now on, in place of those given before
GET    /_lab/resources?tag=KEY        what exists and costs, by kind; with a key, only what has a tag of that key
POST   /_lab/calls                    keeps all calls from now on
GET    /_lab/calls                    the calls, with their callers
POST   /_lab/save                     writes the state now; otherwise it is written at the end

A fault is a JSON object with the fields of `lab.aws.faults.Fault`; a pattern is one of the shell:

action         a pattern; EC2's actions have no prefix ("RunInstances"), the others' are "ssm:SendCommand",
               "elasticloadbalancing:CreateLoadBalancer", "servicequotas:GetServiceQuota", "states:StartExecution",
               "s3:PutObject", "lambda:Invoke", "sqs:SendMessage", "events:PutEvents", "athena:StartQueryExecution";
               "function:*ConnectPair*" is an invocation by the function's physical name, "event:Object Created" or
               "event:Step Functions Execution Status Change" or "event:Scheduled Event" an event on its way to a
               target; "Boot" is the start of an instance whose launch was accepted
code           the error, such as "ThrottlingException"; "ConnectionLost" cuts the connection. Of a function:
               "Runtime.ExitError", "Sandbox.Timedout", "Doubled". Of an event: "Lost", "Doubled", "Late". Of a start:
               the reason of the instance's state, such as "Client.InternalError"
times          how many requests meet it (1); null: all, until the faults are cleared
one_in         every K-th matching request, or
probability    a share of them, which `seed` (0) decides: the same seed, the same requests
after          true: the work is done, and only its answer is lost (false)
where          facts that the request must have, each a pattern or a list of them: its parameters under the API's names
               ("DocumentName", "Key", "prefix"), for RunInstances "zone" and "instanceType", and "caller": "function",
               "states", "host" or "operator" (the lab's runner and the tests themselves); "about" is all text of the
               request and of its sender's execution or event, with the tags of the instances in it. Of a function,
               and of its invocation by a state: its event's fields ("runId"). Of an event: its detail's fields
               ("object.key", "status"), "source", "target"
message        the error's text; the codes of `MESSAGES` have one
delay_seconds  how long the answer takes (0)
"""

import asyncio
import json
import subprocess
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

from lab.aws import embedded
from lab.aws.account_plan import AccountPlan
from lab.aws.authors import Authors
from lab.aws.bootstrap import bootstrap
from lab.aws.call_log import CallLog
from lab.aws.data_paths import DataPaths
from lab.aws.ec2.records import BareMetal, SecurityGroup, placement_groups, security_groups, tags_of
from lab.aws.ec2.records import Records as Ec2Records
from lab.aws.elb.records import Records as ElbRecords
from lab.aws.faults import Fault, Faults
from lab.aws.quotas import ServiceQuotas
from lab.aws.upstream_fixes.stepfunctions_stopping import time_out
from lab.aws.wire import CUT_HEADER
from lab.hosts.fleet import HostFleet

PREFIX = "/_lab/"
Resources = dict[str, list[dict[str, Any]]]
Action = Callable[[dict[str, str], Any], object]


class Application:
    def __init__(
        self,
        fleet: HostFleet,
        paths: DataPaths,
        faults: Faults,
        quotas: ServiceQuotas,
        account_plan: AccountPlan,
        ec2: Ec2Records,
        elb: ElbRecords,
        authors: Authors,
        call_log: CallLog,
    ) -> None:
        self._fleet = fleet
        self._paths = paths
        self._call_log = call_log
        self._actions: dict[tuple[str, str], Action] = {
            ("POST", "kill-host"): lambda query, _: fleet.kill_host(query["instance"]),
            ("POST", "host-command"): lambda query, argv: _run(fleet.command(query["instance"], argv)),
            ("POST", "faults"): lambda _, body: faults.add(Fault(**body)),
            ("DELETE", "faults"): lambda _, where: faults.clear(where),
            ("GET", "faults"): lambda _, where: {"taken": faults.taken(where)},
            ("POST", "time-out"): lambda query, _: time_out(query["execution"]),
            ("POST", "quotas"): lambda _, body: quotas.set_value(body["code"], body["value"]),
            ("DELETE", "quotas"): lambda _, __: quotas.reset(),
            ("POST", "account-plan"): lambda _, body: account_plan.set_type(body),
            ("DELETE", "account-plan"): lambda _, __: account_plan.reset(),
            ("GET", "removals"): lambda _, __: {"removals": authors.removals()},
            ("POST", "bare-metal"): lambda _, body: setattr(ec2, "bare_metal", BareMetal(**body)),
            ("POST", "slower-cards"): lambda _, body: fleet.slow_cards(**body),
            ("POST", "path-faults"): lambda _, body: fleet.set_path_faults(body),
            ("GET", "resources"): lambda query, _: resources(ec2, elb, query.get("tag")),
            ("POST", "calls"): lambda _, __: call_log.start(),
            ("GET", "calls"): lambda _, __: {"calls": call_log.calls()},
            ("POST", "save"): lambda _, __: embedded.save_state(),
        }

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await embedded.application(scope, receive, self._after_bootstrap(send))
        elif scope["type"] != "http":
            await embedded.application(scope, receive, send)
        elif not scope["path"].startswith(PREFIX):
            await self._call_log.serve(scope, receive, _cutting(send))
        else:
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        body = b""
        more = True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        # Runs on a thread, because an action may ask MiniStack, which answers on the event loop.
        status, text = await asyncio.to_thread(self._act, scope, body)
        await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", b"text/plain")]})
        await send({"type": "http.response.body", "body": text.encode()})

    def _act(self, scope: Any, body: bytes) -> tuple[int, str]:
        action = self._actions.get((scope["method"], scope["path"].removeprefix(PREFIX)))
        if action is None:
            return 404, f"{scope['path']}: must be one of {sorted(PREFIX + name for _, name in self._actions)}\n"
        query = {key: values[0] for key, values in parse_qs(scope["query_string"].decode()).items()}
        try:
            with embedded.lab_scope():
                found = action(query, json.loads(body) if body else None)
        except (LookupError, TypeError, ValueError) as error:
            return 400, f"{error}\n"
        return 200, "ok\n" if found is None else json.dumps(found)

    def _after_bootstrap(self, send: Any) -> Any:
        """Prepares the account after MiniStack has loaded its saved state, before the server accepts connections."""

        def get_ready() -> None:
            bootstrap()
            # The hosts' network is new, and the loaded state already has networks that it must follow.
            with embedded.lab_scope():
                self._paths.apply()

        async def send_message(message: Any) -> None:
            if message["type"] == "lifespan.startup.complete":
                await asyncio.to_thread(get_ready)
            await send(message)

        return send_message

    def close(self) -> None:
        self._fleet.close()


def _run(argv: list[str]) -> None:
    done = subprocess.run(argv, capture_output=True, text=True, timeout=30)
    if done.returncode != 0:
        raise ValueError(f"{argv[-1]}: must succeed, ended with {done.returncode}: {done.stderr}")


def _cutting(send: Any) -> Any:
    """Cuts the connection instead of answering, for a fault that loses the answer: the promised body never comes."""
    is_cut = False

    async def send_message(message: Any) -> None:
        nonlocal is_cut
        if message["type"] == "http.response.start" and CUT_HEADER.encode() in dict(message["headers"]):
            is_cut = True
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"1")]})
        elif not is_cut:
            await send(message)

    return send_message


def _admitted(group: SecurityGroup) -> list[str]:
    return [one["CidrIp"] for rule in group["IpPermissions"] for one in rule.get("IpRanges", [])]


def resources(ec2: Ec2Records, elb: ElbRecords, tag_key: str | None) -> Resources:
    """Lists what was created and still exists, by kind, with its tags; with a key, only what has a tag of that key, and
    the interfaces of load balancers, which have no tags.
    """
    found: Resources = {
        "instances": [
            {
                "id": one.instance_id,
                "state": one.state,
                "type": one.launch.profile.instance_type,
                "zone": one.launch.subnet.zone,
                "tags": one.launch.tags,
            }
            for one in ec2.not_terminated()
        ],
        "placementGroups": [{"name": one["GroupName"], "tags": tags_of(one)} for one in placement_groups()],
        "securityGroups": [
            {"id": one["GroupId"], "name": one["GroupName"], "admits": _admitted(one), "tags": tags_of(one)}
            for one in security_groups().values()
        ],
        "loadBalancers": [
            {"name": one.name, "state": one.state, "tags": one.tags} for one in list(elb.load_balancers.values())
        ],
        "targetGroups": [{"name": group.name, "tags": group.tags} for group in list(elb.target_groups.values())],
    }
    if tag_key is not None:
        found = {kind: [item for item in items if tag_key in item["tags"]] for kind, items in found.items()}
    found["loadBalancerInterfaces"] = [
        {"id": interface.interface_id, "description": interface.description}
        for interface in list(ec2.interfaces.values())
    ]
    return found
