"""CloudFormation's own linter checks the template: property names, types, values and references."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

CFN_LINT = Path(sys.executable).parent / "cfn-lint"
# The CDK writes out dependencies that a reference already implies, which is harmless and cannot be turned off.
IGNORED_RULES = ["W3005"]
REGIONS = ["us-east-1", "eu-west-1"]


def lint(template: Path) -> list[str]:
    result = subprocess.run(
        [
            *(CFN_LINT, "--format", "json", "--ignore-checks", *IGNORED_RULES),
            *("--regions", *REGIONS, "--template", str(template)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout.strip(), result.stderr
    return [
        f"{finding['Rule']['Id']} {'/'.join(map(str, finding['Location']['Path']))}: {finding['Message']}"
        for finding in json.loads(result.stdout)
    ]


def test_the_template_has_no_finding(template_file: Path) -> None:
    assert lint(template_file) == []


PRIVATE_VPC = {"vpcId": "vpc-0b1b2b3b", "subnetIds": "subnet-0a1a2a3a", "availabilityZones": "us-east-1a"}


@pytest.mark.parametrize(
    "context",
    [{}, {"hostVpcs": "any", "tags": "CostCenter=42"}, {**PRIVATE_VPC, "publicAddresses": "false"}],
    ids=["the defaults", "hosts in any network", "private subnets of an existing network"],
)
def test_the_template_of_another_context_has_no_finding(
    context: dict[str, object], print_template: Callable[..., Path]
) -> None:
    assert lint(print_template(context)) == []


def test_the_linter_finds_a_misspelt_property(template_file: Path, tmp_path: Path) -> None:
    faulty = json.loads(template_file.read_text())
    launch_template = next(r for r in faulty["Resources"].values() if r["Type"] == "AWS::EC2::LaunchTemplate")
    launch_template["Properties"]["LaunchTemplateData"]["MetadataOptions"]["HttpToken"] = "required"
    file = tmp_path / "faulty.template.json"
    file.write_text(json.dumps(faulty))
    assert any("HttpToken" in finding for finding in lint(file))
