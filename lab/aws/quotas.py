"""Service Quotas: vCPUs per family of instance types, which MiniStack lacks, and Lambda's concurrent executions, whose
limit MiniStack enforces and the lab sets.
"""

from collections.abc import Iterable
from typing import Any

from lab.aws import embedded
from lab.aws.described_account import DEFAULT_VCPUS, FAMILIES, quota_code
from lab.aws.router import Action, Service
from lab.aws.wire import AwsError, Request
from lab.hosts.profiles import Profile

CONCURRENT_EXECUTIONS = "L-B99A9384"


class ServiceQuotas:
    def __init__(self) -> None:
        self._values: dict[str, float] = {}
        self._default_executions: int = embedded.LAMBDA_CONCURRENCY.value

    def service(self) -> Service:
        return Service("service-quotas", {"GetServiceQuota": Action(self._get)}, passes_on=False)

    def set_value(self, code: str, value: float) -> None:
        if code == CONCURRENT_EXECUTIONS:
            embedded.LAMBDA_CONCURRENCY.replace(int(value))
        elif code in FAMILIES:
            self._values[code] = float(value)
        else:
            known = ", ".join([*FAMILIES, CONCURRENT_EXECUTIONS])
            raise ValueError(f"quota code: must be one of {known}, got {code}")

    def reset(self) -> None:
        self._values.clear()
        embedded.LAMBDA_CONCURRENCY.replace(self._default_executions)

    def check_launch(self, profile: Profile, count: int, running: Iterable[Profile]) -> None:
        """Raises VcpuLimitExceeded if `count` more instances of this type and those that run exceed the quota."""
        code = quota_code(profile.instance_type)
        limit = self._values.get(code, DEFAULT_VCPUS)
        used = sum(other.vcpu_count for other in running if quota_code(other.instance_type) == code)
        if used + count * profile.vcpu_count > limit:
            raise AwsError(
                "VcpuLimitExceeded",
                f"You have requested more vCPU capacity than your current vCPU limit of {limit:g} allows for the "
                "instance bucket that the specified instance type belongs to.",
            )

    def _get(self, request: Request) -> dict[str, Any]:
        service, code = request.get("ServiceCode"), request.get("QuotaCode")
        if service != "ec2" or code not in FAMILIES:
            raise AwsError("NoSuchResourceException", f"The lab has no quota {code} of service {service}")
        return {"Quota": {"ServiceCode": "ec2", "QuotaCode": code, "Value": self._values.get(code, DEFAULT_VCPUS)}}
