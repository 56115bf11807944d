"""Service Quotas: how many vCPUs of a family of instance types may run at once, and RunInstances' refusal beyond."""

from __future__ import annotations

import json
import re
from typing import Any

from ministack import app
from ministack.core.responses import error_response_json, get_account_id, get_region, json_response
from ministack.services import ec2

from lab.aws import patching
from lab.aws.faults import Faults
from lab.aws.query import AwsError, Response
from lab.hosts.profiles import Profile, Profiles

DEFAULT_VCPUS = 256.0
TARGET = "ServiceQuotasV20190624."
STANDARD = "L-1216C47A"
# Families by the letters that their types' names begin with; the longest that fits counts.
FAMILIES = {
    STANDARD: ("Standard (A, C, D, H, I, M, R, T, Z)", ("a", "c", "d", "h", "i", "m", "r", "t", "z")),
    "L-DB2E81BA": ("G and VT", ("g", "vt")),
    "L-417A185B": ("P", ("p",)),
    "L-74FC7D96": ("F", ("f",)),
    "L-7295265B": ("X", ("x",)),
    "L-6E869C2A": ("DL", ("dl",)),
    "L-1945791B": ("Inf", ("inf",)),
    "L-2C3B7624": ("Trn", ("trn",)),
    "L-F7808C92": ("HPC", ("hpc",)),
    "L-43DA4232": ("High Memory", ("u",)),
}


def quota_code(instance_type: str) -> str:
    """The quota that a type counts against."""
    letters = re.match("[a-z]+", instance_type)
    prefixes = {prefix: code for code, (_, prefixes) in FAMILIES.items() for prefix in prefixes}
    for prefix in sorted(prefixes, key=len, reverse=True):
        if letters and letters.group().startswith(prefix):
            return prefixes[prefix]
    raise AwsError("InvalidParameterValue", f"Invalid value '{instance_type}' for InstanceType.")


class ServiceQuotas:
    """The quotas of the lab's account. `install` puts the service in place: MiniStack has none."""

    def __init__(self, profiles: Profiles, faults: Faults) -> None:
        self._profiles = profiles
        self._faults = faults
        self._values: dict[str, float] = {}

    def install(self) -> None:
        handlers = patching.require(app, "SERVICE_HANDLERS")
        if "servicequotas" in handlers:
            raise patching.IncompatibleMinistackError(
                "servicequotas: must be unknown to MiniStack, got a handler of its own"
            )
        handlers["servicequotas"] = self._handle_request

    def set_value(self, code: str, value: float) -> None:
        """What a test makes of a quota."""
        if code not in FAMILIES:
            raise ValueError(f"quota code: must be one of {', '.join(FAMILIES)}, got {code}")
        self._values[code] = float(value)

    def reset(self) -> None:
        self._values.clear()

    def check_launch(self, profile: Profile, count: int) -> None:
        """Raises VcpuLimitExceeded when so many more would not fit."""
        code = quota_code(profile.instance_type)
        limit = self._values.get(code, DEFAULT_VCPUS)
        running = sum(
            self._profiles.profile(instance["InstanceType"]).vcpu_count
            for instance in ec2._instances.values()
            if instance["State"]["Name"] in ("pending", "running") and quota_code(instance["InstanceType"]) == code
        )
        if running + count * profile.vcpu_count > limit:
            raise AwsError(
                "VcpuLimitExceeded",
                f"You have requested more vCPU capacity than your current vCPU limit of {limit:g} allows for the "
                "instance bucket that the specified instance type belongs to.",
            )

    async def _handle_request(self, method: str, path: str, headers: dict[str, str], body: Any, query: Any) -> Response:
        action = headers.get("x-amz-target", "").removeprefix(TARGET)
        try:
            self._faults.raise_if_asked(f"servicequotas:{action}")
            if action != "GetServiceQuota":
                raise AwsError("UnknownOperationException", f"The lab's Service Quotas know no {action}")
            return json_response({"Quota": self._quota(json.loads(body or "{}"))})
        except AwsError as error:
            return error_response_json(error.code, error.message, error.status)

    def _quota(self, request: dict[str, Any]) -> dict[str, Any]:
        service, code = request.get("ServiceCode"), request.get("QuotaCode")
        if service != "ec2" or code not in FAMILIES:
            raise AwsError("NoSuchResourceException", f"The lab has no quota {code} of service {service}")
        family, _ = FAMILIES[code]
        return {
            "ServiceCode": "ec2",
            "ServiceName": "Amazon Elastic Compute Cloud (Amazon EC2)",
            "QuotaArn": f"arn:aws:servicequotas:{get_region()}:{get_account_id()}:ec2/{code}",
            "QuotaCode": code,
            "QuotaName": f"Running On-Demand {family} instances",
            "Value": self._values.get(code, DEFAULT_VCPUS),
            "Unit": "None",
            "Adjustable": True,
            "GlobalQuota": False,
            "QuotaAppliedAtLevel": "ACCOUNT",
        }
