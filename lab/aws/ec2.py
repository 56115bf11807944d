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
PAGE_SIZE = 1000


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
            "DescribeInstances": self._describe_instances,
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
        patching.wrap(ec2, "_instance_xml", _with_details)
        patching.replace(ec2, "_cleanup_terminated", lambda: None)  # a terminated instance stays visible for an hour
        patching.wrap(ec2, "load_persisted_state", _without_instances)
        for name in ("_launch_instances_internal", "_resolve_launch_template_data", "_matches_filters", "_parse_filters"):
            patching.require(ec2, name)

    def kill_host(self, instance_id: str) -> None:
        """Everything on the host dies at once, as in a crash."""
        self._fleet.kill_host(instance_id)

    def _handler(self, action: str, answer_request: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], Response]:
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
                    raise AwsError("IdempotentParameterMismatch", f"Arguments on this idempotent request are inconsistent with {token}")
                return _reservation([ec2._instances[instance_id] for instance_id in instance_ids])
            launch = ec2_launch.plan_launch(request, self._profiles, self._faults, get_region())
            instances = [self._new_instance(launch) for _ in range(launch.count)]
            if token:
                self._tokens[token] = (asked, [instance["InstanceId"] for instance in instances])
                for instance in instances:
                    instance["ClientToken"] = token
        for instance in instances:
            environment = self._host_environment(instance, ec2_launch.role_of(launch.instance_profile))
            _in_background(self._boot, instance, environment)
        return _reservation(instances)

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
        instance["Placement"] = {"AvailabilityZone": launch.zone, "Tenancy": "default", "GroupName": launch.placement_group or ""}
        instance["ShutdownBehavior"] = launch.shutdown_behavior
        if not launch.has_public_address:
            instance["PublicIpAddress"] = instance["PublicDnsName"] = ""
        if launch.tags:
            ec2._tags[instance["InstanceId"]] = [{"Key": key, "Value": value} for key, value in launch.tags.items()]
        _set_state(instance, "pending")
        self._host_locks[instance["InstanceId"]] = threading.Lock()
        return instance

    def _host_environment(self, instance: dict[str, Any], role: dict[str, Any] | None) -> dict[str, str]:
        """What the host's processes find: the endpoint, and credentials whose `aws:userid` is `<role id>:<instance id>`."""
        environment = {"AWS_ENDPOINT_URL": self._fleet.endpoint_url, "AWS_REGION": get_region(), "AWS_DEFAULT_REGION": get_region()}
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
                self._apply_security_groups()
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

    def _apply_security_groups(self) -> None:
        """Tells every host from which addresses its groups' ingress rules let traffic in."""
        alive = [instance for instance in list(ec2._instances.values()) if instance["State"]["Name"] in ("pending", "running")]
        members: dict[str, set[str]] = {}
        for instance in alive:
            for group in instance["SecurityGroups"]:
                members.setdefault(group["GroupId"], set()).add(instance["PrivateIpAddress"])
        for instance in alive:
            if not instance.get("HasHost"):
                continue
            sources: set[str] = set()
            for group in instance["SecurityGroups"]:
                for permission in ec2._security_groups.get(group["GroupId"], {}).get("IpPermissions", []):
                    sources |= {entry["CidrIp"] for entry in permission.get("IpRanges", [])}
                    for pair in permission.get("UserIdGroupPairs", []):
                        sources |= members.get(pair.get("GroupId", ""), set())
            try:
                self._fleet.set_allowed_sources(instance["InstanceId"], sources)
            except LookupError:
                logger.debug("%s: its host is gone", instance["InstanceId"])

    def _then_apply_security_groups(self, original: Callable[[Any], Response]) -> Callable[[Any], Response]:
        def handle(parameters: Any) -> Response:
            response = original(parameters)
            self._apply_security_groups()
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

    def _describe_instances(self, request: dict[str, Any]) -> Response:
        wanted = request.get("InstanceId", [])
        for instance_id in wanted:
            if instance_id not in ec2._instances:
                raise AwsError("InvalidInstanceID.NotFound", f"The instance ID '{instance_id}' does not exist")
        filters = {item["Name"]: item.get("Value", []) for item in request.get("Filter", [])}
        found = [
            instance
            for instance in list(ec2._instances.values())
            if (not wanted or instance["InstanceId"] in wanted) and _matches(instance, filters)
        ]
        start = int(request.get("NextToken") or 0)
        end = start + int(request.get("MaxResults") or PAGE_SIZE)
        reservations = "".join(
            f"<item><reservationId>r-{instance['InstanceId'][2:]}</reservationId><ownerId>{get_account_id()}</ownerId>"
            f"<groupSet/><instancesSet>{ec2._instance_xml(instance)}</instancesSet></item>"
            for instance in found[start:end]
        )
        next_token = f"<nextToken>{end}</nextToken>" if end < len(found) else ""
        return ec2._xml(200, "DescribeInstancesResponse", f"<reservationSet>{reservations}</reservationSet>{next_token}")

    def _delete_placement_group(self, request: dict[str, Any]) -> dict[str, Any]:
        name = request.get("GroupName", "")
        if name not in ec2._placement_groups:
            raise AwsError("InvalidPlacementGroup.Unknown", f"The placement group '{name}' is unknown.")
        if ec2_launch.members(name):
            raise AwsError("InvalidPlacementGroup.InUse", f"The placement group '{name}' is in use and may not be deleted.")
        ec2._tags.pop(ec2._placement_groups.pop(name)["GroupId"], None)
        return {"return": True}


