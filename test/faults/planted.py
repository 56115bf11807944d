"""`npm run faults -- --planted`: plants each defect of the list in a deployed stack, makes some runs, and expects an
objection to every one of them.

A defect is a text of a source that is replaced before the handlers with this source are bundled anew. A text that is
not there ends the command, because a defect that was not planted must not look like one that nobody saw.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import time
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from faults.campaign import Campaign, campaign_in
from faults.defects import DEFECTS, Defect
from faults.fault import Fault, draw_fault
from faults.subject import Lab
from lab.runner.paths import REPOSITORY

PLANT = Path(__file__).with_name("plant.mjs")
UPDATE_SECONDS = 60
SEED, FIRST_NUMBER = 5, 2_000


@dataclass(frozen=True)
class Objected:
    """What the campaign said of a defect."""

    defect: Defect
    broken: list[str]
    seconds: float

    @property
    def is_seen(self) -> bool:
        return any(re.search(self.defect.objection, one) for one in self.broken)

    def line(self) -> str:
        said = next((one for one in self.broken if re.search(self.defect.objection, one)), None)
        words = f"objected: {said}" if said else f"NOT OBJECTED: must say {self.defect.objection}, says {self.broken}"
        return f"{self.defect.name} ({self.defect.layer}): {words[:240]} ({self.seconds:.0f} s)"


class Machines:
    """Both state machines of a deployed stack, whose definitions can be changed as an update changes them."""

    def __init__(self, lab: Lab) -> None:
        self._states = lab.aws.stepfunctions
        self._pair, self._run = lab.deployment.pair_state_machine_arn, lab.deployment.run_state_machine_arn
        self.pair, self.run = (
            str(self._states.describe_state_machine(stateMachineArn=arn)["definition"])
            for arn in (self._pair, self._run)
        )

    def deploy(self, pair: str, run: str) -> None:
        """A run starts its pairs in a version of their machine, so that this needs a new one."""
        self._states.update_state_machine(stateMachineArn=self._pair, definition=pair)
        version = self._states.publish_state_machine_version(stateMachineArn=self._pair)["stateMachineVersionArn"]
        named, count = re.subn(rf"{re.escape(self._pair)}:[0-9]+", version, run)
        if count == 0:
            raise ValueError(f"{self._run}: must start its pairs in a version of {self._pair}, does not")
        self._states.update_state_machine(stateMachineArn=self._run, definition=named)


class Nursery:
    """The functions of a deployed stack, in which sources can be changed and put back."""

    def __init__(self, campaign: Campaign, folder: Path) -> None:
        lab = campaign.lab
        self._machines = Machines(lab)
        self._lambda = lab.aws.session.client("lambda", endpoint_url=lab.aws.endpoint_url)
        self._assembly = lab.aws.paths.cloud_assembly
        self._folder = folder
        pages = self._lambda.get_paginator("list_functions").paginate()
        self._names = [one["FunctionName"] for page in pages for one in page["Functions"]]
        template = json.loads((self._assembly / "NetworkBenchmark.template.json").read_text())
        functions = {name: one for name, one in template["Resources"].items() if one["Type"] == "AWS::Lambda::Function"}
        self._assets = {
            name: self._assembly / f"asset.{one['Properties']['Code']['S3Key'].removesuffix('.zip')}"
            for name, one in functions.items()
        }

    def plant(self, defect: Defect) -> list[str]:
        """Replaces the handlers that have the defect; returns their names."""
        shutil.rmtree(self._folder, ignore_errors=True)
        patches = [{"file": one.file, "from": one.old, "to": one.new} for one in defect.patches]
        asked = json.dumps({"out": str(self._folder), "patches": patches})
        done = subprocess.run(["node", str(PLANT)], input=asked, capture_output=True, text=True, cwd=REPOSITORY)
        if done.returncode != 0:
            raise ValueError(f"{defect.name}: could not be planted: {done.stderr.strip()[-600:]}")
        names: list[str] = json.loads(done.stdout)
        pair, run = self._machines.pair, self._machines.run
        for name in names:
            function = self._update(name, (self._folder / name / "index.mjs").read_bytes())
            # The state machines invoke a version of a function, and everything else its latest code.
            version = self._lambda.publish_version(FunctionName=function)["Version"]
            pair, run = (
                re.sub(f":function:{function}:[0-9]+", f":function:{function}:{version}", one) for one in (pair, run)
            )
        self._machines.deploy(pair, run)
        return names

    def restore(self, names: list[str]) -> None:
        for name in names:
            self._update(name, (self._asset(name) / "index.mjs").read_bytes())
        self._machines.deploy(self._machines.pair, self._machines.run)

    def _asset(self, name: str) -> Path:
        (found,) = [path for logical, path in self._assets.items() if _words(name) in logical]
        return found

    def _update(self, name: str, bundle: bytes) -> str:
        """Gives a handler's function another bundle, and returns the function's name."""
        body = io.BytesIO()
        with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("index.mjs", bundle)
            for other in self._asset(name).iterdir():
                if other.name != "index.mjs":
                    archive.write(other, other.name)
        (function,) = [one for one in self._names if _words(name) in one]
        self._lambda.update_function_code(FunctionName=function, ZipFile=body.getvalue())
        deadline = time.monotonic() + UPDATE_SECONDS
        while self._lambda.get_function_configuration(FunctionName=function).get("LastUpdateStatus") == "InProgress":
            if time.monotonic() > deadline:
                raise ValueError(f"{function}: must have its new code within {UPDATE_SECONDS} s, has not")
            time.sleep(0.5)
        return str(function)


def _words(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("-")) + "Handler"


def faults_of(defect: Defect, number: int) -> list[Fault]:
    """Returns the runs that are made with a defect; a fault's number names its run."""
    return [replace(first_fault(kind), number=number + index) for index, kind in enumerate(defect.kinds)]


def first_fault(kind: str) -> Fault:
    """Returns the first fault of a kind; `kind/words/trigger` must have these words at this moment."""
    name, words, trigger, *_ = [*kind.split("/"), "", ""]
    drawn = (draw_fault(SEED, number, [name]) for number in range(2_000))
    return next(one for one in drawn if words in one.words and trigger in one.trigger)


def run_planted(folder: Path) -> list[Objected]:
    """Deploys a lab, and plants each defect in it."""
    with campaign_in(folder) as campaign:
        campaign.add_foreign([f"f{FIRST_NUMBER + 10 * index}" for index in range(2)])
        return objections(campaign, folder / "planted")


def objections(campaign: Campaign, folder: Path, defects: Sequence[Defect] = DEFECTS) -> list[Objected]:
    nursery = Nursery(campaign, folder)
    found: list[Objected] = []
    for index, defect in enumerate(defects):
        started = time.monotonic()
        names = nursery.plant(defect)
        try:
            ended = campaign.run(faults_of(defect, FIRST_NUMBER + 10 * index), at_once=2, is_told=False)
            records = campaign.judge_at_last(ended, defect.look_seconds)
        finally:
            nursery.restore(names)
        broken = [one for record in records for one in record.verdict.broken]
        changed, seen = campaign.foreign_changes(), [one for each in found for one in each.broken]
        broken += [one for one in changed if one not in seen]
        found.append(Objected(defect, broken, time.monotonic() - started))
        print(f"{index + 1} of {len(defects)}: {found[-1].line()}", flush=True)
    return found
