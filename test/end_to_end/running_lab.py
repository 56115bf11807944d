"""A deployed lab for a test: starts runs, breaks something, and looks at what is left."""

from __future__ import annotations

import gzip
import json
import threading
import time
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Callable
from typing import Any

from lab.runner.deployment import Deployment
from lab.runner.embedded_aws import EmbeddedAws
from lab.runner.paths import REPOSITORY
from lab.runner.query import query_result
from lab.runner.run_plan import RunResult, follow_run, start_run

# Its hosts are small, so that several runs at once neither need all of the machine nor of the account's vCPUs.
STEADY = "m4.xlarge"
LIVE_STATES = ["pending", "running", "shutting-down", "stopping", "stopped"]
Object = dict[str, Any]
USER_ACCOUNT: Object = json.loads((REPOSITORY / "lab" / "user-account.json").read_text())


def iperf3(duration_seconds: int, **settings: Any) -> Object:
    return {"tool": "iperf3", "durationSeconds": duration_seconds, **settings}


def plan(name: str, pairs: list[Object], measurements: list[Object], **settings: Any) -> Object:
    return {"name": name, "pairs": pairs, "measurements": measurements, **settings}


def pair(instance_type: str, **settings: Any) -> Object:
    return {"clientType": instance_type, "serverType": instance_type, **settings}


def is_disturbed(measurement: Object) -> bool:
    """Returns whether the measurement itself says that other work kept its hosts' processors busy."""
    return measurement.get("cpuContention") is not None


def _words(function: str) -> str:
    return "".join(word.capitalize() for word in function.split("-"))


def control(what: str, body: bytes | None = None, method: str = "POST") -> str:
    """Asks the control of the embedded AWS (lab/aws/control.py), and returns its answer."""
    request = urllib.request.Request(f"{EmbeddedAws.endpoint_url}/_lab/{what}", data=body, method=method)
    with urllib.request.urlopen(request, timeout=600) as response:
        return response.read().decode()


