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


PRIVATE_VPC = {"vpcId": "vpc-0b1b2b3b", "subnetIds": "subnet-0a1a2a3a", "availabilityZones": "us-east-1a"}
CONTEXTS: dict[str, dict[str, object]] = {
    "the defaults": {},
    "hosts in any network": {"hostVpcs": "any", "tags": "CostCenter=42"},
    "private subnets of an existing network": {**PRIVATE_VPC, "publicAddresses": "false"},
}


@pytest.fixture(scope="module")
def faulty_file(template_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A template with a misspelt property."""
    faulty = json.loads(template_file.read_text())
    launch_template = next(r for r in faulty["Resources"].values() if r["Type"] == "AWS::EC2::LaunchTemplate")
    launch_template["Properties"]["LaunchTemplateData"]["MetadataOptions"]["HttpToken"] = "required"
    file = tmp_path_factory.mktemp("faulty") / "faulty.template.json"
    file.write_text(json.dumps(faulty))
    return file


@pytest.fixture(scope="module")
def context_files(print_template: Callable[..., Path]) -> dict[str, Path]:
    return {name: print_template(context) for name, context in CONTEXTS.items()}


@pytest.fixture(scope="module")
def findings(template_file: Path, faulty_file: Path, context_files: dict[str, Path]) -> dict[Path, list[str]]:
    """What the linter says of each template: it reads them all at once, because a start costs what a template does."""
    templates = [template_file, faulty_file, *context_files.values()]
    result = subprocess.run(
        [
            *(CFN_LINT, "--format", "json", "--ignore-checks", *IGNORED_RULES),
            *("--regions", *REGIONS, "--template", *map(str, templates)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout.strip(), result.stderr
    found: dict[Path, list[str]] = {template: [] for template in templates}
    for finding in json.loads(result.stdout):
        path = "/".join(map(str, finding["Location"]["Path"]))
        found[Path(finding["Filename"])].append(f"{finding['Rule']['Id']} {path}: {finding['Message']}")
    return found


def test_the_template_has_no_finding(template_file: Path, findings: dict[Path, list[str]]) -> None:
    assert findings[template_file] == []


@pytest.mark.parametrize("name", CONTEXTS)
def test_the_template_of_another_context_has_no_finding(
    name: str, context_files: dict[str, Path], findings: dict[Path, list[str]]
) -> None:
    assert findings[context_files[name]] == []


def test_the_linter_finds_a_misspelt_property(faulty_file: Path, findings: dict[Path, list[str]]) -> None:
    assert any("HttpToken" in finding for finding in findings[faulty_file])
