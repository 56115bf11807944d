"""A version is deployed over another one that has results, and a run in flight."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.runner.deployment import STACK_NAME, destroy
from lab.runner.embedded_aws import EmbeddedAws, embedded_aws
from lab.runner.paths import REPOSITORY, LabPaths

from .releases import RELEASES, VERSIONS, deployed, released
from .running_lab import STEADY, Object, iperf3, pair, plan
from .shared_lab import SharedLab
from .test_deploy_and_destroy import inventory
from .test_nothing_left import made_for_pairs

# Longer than a deployment, also on a busy machine. Each measurement has a pair; the second one begins after it. They
# have everything that a pair can have of its own: groups for placement and of security, and load balancers.
OVER_NLB = pair(STEADY, path="nlb", placement="cluster")
IN_FLIGHT = plan("in-flight", [OVER_NLB], [iperf3(60), iperf3(61)], concurrency=1)


@pytest.fixture(scope="module")
def today(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What today's sources would deploy, ready before any run is in flight."""
    assembly = tmp_path_factory.mktemp("today")
    context = json.loads((RELEASES / "variants.json").read_text())["every-option"]
    settings = [f"--context={key}={value}" for key, value in context.items()]
    cdk = str(REPOSITORY / "node_modules/.bin/cdk")
    subprocess.run([cdk, "synth", "--quiet", f"--output={assembly}", *settings], cwd=REPOSITORY, check=True)
    return assembly


@pytest.fixture
def aws(shared_lab: SharedLab, tmp_path: Path) -> Iterator[EmbeddedAws]:
    shared_lab.end()
    paths = LabPaths(tmp_path / "lab")
    paths.renew()
    with embedded_aws(paths, with_hosts=True) as running:
        yield running


@pytest.mark.parametrize("version", VERSIONS)
def test_a_released_version_is_upgraded_with_results_and_a_run_in_flight(
    version: str, aws: EmbeddedAws, today: Path, tmp_path: Path
) -> None:
    empty = inventory(aws)
    lab = deployed(aws, released(version, tmp_path / "released"))
    bucket = lab.deployment.bucket
    before = lab.run(plan("before", [pair(STEADY)], [iperf3(5)]))
    assert before.status == "SUCCEEDED", before.cause
    stored = {key: lab.read(key) for key in lab.keys("") if f"{before.run_id}" in key}
    in_flight = lab.start(IN_FLIGHT)
    lab.wait_for_chunks(lab.run_id(in_flight), "client")

    lab = deployed(aws, today)

    assert aws.stepfunctions.describe_execution(executionArn=in_flight)["status"] == "RUNNING"
    assert lab.deployment.bucket == bucket
    during = lab.follow(in_flight)
    assert during.status == "SUCCEEDED", during.cause
    after = lab.run(plan("before", [pair(STEADY)], [iperf3(5)], compareTo="previous"))
    assert after.status == "SUCCEEDED", after.cause
    assert after.summary is not None
    assert after.summary["comparedRun"]["earlierRunId"] == before.run_id
    runs = [before.run_id, during.run_id, after.run_id]
    rows = lab.query("SELECT run_id, count(*) AS measurements FROM measurements GROUP BY run_id ORDER BY run_id")
    assert rows == [[run_id, count] for run_id, count in zip(sorted(runs), ["1", "2", "1"], strict=True)]
    assert [lab.summary_with_report(run_id)["runId"] for run_id in runs] == runs
    assert {key: lab.read(key) for key in stored} == stored
    index = lab.read("index.html").decode()
    assert [run_id for run_id in runs if run_id not in index] == []
    lab.wait_for("nothing of any pair to be left", lambda: made_for_pairs(lab) == {})
    destroy(aws, today)
    left = {kind: sorted(set(names) - set(empty[kind])) for kind, names in inventory(aws).items()}
    assert {kind: names for kind, names in left.items() if names} == {"s3 Buckets": [bucket]}


def test_a_run_keeps_the_handlers_documents_and_pairs_with_which_it_began(
    aws: EmbeddedAws, today: Path, tmp_path: Path
) -> None:
    lab = deployed(aws, today)
    in_flight = lab.start(IN_FLIGHT)
    lab.wait_for_chunks(lab.run_id(in_flight), "client")

    lab = deployed(aws, nothing_works(today, tmp_path / "tomorrow"))

    assert aws.stepfunctions.describe_execution(executionArn=in_flight)["status"] == "RUNNING"
    during = lab.follow(in_flight)
    assert during.status == "SUCCEEDED", during.cause
    assert len(lab.document(during.run_id, "summary.json")["measurements"]) == 2
    assert lab.pair_executions(during.run_id) == {"p0001": "SUCCEEDED", "p0002": "SUCCEEDED"}
    assert lab.run(IN_FLIGHT).status == "FAILED"


def nothing_works(today: Path, tomorrow: Path) -> Path:
    """A version whose handlers fail, and whose documents refuse what today's handlers send."""
    shutil.copytree(today, tomorrow)
    code = "0" * 64
    (tomorrow / f"asset.{code}").mkdir()
    (tomorrow / f"asset.{code}" / "index.mjs").write_text(
        "export const handler = () => { throw new Error('broken'); };"
    )
    template_file = tomorrow / f"{STACK_NAME}.template.json"
    # The id of a function's version is new with each code.
    text = re.sub(r"(CurrentVersion)[0-9A-Fa-f]+", r"\1Broken", template_file.read_text())
    resources = json.loads(text)["Resources"]
    pinned = {one["Properties"]["FunctionName"]["Ref"] for one in of_type(resources, "AWS::Lambda::Version")}
    assert len(pinned) == 6
    for name in pinned:
        resources[name]["Properties"]["Code"]["S3Key"] = f"{code}.zip"
    digests = {}
    for document in of_type(resources, "AWS::SSM::Document"):
        content = document["Properties"]["Content"]
        content["parameters"]["Colour"] = {"type": "String"}
        canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        digests[document["Properties"]["Name"]] = hashlib.sha256(canonical.encode()).hexdigest()
    (versions,) = (
        one for one in of_type(resources, "AWS::CloudFormation::CustomResource") if "Digests" in one["Properties"]
    )
    versions["Properties"]["Digests"] = digests
    template_file.write_text(json.dumps({**json.loads(text), "Resources": resources}))
    publish(tomorrow, code)
    return tomorrow


def of_type(resources: Object, kind: str) -> list[Object]:
    return [one for one in resources.values() if one["Type"] == kind]


def publish(assembly: Path, code: str) -> None:
    """Adds the code to the assets, and gives the template, which is one of them, another name."""
    assets_file, manifest = assembly / f"{STACK_NAME}.assets.json", assembly / "manifest.json"
    assets = json.loads(assets_file.read_text())
    (template,) = (name for name, one in assets["files"].items() if one["source"]["packaging"] == "file")
    handler = next(name for name, one in assets["files"].items() if one["source"]["packaging"] == "zip")
    assets["files"][code] = json.loads(json.dumps(assets["files"][handler]).replace(handler, code))
    renamed = "f" * len(template)
    assets_file.write_text(json.dumps(assets).replace(template, renamed))
    manifest.write_text(manifest.read_text().replace(template, renamed))
