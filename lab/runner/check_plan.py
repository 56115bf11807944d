"""Checks a plan before anything runs, with the program that checks plans against an account's facts in a file.

The facts are the lab's. The embedded AWS answers with the same code, so this check and the run agree.
"""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lab.aws.described_account import ACCOUNT, DEFAULT_VCPUS, FAMILIES, usable_address_count
from lab.aws.ec2.images import IMAGES, PUBLIC_PARAMETERS, image_view
from lab.aws.ec2.types import offering_views, type_view
from lab.aws.settings import REGION, zone_id
from lab.hosts.profiles import Profiles
from lab.runner import LabError
from lab.runner.deployment import EVERY_PART, scale_tags
from lab.runner.paths import REPOSITORY
from lab.runner.store import Store

_WITH_PROBLEMS, _UNREADABLE = 1, 2
# The default of the stack's context `imageParameters`, which the lab does not set.
IMAGE_PARAMETERS = ["/network-benchmark/images/*"]
Facts = dict[str, Any]


def problems_of(plan_file: Path, store: Store, context: Mapping[str, str] | None = None) -> list[str]:
    """Returns every problem for which the service (and, with `context`, the deployment) would refuse the plan, one per
    line.

    Raises LabError if the file has no plan.
    """
    return check_plan(plan_file, store, context)[0]


def check_plan(
    plan_file: Path, store: Store, context: Mapping[str, str] | None = None, time_divisor: float | None = None
) -> tuple[list[str], list[str]]:
    """Returns the problems, and what a plan without any can't show, one per line."""
    with TemporaryDirectory(prefix="network-benchmark-lab-") as folder:
        facts_file = Path(folder, "facts.json")
        facts_file.write_text(json.dumps({**account_facts(store, time_divisor), "context": context or {}}, default=str))
        argv = ["bash", "scripts/run-bundle.sh", "check-plan", str(plan_file), str(facts_file)]
        done = subprocess.run(argv, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode == _UNREADABLE:
        raise LabError(f"--plan {done.stderr.strip()}")
    problems = done.stdout.splitlines()
    if done.returncode not in (0, _WITH_PROBLEMS) or (done.returncode == _WITH_PROBLEMS) != bool(problems):
        raise LabError(f"bin/check-plan.ts ended with code {done.returncode}: {done.stdout}{done.stderr}")
    return problems, [] if problems else done.stderr.splitlines()


def account_facts(store: Store, time_divisor: float | None = None) -> Facts:
    profiles = Profiles.load()
    names = ", ".join(sorted(profiles.instance_types))
    return {
        "region": REGION,
        "instanceTypes": [type_view(profile) for _, profile in sorted(profiles.instance_types.items())],
        "instanceTypeOfferings": offering_views(profiles, "availability-zone"),
        "typesInWords": f"one of the lab's types: {names} (npm run lab -- types lists them; EC2 has more)",
        "stackSubnets": _a_subnet_per_zone("stack"),
        "peeredSubnets": _a_subnet_per_zone("second"),
        "subnets": [*_user_subnets(), *store.subnets()],
        "images": [image_view(image) for image in IMAGES.values()],
        "parameters": ACCOUNT["parameters"] | PUBLIC_PARAMETERS,
        "vcpuQuotas": dict.fromkeys(FAMILIES, DEFAULT_VCPUS),
        "runIds": store.planned_run_ids(),
        "deployed": {
            "hostVpcs": EVERY_PART["hostVpcs"].split(","),
            "hasPublicAddresses": True,
            "imageParameters": IMAGE_PARAMETERS,
        },
        "deploymentTags": scale_tags(time_divisor),
    }


def _a_subnet_per_zone(network: str) -> list[Facts]:
    """Returns the subnets that the stack will create. Their ids are unknown before the deployment."""
    zones = sorted({zone for profile in Profiles.load().instance_types.values() for zone in profile.offered_zones})
    return [_subnet(f"subnet-{network}-{zone}", f"vpc-{network}", REGION + zone) for zone in zones]


def _user_subnets() -> list[Facts]:
    return [
        _subnet(subnet["subnetId"], vpc["vpcId"], subnet["zone"])
        | {
            "State": "available",
            "AvailableIpAddressCount": usable_address_count(subnet["subnetId"], subnet["cidrBlock"]),
        }
        for vpc in ACCOUNT["vpcs"]
        for subnet in vpc["subnets"]
    ]


def _subnet(subnet_id: str, vpc_id: str, zone: str) -> Facts:
    return {"SubnetId": subnet_id, "VpcId": vpc_id, "AvailabilityZone": zone, "AvailabilityZoneId": zone_id(zone)}