def _reservation(instances: list[dict[str, Any]]) -> Response:
    items = "".join(ec2._instance_xml(instance) for instance in instances)
    inner = f"<instancesSet>{items}</instancesSet><reservationId>r-{instances[0]['InstanceId'][2:]}</reservationId>"
    return ec2._xml(200, "RunInstancesResponse", f"{inner}<ownerId>{get_account_id()}</ownerId><groupSet/>")


def _set_state(instance: dict[str, Any], name: str, reason: tuple[str, str] | None = None) -> None:
    instance["State"] = {"Code": STATES[name], "Name": name}
    if name == "running":
        instance["RunningSince"] = time.time()
    if reason:
        instance["StateReason"] = {"Code": reason[0], "Message": f"{reason[0]}: {reason[1]}"}


def _state_view(state: dict[str, Any]) -> dict[str, Any]:
    return {"code": state["Code"], "name": state["Name"]}


def _matches(instance: dict[str, Any], filters: dict[str, list[str]]) -> bool:
    facts = {
        "availability-zone": instance["Placement"]["AvailabilityZone"],
        "client-token": instance.get("ClientToken", ""),
        "instance-id": instance["InstanceId"],
        "placement-group-name": instance["Placement"].get("GroupName", ""),
        "private-ip-address": instance["PrivateIpAddress"],
        "subnet-id": instance["SubnetId"],
        "vpc-id": instance["VpcId"],
    }
    known = {"instance-state-name", "instance-type", "image-id", "tag-key", "tag-value", *facts}
    for name, values in filters.items():
        if name not in known and not name.startswith("tag:"):
            raise AwsError("InvalidParameterValue", f"The filter '{name}' is invalid")
        if name in facts and facts[name] not in values:
            return False
    return ec2._matches_filters(instance, filters)


def _with_details(original: Callable[[dict[str, Any]], str]) -> Callable[[dict[str, Any]], str]:
    """Adds the fields that MiniStack leaves out of an instance's description."""

    def instance_xml(instance: dict[str, Any]) -> str:
        xml = original(instance)
        group = instance["Placement"].get("GroupName")
        if group:
            xml = xml.replace("<placement>", f"<placement><groupName>{group}</groupName>", 1)
        more = f"<clientToken>{instance.get('ClientToken', '')}</clientToken>"
        reason = instance.get("StateReason")
        if reason:
            more += f"<stateReason><code>{reason['Code']}</code><message>{reason['Message']}</message></stateReason>"
        return xml.rstrip().removesuffix("</item>") + more + "</item>"

    return instance_xml


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
    threading.Thread(target=context.run, args=(target, *arguments), daemon=True, name=f"lab-ec2-{target.__name__}").start()
