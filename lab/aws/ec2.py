"""EC2: instances that are hosts of the lab, with the states, refusals and delays that EC2 shows.

MiniStack keeps the records; launching, ending, describing types and placement groups are ours.
"""

from __future__ import annotations

import asyncio
import contextvars
import hashlib
import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from ministack.core.responses import get_account_id, get_region
from ministack.services import ec2, sts

from lab.aws import ec2_launch, ec2_types, patching
from lab.aws.ec2_describe import describe_instances, reservation, with_details
from lab.aws.ec2_security_groups import apply_security_groups
from lab.aws.faults import Faults
from lab.aws.machines import Fleet
from lab.aws.query import AwsError, Response, answer, answer_error, nest
from lab.hosts.profiles import Profiles

logger = logging.getLogger("lab.ec2")

PENDING_SECONDS = 1.0
SHUTTING_DOWN_SECONDS = 1.0
WATCH_SECONDS = 0.5
STATES = {"pending": 0, "running": 16, "shutting-down": 32, "terminated": 48}
USER_ENDED = ("Client.UserInitiatedShutdown", "User initiated shutdown")
HOST_ENDED = ("Client.InstanceInitiatedShutdown", "Instance initiated shutdown")
BOOT_FAILED = ("Server.InternalError", "Internal error on launch")