class RunningLab:
    def __init__(self, aws: EmbeddedAws, deployment: Deployment) -> None:
        self.aws = aws
        self.deployment = deployment
        self.ec2, self.functions, self.ssm = (self.client(service) for service in ("ec2", "lambda", "ssm"))
        self._starting = threading.Lock()

    def client(self, service: str) -> Any:
        return self.aws.session.client(service, endpoint_url=self.aws.endpoint_url)

    def start(self, benchmark_plan: Object) -> str:
        with self._starting:
            time.sleep(1)  # run ids have a resolution of one second
            return start_run(self.aws, self.deployment, benchmark_plan)

    def run_id(self, execution_arn: str) -> str:
        return execution_arn.rsplit(":", 1)[1]

    def follow(self, execution_arn: str) -> RunResult:
        return follow_run(self.aws, self.deployment, execution_arn, lambda event: None)

    def run(self, benchmark_plan: Object) -> RunResult:
        return self.follow(self.start(benchmark_plan))

    def stop(self, execution_arn: str) -> None:
        self.aws.stepfunctions.stop_execution(executionArn=execution_arn, error="Stopped", cause="by the test")

    def wait_for(self, what: str, condition: Callable[[], Any], seconds: float = 600) -> Any:
        """Returns the first true value of `condition`; fails after a limit that is long enough for a busy machine."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            value = condition()
            if value:
                return value
            time.sleep(0.5)
        raise AssertionError(f"{what}: did not happen within {seconds} s")

    def keys(self, prefix: str) -> list[str]:
        pages = self.aws.s3.get_paginator("list_objects_v2").paginate(Bucket=self.deployment.bucket, Prefix=prefix)
        return [item["Key"] for page in pages for item in page.get("Contents", [])]

    def read(self, key: str) -> bytes:
        body = self.aws.s3.get_object(Bucket=self.deployment.bucket, Key=key)["Body"].read()
        return gzip.decompress(body) if key.endswith(".gz") else body

    def rows(self, key: str) -> list[Object]:
        return [json.loads(line) for line in self.read(key).splitlines()]

    def document(self, run_id: str, name: str) -> Object:
        document: Object = json.loads(self.read(f"reports/{run_id}/{name}"))
        return document

    def summary_with_report(self, run_id: str) -> Object:
        """Waits for the report of a run, which is the last that is written of it, and returns its summary."""
        report_key = f"reports/{run_id}/report.html"
        self.wait_for("a report", lambda: self.keys(report_key) == [report_key])
        return self.document(run_id, "summary.json")

    def chunks(self, run_id: str, host_role: str, measurement_id: str = "p0001-m01") -> list[str]:
        """Returns the keys of what a host has uploaded of a measurement."""
        return [key for key in self.raw_chunk_keys(run_id, measurement_id) if f"/{host_role}/" in key]

    def wait_for_chunks(self, run_id: str, host_role: str, measurement_id: str = "p0001-m01") -> list[str]:
        """Waits until a host measures, and has uploaded two chunks of it."""
        chunks: list[str] = self.wait_for(
            f"two chunks of the {host_role}",
            lambda: len(found := self.chunks(run_id, host_role, measurement_id)) >= 2 and found,
        )
        return chunks

    def raw_chunk_keys(self, run_id: str, measurement_id: str) -> list[str]:
        return [
            key for key in self.keys("raw/") if f"/{run_id}/{measurement_id}/" in key and key.endswith(".ndjson.gz")
        ]

    def measured_seconds(self, run_id: str, measurement_id: str) -> list[int]:
        """Returns the seconds that the samples of the throughput in `samples/` cover, without a gap and none twice.

        On a busy machine a sample may be longer than a second, and the next ones are then shorter.
        """
        keys = [key for key in self.keys("samples/metric=throughput/") if f"/{run_id}." in key]
        assert len(keys) == 1, keys
        samples = [row for row in self.rows(keys[0]) if row["measurement_id"] == measurement_id]
        covered = 0.0
        for start, length in sorted((row["start_seconds"], row["length_seconds"]) for row in samples):
            assert abs(start - covered) < 0.05, f"{measurement_id}: {start} s comes after {covered} s"
            covered = start + length
        return list(range(round(covered)))

    def hosts(self, run_id: str, pair_id: str) -> Object:
        key = f"reports/{run_id}/pairs/{pair_id}.json"
        self.wait_for(f"{key} in the store", lambda: key in self.keys(key))
        return self.document(run_id, f"pairs/{pair_id}.json")

    def instances(self, *ids: str, **filters: list[str]) -> list[Object]:
        """Returns what DescribeInstances finds; a filter is named with `_` in place of `-`."""
        asked = [{"Name": name.replace("_", "-"), "Values": values} for name, values in filters.items()]
        named = {"InstanceIds": list(ids)} if ids else {}
        reservations = self.ec2.describe_instances(Filters=asked, **named)["Reservations"]
        return [instance for reservation in reservations for instance in reservation["Instances"]]

    def instances_left(self, run_id: str, states: list[str] = LIVE_STATES) -> list[str]:
        """Returns the instances of a run that are not terminated."""
        of_run = {"tag:network-benchmark:run-id": [run_id]}
        return [one["InstanceId"] for one in self.instances(instance_state_name=states, **of_run)]

    def user_networks(self) -> Object:
        """Returns all that is in the user's own VPCs, by kind, with free addresses and rules."""
        vpc_ids = [vpc["vpcId"] for vpc in USER_ACCOUNT["vpcs"]]
        of_user = [{"Name": "vpc-id", "Values": vpc_ids}]
        endpoints = self.ec2.describe_vpc_endpoints()["VpcEndpoints"]
        return {
            "hosts": [
                one["InstanceId"]
                for one in self.instances()
                if one["VpcId"] in vpc_ids and one["State"]["Name"] in LIVE_STATES
            ],
            "vpcs": self.ec2.describe_vpcs(VpcIds=vpc_ids)["Vpcs"],
            "subnets": self.ec2.describe_subnets(Filters=of_user)["Subnets"],
            "securityGroups": self.ec2.describe_security_groups(Filters=of_user)["SecurityGroups"],
            "routeTables": self.ec2.describe_route_tables(Filters=of_user)["RouteTables"],
            "networkAcls": self.ec2.describe_network_acls(Filters=of_user)["NetworkAcls"],
            "endpoints": [one for one in endpoints if one["VpcId"] in vpc_ids],
            "peerings": self.ec2.describe_vpc_peering_connections()["VpcPeeringConnections"],
            "natGateways": self.ec2.describe_nat_gateways(Filters=of_user)["NatGateways"],
        }

    def kill_host(self, instance_id: str) -> None:
        """Ends a host like a power cut."""
        control(f"kill-host?{urllib.parse.urlencode({'instance': instance_id})}")

    def refuse(self, action: str, code: str, times: int) -> None:
        """Answers the next requests of an action with an error."""
        self.fault(action, code, times=times)

    def fault(self, action: str, code: str, **fields: Any) -> None:
        """Makes something go wrong, as lab/aws/control.py describes; requests of the test itself are spared."""
        where = {"caller": ["function", "states", "host"]} | fields.pop("where", {})
        if action == "Boot":
            del where["caller"]  # nobody asks for the start of an instance that was launched
        control("faults", json.dumps({"action": action, "code": code, "where": where, **fields}).encode())

    def times_met(self, where: Object) -> int:
        """Returns how many requests have met the faults with exactly this `where`."""
        taken: int = json.loads(control("faults", json.dumps(where).encode(), "GET"))["taken"]
        return taken

    def break_function(self, function: str, code: str, **fields: Any) -> None:
        """Makes a function, named like its folder, crash, time out or run twice."""
        body = {"action": f"function:*{_words(function)}*", "code": code, **fields}
        control("faults", json.dumps(body).encode())

    def lose_events_about(self, run_id: str) -> None:
        """Loses the events about the state of the run and of its pairs."""
        fault = {"action": "event:Step Functions Execution Status Change", "code": "Lost", "times": None}
        control("faults", json.dumps(fault | {"where": {"name": f"{run_id}*"}}).encode())

    def set_quota(self, code: str, value: int) -> None:
        control("quotas", json.dumps({"code": code, "value": value}).encode())

    def slow_bare_metal(self, start_seconds: float, stop_seconds: float) -> None:
        """From now on, the hosts of bare-metal types take so much longer to boot and to be gone."""
        control("bare-metal", json.dumps({"start_seconds": start_seconds, "stop_seconds": stop_seconds}).encode())

    def slow_cards(self, instance_type: str, factor: float) -> None:
        """From now on, hosts of this type are launched with cards that carry this share of what they carry today."""
        control("slower-cards", json.dumps({"instance_type": instance_type, "factor": factor}).encode())

    def path_faults(self, *faults: str) -> None:
        """Gives the hosts that are launched from now on these faults (lab.hosts.path_fault), and no others."""
        control("path-faults", json.dumps(faults).encode())

    def set_account_plan(self, plan: str) -> None:
        """Puts the account on a plan of AWS Free Tier: FREE, PAID or NONE."""
        control("account-plan", json.dumps(plan).encode())

    def clear_account_plan(self) -> None:
        control("account-plan", method="DELETE")

    def clear_quotas(self) -> None:
        control("quotas", method="DELETE")

    def clear_faults(self) -> None:
        control("faults", method="DELETE")

    def clear(self) -> None:
        """Takes away what a module may have made go wrong, and for what a later one would fail."""
        self.clear_faults()
        self.clear_quotas()
        self.clear_account_plan()
        self.path_faults()
        self.slow_bare_metal(0, 0)

    def record_calls(self) -> None:
        """Keeps all calls to the embedded AWS from now on."""
        control("calls")

    def invoke(self, function: str, event: Object) -> Object:
        """Invokes a function by its short name; fails when the function does."""
        answer = self.functions.invoke(FunctionName=self.function_name(function), Payload=json.dumps(event).encode())
        payload = answer["Payload"].read()
        assert "FunctionError" not in answer, payload
        return json.loads(payload or b"null")

    def function_name(self, function: str) -> str:
        """Returns the deployed name of a function that is named like its folder."""
        names = [item["FunctionName"] for item in self.functions.list_functions()["Functions"]]
        (name,) = [name for name in names if _words(function) in name]
        return name

    def pair_executions(self, run_id: str) -> dict[str, str]:
        """Returns the status of each of the run's pair executions by pair id."""
        executions = self.aws.stepfunctions.list_executions(stateMachineArn=self.deployment.pair_state_machine_arn)[
            "executions"
        ]
        prefix = f"{run_id}-"
        return {e["name"].removeprefix(prefix): e["status"] for e in executions if e["name"].startswith(prefix)}

    def pair_histories(self, run_id: str) -> dict[str, list[Any]]:
        """Returns the history of each of the run's pair executions by pair id."""
        machine = self.deployment.pair_state_machine_arn
        return {pair_id: self._history(machine, f"{run_id}-{pair_id}") for pair_id in self.pair_executions(run_id)}

    def task_errors(self, run_id: str) -> Counter[str]:
        """Returns how often a call of a state failed, by the error's name, in the run and in its pairs."""
        run = self._history(self.deployment.run_state_machine_arn, run_id)
        histories = [run, *self.pair_histories(run_id).values()]
        failed = [event for events in histories for event in events if event["type"] == "TaskFailed"]
        return Counter(event["taskFailedEventDetails"]["error"] for event in failed)

    def _history(self, machine_arn: str, name: str) -> list[Any]:
        arn = f"{machine_arn.replace(':stateMachine:', ':execution:')}:{name}"
        pages = self.aws.stepfunctions.get_paginator("get_execution_history").paginate(executionArn=arn)
        return [event for page in pages for event in page["events"]]

    def query(self, sql: str) -> list[list[str | None]]:
        return query_result(self.aws, self.deployment, sql).rows
