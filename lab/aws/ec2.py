"""EC2: which of its actions are ours and which MiniStack's, and what holds for all of them.

MiniStack keeps the records; launching, ending, types, placement groups, security groups and interfaces are ours.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from ministack.core.responses import get_region
from ministack.services import ec2

from lab.aws import ec2_placement, ec2_security_groups, ec2_types, network_interfaces, patching
from lab.aws.data_paths import DataPaths
from lab.aws.ec2_describe import describe_instances, with_details
from lab.aws.ec2_instances import Instances, without_instances
from lab.aws.faults import Faults
from lab.aws.query import AwsError, Response, answer, answer_error, nest
from lab.hosts.profiles import Profiles

USED = ("_launch_instances_internal", "_resolve_launch_template_data", "_matches_filters", "_sg_xml", "_sg_rule_xml")
USED += ("_sg_rule_id", "_security_group_arn", "_resource_matches_tag_filters", "_network_interfaces", "_vpc_peering")
Action = Callable[[dict[str, Any]], Any]


class Ec2:
    """The hands on EC2. `install` puts them in place."""

    def __init__(self, instances: Instances, profiles: Profiles, faults: Faults, paths: DataPaths) -> None:
        self._instances = instances
        self._profiles = profiles
        self._faults = faults
        self._paths = paths

    def install(self) -> None:
        actions = patching.require(ec2, "_ACTION_MAP")
        for name in USED:
            patching.require(ec2, name)
        for action, handler in self._our_actions().items():
            patching.replace_entry(ec2, "_ACTION_MAP", action, self._ours(action, handler))
        actions["DescribeInstanceTypeOfferings"] = self._ours(  # which MiniStack lacks
            "DescribeInstanceTypeOfferings",
            lambda request: ec2_types.describe_instance_type_offerings(self._profiles, request, get_region()),
        )
        for action, original in actions.items():
            actions[action] = self._with_faults_and_paths(action, original)
        patching.wrap(ec2, "handle_request", _off_the_loop)
        patching.wrap(ec2, "_instance_xml", with_details)
        patching.replace(ec2, "_cleanup_terminated", lambda: None)  # a terminated instance stays visible for an hour
        patching.wrap(ec2, "load_persisted_state", without_instances)

    def _our_actions(self) -> dict[str, Action]:
        return {
            "RunInstances": self._instances.run,
            "TerminateInstances": self._instances.terminate,
            "DescribeInstances": describe_instances,
            "DescribeInstanceTypes": lambda request: ec2_types.describe_instance_types(self._profiles, request),
            "DescribeNetworkInterfaces": network_interfaces.describe_network_interfaces,
            "DeletePlacementGroup": self._alone(ec2_placement.delete_placement_group),
            "CreateSecurityGroup": self._alone(ec2_security_groups.create_security_group),
            "DeleteSecurityGroup": self._alone(ec2_security_groups.delete_security_group),
            "DescribeSecurityGroups": ec2_security_groups.describe_security_groups,
            "AuthorizeSecurityGroupIngress": self._alone(ec2_security_groups.authorize_ingress),
            "RevokeSecurityGroupIngress": self._alone(ec2_security_groups.revoke_ingress),
        }

    def _alone(self, action: Action) -> Action:
        """One change of records at a time, so that nothing comes between a check and what it allows."""

        def handle(request: dict[str, Any]) -> Any:
            with self._paths.records:
                return action(request)

        return handle

    def _ours(self, action: str, answer_request: Action) -> Action:
        def handle(parameters: dict[str, Any]) -> Response:
            result = answer_request(nest(parameters))
            return result if isinstance(result, tuple) else answer(action, result)

        return handle

    def _with_faults_and_paths(self, action: str, original: Action) -> Action:
        def handle(parameters: dict[str, Any]) -> Response:
            try:
                if action != "RunInstances":  # which looks for its faults once it knows type and zone
                    self._faults.raise_if_asked(action)
                if action == "CreatePlacementGroup":
                    ec2_placement.check_strategy(nest(parameters))
                response = original(parameters)
            except AwsError as error:
                return answer_error(error)
            if not action.startswith(("Describe", "Get")):
                self._paths.apply()
            return response

        return handle


def _off_the_loop(original: Callable[..., Any]) -> Callable[..., Any]:
    """Runs a request on a thread: a launch waits for the launch lock, and must not hold up every other service."""

    async def handle_request(*arguments: Any) -> Response:
        return await asyncio.to_thread(lambda: asyncio.run(original(*arguments)))

    return handle_request