class Ec2:
    """The hands on EC2. `install` puts them in place."""

    def __init__(self, fleet: Fleet, profiles: Profiles, faults: Faults) -> None:
        self._fleet = fleet
        self._profiles = profiles
        self._faults = faults
        self._launch_lock = threading.Lock()
        self._host_locks: dict[str, threading.Lock] = {}
        self._tokens: dict[str, tuple[str, list[str]]] = {}

    def install(self) -> None:
        for action, handler in {
            "RunInstances": self._run_instances,
            "TerminateInstances": self._terminate_instances,
            "DescribeInstances": describe_instances,
            "DescribeInstanceTypes": lambda request: ec2_types.describe_instance_types(self._profiles, request),
            "DeletePlacementGroup": self._delete_placement_group,
        }.items():
            patching.replace_entry(ec2, "_ACTION_MAP", action, self._handler(action, handler))
        patching.require(ec2, "_ACTION_MAP")["DescribeInstanceTypeOfferings"] = self._handler(
            "DescribeInstanceTypeOfferings",
            lambda request: ec2_types.describe_instance_type_offerings(self._profiles, request, get_region()),
        )
        for action in ("AuthorizeSecurityGroupIngress", "RevokeSecurityGroupIngress"):
            original = patching.require(ec2, "_ACTION_MAP")[action]
            patching.replace_entry(ec2, "_ACTION_MAP", action, self._then_apply_security_groups(original))
        patching.wrap(ec2, "handle_request", _off_the_loop)
        patching.wrap(ec2, "_instance_xml", with_details)
        patching.replace(ec2, "_cleanup_terminated", lambda: None)  # a terminated instance stays visible for an hour
        patching.wrap(ec2, "load_persisted_state", _without_instances)
        for name in (
            "_launch_instances_internal",
            "_resolve_launch_template_data",
            "_matches_filters",
            "_parse_filters",
        ):
            patching.require(ec2, name)

    def kill_host(self, instance_id: str) -> None:
        """Everything on the host dies at once, as in a crash."""
        self._fleet.kill_host(instance_id)

    def _handler(
        self, action: str, answer_request: Callable[[dict[str, Any]], Any]
    ) -> Callable[[dict[str, Any]], Response]:
        def handle(parameters: dict[str, Any]) -> Response:
            try:
                request = nest(parameters)
                if action != "RunInstances":  # which looks for its faults once it knows type and zone
                    self._faults.raise_if_asked(action)
                result = answer_request(request)
                return result if isinstance(result, tuple) else answer(action, result)
            except AwsError as error:
                return answer_error(error)

        return handle

    def _run_instances(self, request: dict[str, Any]) -> Response:
        with self._launch_lock:
            token = request.get("ClientToken")
            asked = ec2_launch.fingerprint(request)
            if token in self._tokens:
                known, instance_ids = self._tokens[token]
                if known != asked:
                    raise AwsError(
                        "IdempotentParameterMismatch",
                        f"Arguments on this idempotent request are inconsistent with {token}",
                    )
                return reservation([ec2._instances[instance_id] for instance_id in instance_ids])
            launch = ec2_launch.plan_launch(request, self._profiles, self._faults, get_region())
            instances = [self._new_instance(launch) for _ in range(launch.count)]
            if token:
                self._tokens[token] = (asked, [instance["InstanceId"] for instance in instances])
                for instance in instances:
                    instance["ClientToken"] = token
            role = ec2_launch.role_of(launch.instance_profile)
            for instance in instances:
                _in_background(self._boot, instance, self._host_environment(instance, role))
        return reservation(instances)

    def _new_instance(self, launch: ec2_launch.Launch) -> dict[str, Any]:
        profile = launch.instance_profile
        instance = ec2._launch_instances_internal(
            image_id=launch.image_id,
            instance_type=launch.profile.instance_type,
            subnet_id=launch.subnet_id,
            count=1,
            user_data=launch.user_data,
            sg_ids=launch.security_group_ids,
            requested_private_ip=ec2_launch.free_address(launch.subnet_id),
            iam_profile={"Arn": profile["Arn"], "Id": profile["InstanceProfileId"]} if profile else None,
        )[0]
        instance["Architecture"] = launch.profile.architecture
        instance["Placement"] = {
            "AvailabilityZone": launch.zone,
            "Tenancy": "default",
            "GroupName": launch.placement_group or "",
        }
        instance["ShutdownBehavior"] = launch.shutdown_behavior
        if not launch.has_public_address:
            instance["PublicIpAddress"] = instance["PublicDnsName"] = ""
        if launch.tags:
            ec2._tags[instance["InstanceId"]] = [{"Key": key, "Value": value} for key, value in launch.tags.items()]
        _set_state(instance, "pending")
        self._host_locks[instance["InstanceId"]] = threading.Lock()
        return instance

    def _host_environment(self, instance: dict[str, Any], role: dict[str, Any] | None) -> dict[str, str]:
        """What the host's processes find: endpoint and credentials, whose `aws:userid` is `<role id>:<instance id>`."""
        environment = {
            "AWS_ENDPOINT_URL": self._fleet.endpoint_url,
            "AWS_REGION": get_region(),
            "AWS_DEFAULT_REGION": get_region(),
        }
        if role is None:
            return environment
        instance_id = instance["InstanceId"]
        digest = hashlib.sha256(instance_id.encode()).hexdigest()
        credentials = {
            "AWS_ACCESS_KEY_ID": f"ASIA{digest[:16].upper()}",
            "AWS_SECRET_ACCESS_KEY": digest[16:56],
            "AWS_SESSION_TOKEN": digest,
        }
        sts.register_session(
            credentials["AWS_ACCESS_KEY_ID"],
            {
                "Arn": f"arn:aws:sts::{get_account_id()}:assumed-role/{role['RoleName']}/{instance_id}",
                "UserId": f"{role['RoleId']}:{instance_id}",
                "SecretAccessKey": credentials["AWS_SECRET_ACCESS_KEY"],
                "SessionToken": credentials["AWS_SESSION_TOKEN"],
            },
        )
        return environment | credentials

    def _boot(self, instance: dict[str, Any], environment: dict[str, str]) -> None:
        started = time.monotonic()
        instance_id = instance["InstanceId"]
        with self._host_locks[instance_id]:
            if instance["State"]["Name"] != "pending":
                return
            try:
                self._fleet.create_host(
                    instance_id,
                    instance["InstanceType"],
                    instance["Placement"]["AvailabilityZone"],
                    instance["PrivateIpAddress"],
                    environment,
                )
                instance["HasHost"] = True
                apply_security_groups(self._fleet)
            except Exception:
                logger.exception("%s: the host did not start", instance_id)
                self._fleet.destroy_host(instance_id)
                _set_state(instance, "terminated", BOOT_FAILED)
                return
        time.sleep(max(0.0, PENDING_SECONDS - (time.monotonic() - started)))
        if instance["State"]["Name"] == "pending":
            _set_state(instance, "running")
        while instance["State"]["Name"] == "running":
            time.sleep(WATCH_SECONDS)
            if instance["State"]["Name"] == "running" and not self._fleet.is_running(instance_id):
                self._end(instance, HOST_ENDED)

    def _then_apply_security_groups(self, original: Callable[[Any], Response]) -> Callable[[Any], Response]:
        def handle(parameters: Any) -> Response:
            response = original(parameters)
            apply_security_groups(self._fleet)
            return response

        return handle

    def _terminate_instances(self, request: dict[str, Any]) -> dict[str, Any]:
        instances = []
        for instance_id in request.get("InstanceId", []):
            instance = ec2._instances.get(instance_id)
            if instance is None:
                raise AwsError("InvalidInstanceID.NotFound", f"The instance ID '{instance_id}' does not exist")
            instances.append(instance)
        changes = []
        for instance in instances:
            before = dict(instance["State"])
            if before["Name"] in ("pending", "running"):
                self._end(instance, USER_ENDED)
            changes.append((instance["InstanceId"], before, instance["State"]))
        return {
            "instancesSet": [
                {"instanceId": instance_id, "previousState": _state_view(before), "currentState": _state_view(now)}
                for instance_id, before, now in changes
            ]
        }

    def _end(self, instance: dict[str, Any], reason: tuple[str, str]) -> None:
        _set_state(instance, "shutting-down", reason)
        _in_background(self._destroy, instance)

    def _destroy(self, instance: dict[str, Any]) -> None:
        instance_id = instance["InstanceId"]
        with self._host_locks[instance_id]:
            try:
                self._fleet.destroy_host(instance_id)
            except Exception:
                logger.exception("%s: the host could not be removed", instance_id)
        time.sleep(SHUTTING_DOWN_SECONDS)
        _set_state(instance, "terminated")
        instance["PublicIpAddress"] = instance["PublicDnsName"] = ""

    def _delete_placement_group(self, request: dict[str, Any]) -> dict[str, Any]:
        name = request.get("GroupName", "")
        if name not in ec2._placement_groups:
            raise AwsError("InvalidPlacementGroup.Unknown", f"The placement group '{name}' is unknown.")
        if ec2_launch.members(name):
            raise AwsError(
                "InvalidPlacementGroup.InUse", f"The placement group '{name}' is in use and may not be deleted."
            )
        ec2._tags.pop(ec2._placement_groups.pop(name)["GroupId"], None)
        return {"return": True}


