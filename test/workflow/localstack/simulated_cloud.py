"""What the state machines call, simulated: EC2, Systems Manager, Lambda's handlers and Step Functions' own API.

It keeps what EC2 and Systems Manager would keep, and answers by the second of the call. A scenario says what goes
wrong, by the fields of `Cloud` and by faults.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Call = dict[str, Any]
Reply = dict[str, Any]

BOOT_SECONDS, SHUTDOWN_SECONDS = 8, 6
HANDLERS = ("PlanRun", "LaunchPair", "ConnectPair", "AnalyseMeasurement", "DisconnectPair", "SummariseRun")


@dataclass
class Fault:
    """The next `times` calls of `action` get `reply`; an action is `ec2.DescribeInstances` or a handler's name."""

    action: str
    reply: Reply
    times: int = 1
    when: Callable[[Call], bool] = lambda call: True


@dataclass
class Host:
    instance_id: str
    pair_index: int
    launched_at: float
    ends_at: float | None = None
    reason: str | None = None

    def state(self, seconds: float) -> str:
        if self.ends_at is None:
            return "running" if seconds >= self.launched_at + 1 else "pending"
        return "terminated" if seconds >= self.ends_at else "shutting-down"


@dataclass
class Command:
    command_id: str
    document: str
    instance_ids: list[str]
    ends_at: float
    status: str = "Success"
    output: str = '{"ok": true}'
    status_details: str | None = None


