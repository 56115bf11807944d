"""AWS Free Tier, which MiniStack lacks: whether the account is on a free plan, with which EC2 refuses other types than
the eligible ones. `lab/user-account.json` has the plan that the lab starts with.
"""

from typing import Any

from lab.aws.described_account import ACCOUNT
from lab.aws.router import Action, Service
from lab.aws.settings import ACCOUNT_ID
from lab.aws.wire import AwsError, Request
from lab.hosts.profiles import Profile

PLANS = ("FREE", "PAID", "NONE")
"""NONE is an account without a plan, such as a member of an organization."""


class AccountPlan:
    def __init__(self) -> None:
        self._type: str = ACCOUNT["accountPlan"]

    def service(self) -> Service:
        return Service("freetier", {"GetAccountPlanState": Action(self._get)}, passes_on=False)

    def set_type(self, plan: str) -> None:
        if plan not in PLANS:
            raise ValueError(f"account plan: must be one of {', '.join(PLANS)}, got {plan}")
        self._type = plan

    def reset(self) -> None:
        self._type = ACCOUNT["accountPlan"]

    def check_launch(self, profile: Profile) -> None:
        """Raises the InvalidParameterCombination of EC2 for a type that a free plan does not have."""
        if self._type == "FREE" and not profile.free_tier_eligible:
            raise AwsError(
                "InvalidParameterCombination",
                "The specified instance type is not eligible for Free Tier. For a list of Free Tier instance types, "
                "run 'describe-instance-types' with the filter 'free-tier-eligible=true'.",
            )

    def _get(self, _: Request) -> dict[str, Any]:
        if self._type == "NONE":
            raise AwsError("ResourceNotFoundException", f"Account plan not found for account {ACCOUNT_ID}")
        return {"accountId": ACCOUNT_ID, "accountPlanType": self._type, "accountPlanStatus": "ACTIVE"}
