"""Plans that are refused or only forecast, and launches that EC2 refuses: nothing is launched, and the run says why."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from lab.aws.described_account import ACCOUNT
from lab.aws.ec2.images import PUBLIC_PARAMETER, PUBLIC_PARAMETERS
from lab.runner.paths import REPOSITORY
from lab.runner.run_plan import RunResult

from .running_lab import STEADY, Object, RunningLab, control, iperf3, pair, plan

UNKNOWN_TYPE, NOT_IN_TWO_ZONES = pair("c5.nosuch"), pair("m8g.large", zoneRelation="other_zone")


@pytest.mark.parametrize(
    ("refused", "named"),
    [
        pytest.param(
            plan(
                "bad; rm -rf /",
                [UNKNOWN_TYPE, pair("c5.xlarge", zoneRelation="other_zone", placement="cluster"), NOT_IN_TWO_ZONES],
                [iperf3(1), iperf3(30, bogus=True)],
            ),
            ["plan.name", "plan.measurements[0].durationSeconds", "plan.measurements[1]"],
            id="by its form",
        ),
        pytest.param(
            plan("unknown types", [UNKNOWN_TYPE, NOT_IN_TWO_ZONES], [iperf3(30)]),
            ["c5.nosuch", "plan.pairs[1].zoneRelation", "m8g.large"],
            id="by its types",
        ),
    ],
)
def test_an_invalid_plan_is_rejected_as_a_whole_before_any_launch(
    lab: RunningLab, refused: Object, named: list[str]
) -> None:
    result = lab.run(refused)

    assert (result.status, result.error) == ("FAILED", "InvalidPlanError")
    assert [words for words in named if words not in result.cause] == [], result.cause
    assert lab.instances_left(result.run_id) == []
    assert result.summary["planName"] == refused["name"]
    assert (result.summary["outcome"], result.summary["interruptedReason"]) == ("failed", result.cause)


def test_a_run_that_cannot_be_planned_is_red_with_summary_report_and_a_readable_cause(lab: RunningLab) -> None:
    lab.refuse("ssm:GetParameter", "AccessDeniedException", times=1)

    result = lab.run(plan("not planned", [pair(STEADY)], [iperf3(15)]))

    assert (result.status, result.error) == ("FAILED", "AccessDeniedException")
    assert result.cause == "the plan could not be prepared: AccessDeniedException: AccessDeniedException"
    assert (result.summary["planName"], result.summary["outcome"]) == ("not planned", "failed")
    assert result.summary["interruptedReason"] == result.cause
    assert result.cause in result.report_path.read_text()


def test_a_name_that_the_store_has_of_91_days_ago_is_refused_and_nothing_of_it_changes(lab: RunningLab) -> None:
    dry_id = lab.run_id(lab.start(plan("name used again", [pair(STEADY)], [iperf3(15)], dryRun=True)))
    lab.wait_for("the plan", lambda: lab.keys(f"reports/{dry_id}/plan.json"))
    # The embedded AWS gives no name again, so that documents of an earlier run are put under a name that is free.
    name = f"again-{dry_id}"
    days_ago = (datetime.now(UTC) - timedelta(days=91)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    claim, planned = (lab.document(dry_id, f"{one}.json") for one in ("execution", "plan"))
    before = {
        "execution.json": claim | {"runId": name, "startedAt": days_ago},
        "plan.json": planned | {"runId": name, "createdAt": days_ago},
        "pairs/p0001.json": {"launchedAt": days_ago},
        "pairs/p0001-launch.json": {"launchedAt": days_ago},
        "summary.json": {"schema": "network-benchmark.summary.v1", "outcome": "complete"},
    }
    for document, content in before.items():
        body = json.dumps(content).encode()
        lab.aws.s3.put_object(Bucket=lab.deployment.bucket, Key=f"reports/{name}/{document}", Body=body)

    states, machine = lab.aws.stepfunctions, lab.deployment.run_state_machine_arn
    again = json.dumps(plan("name used again", [pair(STEADY)], [iperf3(15)]))
    arn = states.start_execution(stateMachineArn=machine, name=name, input=again)["executionArn"]
    lab.wait_for("its end", lambda: states.describe_execution(executionArn=arn)["status"] != "RUNNING")
    ended = states.describe_execution(executionArn=arn)
    # What the end of the execution starts by itself may not have come yet.
    lab.invoke("reap-run", {"detail": {"stateMachineArn": machine, "name": name}})
    lab.invoke("sweep-orphans", {})

    assert (ended["status"], ended["error"]) == ("FAILED", "RunIdTakenError")
    assert f'got "{name}", the name of an earlier run, which began at {days_ago}; nothing was' in ended["cause"]
    assert (lab.pair_executions(name), lab.instances_left(name)) == ({}, [])
    keys = lab.keys(f"reports/{name}/")
    after = {key.removeprefix(f"reports/{name}/"): json.loads(lab.read(key)) for key in keys}
    assert after == before


@pytest.mark.parametrize(
    ("detail", "is_published"),
    [
        ({"status": "SUCCEEDED"}, True),
        ({"status": "SUCCEEDED", "error": None}, True),
        ({"status": "FAILED", "error": "RunIncomplete"}, True),
        ({"status": "FAILED", "error": "RunIdTakenError"}, False),
        ({"status": "ABORTED", "error": None}, False),
    ],
)
def test_an_end_publishes_the_run_of_its_name_unless_that_is_an_earlier_one(
    lab: RunningLab, detail: Object, is_published: bool
) -> None:
    events = lab.client("events")
    (rule,) = [one for one in events.list_rules()["Rules"] if "RunEnded" in one["Name"]]
    event = {"id": "1", "account": "0", "source": "aws.states", "time": "2026-11-25T00:00:00Z", "region": "us-east-1"}
    event |= {"resources": [], "detail-type": "Step Functions Execution Status Change"}
    event |= {"detail": detail | {"stateMachineArn": lab.deployment.run_state_machine_arn}}
    found = events.test_event_pattern(EventPattern=rule["EventPattern"], Event=json.dumps(event))
    assert found["Result"] == is_published


def printed_forecast(result: RunResult, **variables: str) -> list[str]:
    """Returns what the lab prints of a dry run, on a terminal if `COLUMNS` is given."""
    command = ["node_modules/.bin/tsx", "bin/forecast-table.ts", str(result.forecast_folder)]
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | variables
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def test_a_run_is_in_the_index_where_s3_sends_no_events_yet(lab: RunningLab) -> None:
    """As in the first minutes after a deployment, in which a refused plan or a smoke test may well end."""
    no_events = {"action": "event:Object Created", "code": "Lost", "times": None}
    control("faults", json.dumps(no_events | {"where": {"object.key": "reports/*"}}).encode())

    result = lab.run(plan("first of all", [UNKNOWN_TYPE], [iperf3(15)]))

    assert result.error == "InvalidPlanError"

    def is_in_index() -> bool:
        return any(result.run_id in lab.read(key).decode() for key in lab.keys("index.html"))

    lab.wait_for("the run in the index", is_in_index)
    assert lab.times_met({"object.key": "reports/*"}) > 0


def test_a_dry_run_and_a_run_over_its_limit_launch_nothing(lab: RunningLab) -> None:
    far = [pair("c5.xlarge", zoneRelation="other_zone")]
    planned = lab.run(plan("dry", far, [iperf3(1800)], dryRun=True))
    refused = lab.run(plan("expensive", far, [iperf3(1800)], maxCostUsd=1))

    assert planned.status == "SUCCEEDED"
    assert planned.output["outcome"] == "dry_run"
    # The lab's c5.xlarge carries at most 1 Gbit/s: 225 GB in half an hour, at 0.02 USD per GB.
    (traffic,) = [line.split() for line in planned.output["forecast"] if line.startswith("cross zone traffic")]
    assert traffic[-1] == "4.50"
    assert printed_forecast(planned) == planned.output["forecast"]
    assert max(len(line) for line in printed_forecast(planned, COLUMNS="80")) <= 80
    assert refused.status == "FAILED"
    assert "plan.maxCostUsd: must be at least 5." in refused.cause
    assert [lab.pair_executions(run.run_id) for run in (planned, refused)] == [{}, {}]


@pytest.fixture
def four_vcpus_in_use(lab: RunningLab) -> Iterator[None]:
    """A host of somebody else's, of 4 of the account's 8 vCPUs."""
    vpc = ACCOUNT["vpcs"][0]
    wanted = {"vpc-id": vpc["vpcId"], "group-name": "default"}
    filters = [{"Name": name, "Values": [value]} for name, value in wanted.items()]
    (group,) = lab.ec2.describe_security_groups(Filters=filters)["SecurityGroups"]
    interface = {"DeviceIndex": 0, "SubnetId": vpc["subnets"][0]["subnetId"], "Groups": [group["GroupId"]]}
    (host,) = lab.ec2.run_instances(
        ImageId=PUBLIC_PARAMETERS[PUBLIC_PARAMETER.format("amd64")],
        InstanceType="c5.xlarge",
        MinCount=1,
        MaxCount=1,
        NetworkInterfaces=[interface],
    )["Instances"]
    lab.set_quota("L-1216C47A", 8)
    yield
    lab.clear_quotas()
    lab.ec2.terminate_instances(InstanceIds=[host["InstanceId"]])


@pytest.mark.usefixtures("four_vcpus_in_use")
def test_pairs_that_fit_one_by_one_beside_what_runs_are_measured_one_by_one_and_larger_ones_refused(
    lab: RunningLab,
) -> None:
    ping = [{"tool": "ping", "count": 10}]
    measured = lab.run(plan("one by one", [pair("m5.large"), pair("m5.large")], ping, concurrency=2))
    refused = lab.run(plan("too large", [pair("m5.xlarge")], ping))

    assert measured.status == "SUCCEEDED", measured.cause
    assert [each["status"] for each in measured.summary["pairs"]] == ["complete", "complete"]
    assert "2, at most 1 at a time" in measured.report_path.read_text()
    assert (refused.status, refused.error) == ("FAILED", "InvalidPlanError"), refused.cause
    assert "(L-1216C47A) is 8 vCPUs, of which 4 are in use, and the largest pair needs 8 vCPUs" in refused.cause
    assert lab.pair_executions(refused.run_id) == {}


def test_on_a_free_plan_other_types_are_refused_by_name_and_the_first_run_is_measured(lab: RunningLab) -> None:
    first_run = json.loads((REPOSITORY / "examples/plans/first-run.json").read_text())
    first_run["measurements"][-1]["durationSeconds"] = 15
    lab.set_account_plan("FREE")
    try:
        refused = lab.run(plan("paid types", [pair(STEADY)], [iperf3(15)]))
        first = lab.run(first_run)
        lab.set_account_plan("NONE")
        unknown = lab.run(plan("no plan", [pair(STEADY)], [iperf3(15)], dryRun=True))
    finally:
        lab.clear_account_plan()

    assert (refused.status, refused.error) == ("FAILED", "InvalidPlanError"), refused.cause
    allowed = "must be a type that the account's free plan may launch (t3.micro)"
    assert f'plan.pairs[0].clientType: {allowed}, got "{STEADY}"' in refused.cause
    assert lab.pair_executions(refused.run_id) == {}
    assert first.status == "SUCCEEDED", first.cause
    assert unknown.output["outcome"] == "dry_run"


# By instance type, what EC2 answers to an account in that state.
STATES_OF_AN_ACCOUNT = {
    "c6i.large": (
        "PendingVerification",
        "Your request for accessing resources in this region is being validated, and you will not be able to launch "
        "additional resources in this region until the validation is complete.",
    ),
    "c5n.large": (
        "OptInRequired",
        "You are not subscribed to this service. Please go to http://aws.amazon.com to subscribe.",
    ),
    "m6i.large": (
        "UnauthorizedOperation",
        "You are not authorized to perform this operation. User: arn:aws:sts::000000000000:assumed-role/launch-pair "
        "is not authorized to perform: ec2:RunInstances on resource: arn:aws:ec2:*:*:instance/* with "
        f"an explicit deny in a service control policy. Encoded authorization failure message: {'x' * 1200}",
    ),
}


def test_what_an_account_may_not_launch_yet_is_asked_for_once_and_reported_in_the_words_of_ec2(lab: RunningLab) -> None:
    for instance_type, (code, message) in STATES_OF_AN_ACCOUNT.items():
        lab.fault("RunInstances", code, times=1, message=message, where={"instanceType": instance_type})
    pairs = [pair(instance_type) for instance_type in STATES_OF_AN_ACCOUNT]

    # A second request would be granted.
    result = lab.run(plan("young account", pairs, [{"tool": "ping", "count": 10}], concurrency=3, order="as_written"))

    assert (result.status, result.error) == ("FAILED", "RunFailed")
    reasons = [each["reason"] for each in result.summary["pairs"]]
    wanted = [f"{code}: {message}" for code, message in STATES_OF_AN_ACCOUNT.values()]
    assert [words for words, reason in zip(wanted, reasons, strict=True) if not reason.endswith(words)] == [], reasons
    assert [words for words in wanted if words not in result.report_path.read_text()] == []
    assert lab.instances_left(result.run_id) == []