@dataclass
class Cloud:
    """Two measurements per pair: p0001-m01, which needs a server, and p0001-m02, which doesn't."""

    pair_count: int = 1
    concurrency: int = 2
    dry_run: bool = False
    # What the output of summarise-run has of the plan's expectations; a plan without any has nothing.
    expectations: dict[str, Any] | None = None
    # What a command does instead of succeeding after five seconds, by the document's part of its name.
    commands_end: dict[str, dict[str, Any]] = field(default_factory=dict)
    # Seconds at which EC2 loses a host, by the host's id.
    hosts_die_at: dict[str, float] = field(default_factory=dict)
    connected_after_seconds: float = 0
    disconnected_after_seconds: float = 0
    group_stays_seconds: float = 0
    hosts_refuse_to_end: bool = False
    # EC2 looks through this many instances of its account for one page, and whatever else the account has comes first.
    instances_per_page: int = 1_000
    foreign_instances: int = 0
    analyses: dict[str, Reply] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    hosts: dict[str, Host] = field(default_factory=dict)
    commands: dict[str, Command] = field(default_factory=dict)
    groups: dict[int, float | None] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)
    invocations: list[tuple[str, Any]] = field(default_factory=list)
    connecting_since: dict[int, float] = field(default_factory=dict)
    disconnecting_since: dict[int, float] = field(default_factory=dict)
    seconds: float = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, call: Call) -> Reply:
        with self._lock:
            self.seconds = call["seconds"]
            action = _action(call)
            self.calls[action] += 1
            if action in HANDLERS:
                self.invocations.append((action, call["parameters"]["Payload"]))
            for fault in self.faults:
                if fault.action == action and fault.times > 0 and fault.when(call):
                    fault.times -= 1
                    return fault.reply
            if action in HANDLERS:
                return getattr(self, f"_{action}")(call["parameters"]["Payload"])
            result: Any = getattr(self, "_" + action.partition(".")[2])(call["parameters"])
            return result if "error" in result else {"answer": result}

    def running_hosts(self) -> list[str]:
        return [host.instance_id for host in self.hosts.values() if host.state(self.seconds) in ("pending", "running")]

    # Lambda

    def _PlanRun(self, payload: Any) -> Reply:
        return returned(
            {
                "runId": payload["runId"],
                "pairs": [] if self.dry_run else [pair_input(index) for index in range(self.pair_count)],
                "concurrency": self.concurrency,
                "dryRun": self.dry_run,
                "forecastUri": "s3://bucket/forecast",
                "expectedUsd": 0.5,
                "upperUsd": 1,
            }
        )

    def _LaunchPair(self, payload: Any) -> Reply:
        index = payload["pairIndex"]
        ids = [f"i-{index:04d}{role}" for role in ("c", "s")]
        for instance_id in ids:
            self.hosts.setdefault(instance_id, Host(instance_id, index, launched_at=self.seconds))
        self.groups.setdefault(index, None)
        return returned(
            {
                "pairId": f"p{index + 1:04d}",
                "clientInstanceId": ids[0],
                "serverInstanceId": ids[1],
                "placementGroupName": f"group-{index}",
                "prepare": _command("prepare-host", expected_seconds=5, deadline_seconds=120),
            }
        )

    def _ConnectPair(self, payload: Any) -> Reply:
        since = self.connecting_since.setdefault(payload["pairIndex"], self.seconds)
        if self.seconds - since < self.connected_after_seconds:
            return returned({"ready": False, "waitingFor": 'the load balancer "nlb-1" to be active'})
        measurements = [
            {
                "measurementId": f"p{payload['pairIndex'] + 1:04d}-m{index + 1:02d}",
                "measurementIndex": index,
                "serve": None if tool == "ping" else _command(f"serve-{tool}", 2, 60),
                "measure": _command(f"measure-{tool}", expected_seconds=60, deadline_seconds=180),
            }
            for index, tool in enumerate(("iperf3", "ping"))
        ]
        return returned({"ready": True, "measurements": measurements})

    def _AnalyseMeasurement(self, payload: Any) -> Reply:
        measurement_id = f"p{payload['pairIndex'] + 1:04d}-m{payload['measurementIndex'] + 1:02d}"
        if measurement_id in self.analyses and not payload["acceptTruncated"]:
            return self.analyses[measurement_id]
        reason = payload["failureReason"] or ("nothing came from the server" if payload["acceptTruncated"] else None)
        return returned(
            {
                "measurementId": measurement_id,
                "status": "failed" if reason else "complete",
                "reason": reason,
                "verdictKind": "steady",
            }
        )

    def _DisconnectPair(self, payload: Any) -> Reply:
        since = self.disconnecting_since.setdefault(payload["pairIndex"], self.seconds)
        gone = self.seconds - since >= self.disconnected_after_seconds
        return returned({"remaining": [] if gone else ["sg-1", "nlb-1"]})

    def _SummariseRun(self, payload: Any) -> Reply:
        failed = [f"p{pair['pairIndex'] + 1:04d}" for pair in payload["pairs"] if pair["status"] == "failed"]
        outcome = "complete" if not failed else "failed" if len(failed) == self.pair_count else "incomplete"
        expected = {} if self.expectations is None else {"expectations": self.expectations}
        return returned(
            {"runId": payload["runId"], "outcome": outcome, **expected, "failedPairs": failed, "verdicts": []}
        )

    # Step Functions

    def _StartExecution(self, parameters: Any) -> Any:
        return {}

    # EC2

    def _DescribeInstances(self, parameters: Any) -> Any:
        if "InstanceIds" in parameters:
            hosts = [self.hosts[instance_id] for instance_id in parameters["InstanceIds"]]
        else:
            filters = {one["Name"]: one["Values"] for one in parameters["Filters"]}
            index = _pair_index(filters)
            hosts = [
                host
                for host in self.hosts.values()
                if host.pair_index == index and self._state(host) in filters["instance-state-name"]
            ]
        described = []
        for host in hosts:
            instance = {"InstanceId": host.instance_id, "State": {"Name": self._state(host)}}
            described.append(instance | ({"StateReason": {"Message": host.reason}} if host.reason else {}))
        page, more = (described, {}) if "InstanceIds" in parameters else self._page(described, parameters)
        # EC2 puts instances that were launched by two calls into two reservations.
        return {"Reservations": [{"Instances": [instance]} for instance in page]} | more

    def _page(self, found: list[Reply], parameters: Any) -> tuple[list[Reply], Reply]:
        first = int(parameters.get("NextToken", "0"))
        beyond = first + self.instances_per_page
        looked_through = [None] * self.foreign_instances + found
        more = {"NextToken": str(beyond)} if beyond < len(looked_through) else {}
        return [one for one in looked_through[first:beyond] if one], more

    def _TerminateInstances(self, parameters: Any) -> Any:
        for instance_id in parameters["InstanceIds"]:
            if not self.hosts_refuse_to_end and self.hosts[instance_id].ends_at is None:
                self.hosts[instance_id].ends_at = self.seconds + SHUTDOWN_SECONDS
        return {"TerminatingInstances": []}

    def _DescribePlacementGroups(self, parameters: Any) -> Any:
        index = _pair_index({one["Name"]: one["Values"] for one in parameters["Filters"]})
        gone_at = self.groups.get(index, 0)
        groups = [] if gone_at is not None and gone_at <= self.seconds else [{"GroupName": f"group-{index}"}]
        return {"PlacementGroups": [group | {"State": "available"} for group in groups]}

    def _DeletePlacementGroup(self, parameters: Any) -> Any:
        index = int(parameters["GroupName"].removeprefix("group-"))
        hosts = [host for host in self.hosts.values() if host.pair_index == index]
        if any(self._state(host) != "terminated" for host in hosts):
            return failing("InvalidPlacementGroup.InUse", "The placement group is in use", 400)
        if self.groups[index] is None:
            self.groups[index] = self.seconds + self.group_stays_seconds
        return {}

    def _state(self, host: Host) -> str:
        dies_at = self.hosts_die_at.get(host.instance_id)
        if dies_at is not None and self.seconds >= dies_at and host.ends_at is None:
            host.ends_at, host.reason = dies_at, 'Server.SpotInstanceTermination: "spot" was taken back'
        return host.state(self.seconds)

    # Systems Manager

    def _DescribeInstanceInformation(self, parameters: Any) -> Any:
        (ids,) = [one["Values"] for one in parameters["Filters"] if one["Key"] == "InstanceIds"]
        online = [
            {"InstanceId": instance_id, "PingStatus": "Online"}
            for instance_id in ids
            if self.seconds >= self.hosts[instance_id].launched_at + BOOT_SECONDS
            and self._state(self.hosts[instance_id]) == "running"
        ]
        return {"InstanceInformationList": online}

    def _SendCommand(self, parameters: Any) -> Any:
        command_id = f"00000000-0000-0000-0000-{len(self.commands):012d}"
        document = parameters["DocumentName"]
        ending = next((ending for part, ending in self.commands_end.items() if part in document), {})
        self.commands[command_id] = Command(
            command_id, document, parameters["InstanceIds"], **({"ends_at": self.seconds + 5} | ending)
        )
        return {"Command": {"CommandId": command_id}}

    def _ListCommandInvocations(self, parameters: Any) -> Any:
        command = self.commands[parameters["CommandId"]]
        ended = self.seconds >= command.ends_at
        status = command.status if ended else "InProgress"
        return {
            "CommandInvocations": [
                {
                    "InstanceId": instance_id,
                    "Status": status,
                    "StatusDetails": (command.status_details if ended else None) or status,
                    "CommandPlugins": [{"Name": "run", "Output": command.output if ended else ""}],
                }
                for instance_id in command.instance_ids
            ]
        }

    def _CancelCommand(self, parameters: Any) -> Any:
        command = self.commands[parameters["CommandId"]]
        command.status, command.ends_at = "Cancelled", min(command.ends_at, self.seconds)
        return {}