def _set_state(instance: dict[str, Any], name: str, reason: tuple[str, str] | None = None) -> None:
    instance["State"] = {"Code": STATES[name], "Name": name}
    if name == "running":
        instance["RunningSince"] = time.time()
    if reason:
        instance["StateReason"] = {"Code": reason[0], "Message": f"{reason[0]}: {reason[1]}"}


def _state_view(state: dict[str, Any]) -> dict[str, Any]:
    return {"code": state["Code"], "name": state["Name"]}


def _off_the_loop(original: Callable[..., Any]) -> Callable[..., Any]:
    """Runs a request on a thread: a launch waits for the launch lock, and must not hold up every other service."""

    async def handle_request(*arguments: Any) -> Response:
        return await asyncio.to_thread(lambda: asyncio.run(original(*arguments)))

    return handle_request


def _without_instances(original: Callable[[Any], None]) -> Callable[[Any], None]:
    """Hosts do not outlive the process: what was running when the state was written is terminated when it is read."""

    def load_persisted_state(state: Any) -> None:
        original(state)
        for instance in ec2._instances._data.values():
            _set_state(instance, "terminated")

    return load_persisted_state


def _in_background(target: Callable[..., None], *arguments: Any) -> None:
    context = contextvars.copy_context()  # account and region of the request
    threading.Thread(
        target=context.run, args=(target, *arguments), daemon=True, name=f"lab-ec2-{target.__name__}"
    ).start()
