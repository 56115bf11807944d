"""Judges every call that the lab's embedded AWS logged by the policies that were deployed to it."""

from __future__ import annotations

import json
import urllib.request
from dataclasses import replace
from typing import Any

from lab.aws.settings import ACCOUNT_ID, REGION
from lab.runner.deployment import Deployment
from lab.runner.embedded_aws import EmbeddedAws

from .accesses import Account, accesses_of
from .calls import Caller, calls_of
from .simulator import Access, Policy, Principal, decisions


class RecordedCalls:
    """The calls of a lab from its start until now, each with what AWS would check."""

    def __init__(self, aws: EmbeddedAws, deployment: Deployment) -> None:
        self._aws = aws
        self._iam, self._lambda = (self._client(service) for service in ("iam", "lambda"))
        (profile,) = self._iam.list_instance_profiles()["InstanceProfiles"]
        (host_role,) = profile["Roles"]
        account = Account("aws", REGION, ACCOUNT_ID, host_role["Arn"], deployment.database, deployment.bucket)
        account.vpcs = {one["SubnetId"]: one["VpcId"] for one in self._client("ec2").describe_subnets()["Subnets"]}
        with urllib.request.urlopen(f"{aws.endpoint_url}/_lab/calls", timeout=60) as answer:
            calls = calls_of(json.load(answer)["calls"])
        # Tags of what exists at the end are not enough, because most of it is gone by then.
        for call in calls:
            account.learn(call)
        self.accesses: list[tuple[Caller, Access]] = []
        seen = set()
        for call in calls:
            for access in accesses_of(call, account) if call.caller.kind != "runner" else []:
                key = (call.caller, access.action, access.resource, json.dumps(access.context, sort_keys=True))
                if key not in seen:
                    seen.add(key)
                    self.accesses.append((call.caller, access))
        self.principals = {caller: self._principal(caller) for caller in {caller for caller, _ in self.accesses}}

    def denied(self, without: str | None = None) -> list[str]:
        """Returns what is denied; `without` plants a defect: no policy allows that action."""
        principals = self.principals
        if without is not None:
            denial = {"Effect": "Deny", "Action": without, "Resource": "*"}
            policy = {"Version": "2012-10-17", "Statement": [denial]}
            principals = {one: replace(who, policies=(*who.policies, policy)) for one, who in principals.items()}
        asked = [(principals[caller], access) for caller, access in self.accesses]
        return sorted(
            {
                f"{principal.arn}: {access.action} on {access.resource} with {access.context}"
                for (principal, access), decision in zip(asked, decisions(asked, ACCOUNT_ID), strict=True)
                if decision != "Allowed"
            }
        )

    def _principal(self, caller: Caller) -> Principal:
        session: dict[str, str | list[str]] = {}
        if caller.kind == "state machine":
            role = self._aws.stepfunctions.describe_state_machine(stateMachineArn=caller.name)["roleArn"]
        elif caller.kind == "function":
            role = self._lambda.get_function_configuration(FunctionName=caller.name)["Role"]
        else:
            keys = {"aws_access_key_id": caller.name, "aws_secret_access_key": "any", "aws_session_token": "any"}
            identity = self._client("sts", **keys).get_caller_identity()
            role = identity["Arn"].rsplit("/", 1)[0]
            session["aws:userid"] = identity["UserId"]
        name = role.split("/")[-1]
        return Principal(
            f"arn:aws:sts::{ACCOUNT_ID}:assumed-role/{name}/session", self._policies(name), session=session
        )

    def _policies(self, role: str) -> tuple[Policy, ...]:
        names = self._iam.list_role_policies(RoleName=role)["PolicyNames"]
        return tuple(self._iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"] for name in names)

    def _client(self, service: str, **keys: str) -> Any:
        return self._aws.session.client(service, endpoint_url=self._aws.endpoint_url, **keys)