def pair_input(index: int) -> dict[str, Any]:
    """What plan-run says of a pair, in the words of `LaunchedPair`."""
    label = f"p{index + 1:04d} m5.large to m5.large"
    return {"pairIndex": index, "label": label, "onlineDeadlineSeconds": 600, "tearDownDeadlineSeconds": 900}


def returned(payload: Any) -> Reply:
    return {"answer": {"StatusCode": 200, "Payload": payload}}


def thrown(name: str, message: str) -> Reply:
    """What Lambda answers when a handler throws."""
    payload = {"errorType": name, "errorMessage": message, "trace": [name, "    at handler"]}
    return {"answer": {"StatusCode": 200, "FunctionError": "Unhandled", "Payload": payload}}


def failing(code: str, message: str, status: int) -> Reply:
    return {"error": {"code": code, "message": message, "status": status}}


def _action(call: Call) -> str:
    if call["service"] == "lambda":
        name = call["parameters"]["FunctionName"].removeprefix("Functions")
        return next(handler for handler in HANDLERS if name.startswith(handler))
    return f"{call['service']}.{call['operation']}"


def _pair_index(filters: dict[str, list[str]]) -> int:
    assert filters["tag:network-benchmark:stack"] and filters["tag:network-benchmark:run-id"]
    (pair_id,) = filters["tag:network-benchmark:pair-id"]
    return int(pair_id.removeprefix("p")) - 1


def _command(document: str, expected_seconds: int, deadline_seconds: int) -> dict[str, Any]:
    parameters = {"name": [document]}
    return {"document": document, "parameters": parameters} | {
        "expectedSeconds": expected_seconds,
        "deadlineSeconds": deadline_seconds,
    }
