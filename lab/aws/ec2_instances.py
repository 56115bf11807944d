"""Instances, which are hosts of the lab: launched, watched and ended, with the states and delays that EC2 shows."""

from __future__ import annotations

import contextvars
import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from ministack.core.responses import get_region
from ministack.services import ec2

from lab.aws import ec2_launch
from lab.aws.data_paths import DataPaths
from lab.aws.ec2_describe import reservation
from lab.aws.ec2_placement import cluster_of
from lab.aws.faults import Faults
from lab.aws.host_environment import bring_certificate, host_environment
from lab.aws.machines import Fleet
from lab.aws.network_interfaces import free_private_address, free_public_address
from lab.aws.query import AwsError, Response
from lab.aws.service_quotas import ServiceQuotas
from lab.hosts import HostSettings
from lab.hosts.profiles import Profiles

logger = logging.getLogger("lab.ec2")

PENDING_SECONDS = 1.0
SHUTTING_DOWN_SECONDS = 1.0
WATCH_SECONDS = 0.5
STATES = {"pending": 0, "running": 16, "shutting-down": 32, "terminated": 48}
USER_ENDED = ("Client.UserInitiatedShutdown", "User initiated shutdown")
HOST_ENDED = ("Client.InstanceInitiatedShutdown", "Instance initiated shutdown")
BOOT_FAILED = ("Server.InternalError", "Internal error on launch")


class Instances:
    """RunInstances and TerminateInstances, and what happens to a host in between."""

    def __init__(
        self, fleet: Fleet, profiles: Profiles, faults: Faults, quotas: ServiceQuotas, paths: DataPaths
    ) -> None:
        self._fleet = fleet
        self._profiles = profiles
        self._faults = faults
        self._quotas = quotas
        self._paths = paths
        self._host_locks: dict[str, threading.Lock] = {}
        self._tokens: dict[str, tuple[str, list[str]]] = {}

    def run(self, request: dict[str, Any]) -> Response:
        with self._paths.records:
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
            launch = ec2_launch.plan_launch(request, self._profiles, self._faults, self._quotas, get_region())
            instances = [self._new_instance(launch) for _ in range(launch.count)]
            if token:
                self._tokens[token] = (asked, [instance["InstanceId"] for instance in instances])
                for instance in instances:
                    instance["ClientToken"] = token
            role = ec2_launch.role_of(launch.instance_profile)
            for instance in instances:
                environment = host_environment(self._fleet, instance["InstanceId"], role)
                in_background(self._boot, instance, environment)
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
            requested_private_ip=free_private_address(launch.subnet_id),
            iam_profile={"Arn": profile["Arn"], "Id": profile["InstanceProfileId"]} if profile else None,
        )[0]
        instance["Architecture"] = launch.profile.architecture
        instance["Placement"] = {
            "AvailabilityZone": launch.zone,
            "Tenancy": "default",
            "GroupName": launch.placement_group or "",
        }
        instance["ShutdownBehavior"] = launch.shutdown_behavior
        instance["PublicIpAddress"] = instance["PublicDnsName"] = ""
        if launch.has_public_address:
            instance["PublicIpAddress"] = free_public_address()
        instance["EnaSrd"] = {"enabled": launch.ena_srd.enabled, "udp_enabled": launch.ena_srd.udp_enabled}
        if launch.tags:
            ec2._tags[instance["InstanceId"]] = [{"Key": key, "Value": value} for key, value in launch.tags.items()]
        _set_state(instance, "pending")
        self._host_locks[instance["InstanceId"]] = threading.Lock()
        return instance

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
                    HostSettings(
                        cluster_group=cluster_of(instance["Placement"]["GroupName"]),
                        public_ip=instance["PublicIpAddress"] or None,
                        ena_srd_enabled=instance["EnaSrd"]["enabled"],
                        ena_srd_udp_enabled=instance["EnaSrd"]["udp_enabled"],
                        network=instance["VpcId"],
                    ),
                )
                bring_certificate(self._fleet, instance_id)
                instance["HasHost"] = True
                self._paths.apply()
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

    def terminate(self, request: dict[str, Any]) -> dict[str, Any]:
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
        in_background(self._destroy, instance)

    def _destroy(self, instance: dict[str, Any]) -> None:
        instance_id = instance["InstanceId"]
        with self._host_locks[instance_id]:
            # First the listeners that lead to the host, so that none leads to nowhere.
            for step in (self._paths.apply, lambda: self._fleet.destroy_host(instance_id)):
                try:
                    step()
                except Exception:
                    logger.exception("%s: the host could not be removed", instance_id)
        time.sleep(SHUTTING_DOWN_SECONDS)
        _set_state(instance, "terminated")
        instance["PublicIpAddress"] = instance["PublicDnsName"] = ""


def _set_state(instance: dict[str, Any], name: str, reason: tuple[str, str] | None = None) -> None:
    instance["State"] = {"Code": STATES[name], "Name": name}
    if name == "running":
        instance["RunningSince"] = time.time()
    if reason:
        instance["StateReason"] = {"Code": reason[0], "Message": f"{reason[0]}: {reason[1]}"}


def _state_view(state: dict[str, Any]) -> dict[str, Any]:
    return {"code": state["Code"], "name": state["Name"]}


def without_instances(original: Callable[[Any], None]) -> Callable[[Any], None]:
    """Hosts do not outlive the process: what was running when the state was written is terminated when it is read.

    Nor do load balancers, so their interfaces are gone.
    """

    def load_persisted_state(state: Any) -> None:
        original(state)
        for instance in ec2._instances._data.values():
            _set_state(instance, "terminated")
        ec2._network_interfaces.clear()

    return load_persisted_state


def in_background(target: Callable[..., None], *arguments: Any) -> None:
    context = contextvars.copy_context()  # account and region of the request
    threading.Thread(
        target=context.run, args=(target, *arguments), daemon=True, name=f"lab-ec2-{target.__name__}"
    ).start()
