"""Instances, which are hosts of the lab, with the states and delays that EC2 shows."""

import logging
import secrets
import subprocess
import time
from collections.abc import Callable
from typing import Any

from lab.aws import embedded
from lab.aws.data_paths import DataPaths
from lab.aws.ec2.interfaces import free_private_address, free_public_address
from lab.aws.ec2.placement_groups import cluster_of
from lab.aws.ec2.records import Instance, InstanceProfile, Launch, Records
from lab.aws.ec2.views import reservation, state_view
from lab.aws.faults import Faults
from lab.aws.settings import REGION
from lab.aws.wire import AwsError, Request
from lab.hosts.fleet import HostFleet
from lab.hosts.machine import AGENT_PATH
from lab.hosts.settings import HostSettings

logger = logging.getLogger("lab.ec2")

STORE_CERTIFICATE = "/etc/lab-store-certificate.pem"
PENDING_SECONDS = 1.0
SHUTTING_DOWN_SECONDS = 1.0
WATCH_SECONDS = 0.5
USER_ENDED = ("Client.UserInitiatedShutdown", "User initiated shutdown")
HOST_ENDED = ("Client.InstanceInitiatedShutdown", "Instance initiated shutdown")
BOOT_FAILED = ("Server.InternalError", "Internal error on launch")


class Instances:
    """RunInstances and TerminateInstances, and what happens to a host between them."""

    def __init__(
        self,
        records: Records,
        fleet: HostFleet,
        paths: DataPaths,
        plan_launch: Callable[[Request], Launch],
        faults: Faults,
    ) -> None:
        self._records = records
        self._faults = faults
        self._fleet = fleet
        self._paths = paths
        self._plan_launch = plan_launch
        self._tokens: dict[str, tuple[Request, list[Instance]]] = {}

    def run(self, request: Request) -> dict[str, Any]:
        token = request.get("ClientToken", "")
        if token in self._tokens:
            known, instances = self._tokens[token]
            if known != request:
                raise AwsError(
                    "IdempotentParameterMismatch", f"Arguments on this idempotent request are inconsistent with {token}"
                )
            return reservation(instances)
        launch = self._plan_launch(request)
        instances = [self._new_instance(launch, token) for _ in range(launch.count)]
        if token:
            self._tokens[token] = (request, instances)
        for instance in instances:
            environment = _environment(self._fleet, instance.instance_id, launch.instance_profile)
            embedded.in_background(self._boot, instance, environment)
        return reservation(instances)

    def terminate(self, request: Request) -> dict[str, Any]:
        changes = []
        for instance in [self._records.instance(instance_id) for instance_id in request["InstanceIds"]]:
            before = instance.state
            if instance.is_alive:
                self._end(instance, USER_ENDED)
            states = {"PreviousState": state_view(before), "CurrentState": state_view(instance.state)}
            changes.append({"InstanceId": instance.instance_id} | states)
        return {"TerminatingInstances": changes}

    def _new_instance(self, launch: Launch, token: str) -> Instance:
        private_address = free_private_address(self._records, launch.subnet)
        public_address = free_public_address(self._records) if launch.has_public_address else ""
        instance = Instance(f"i-{secrets.token_hex(9)[:17]}", launch, private_address, public_address, token)
        self._records.instances[instance.instance_id] = instance
        return instance

    def _boot(self, instance: Instance, environment: dict[str, str]) -> None:
        started = time.monotonic()
        instance_id = instance.instance_id
        if instance.launch.profile.bare_metal:
            self._start_hardware(instance)
        with instance.host_lock:
            if not instance.is_alive:
                return
            facts = {"instanceType": instance.launch.profile.instance_type, "zone": instance.launch.subnet.zone}
            fault = self._faults.take("Boot", facts, after=False)
            if fault is not None:
                # EC2 accepts the launch, and finds out only later that it can't start the host.
                time.sleep(PENDING_SECONDS)
                error = fault.error()
                _set_state(instance, "terminated", (error.code, error.message))
                return
            try:
                self._create_host(instance, environment)
            except Exception:
                logger.exception("%s: the host did not start", instance_id)
                self._fleet.destroy_host(instance_id)
                _set_state(instance, "terminated", BOOT_FAILED)
                return
        time.sleep(max(0.0, PENDING_SECONDS - (time.monotonic() - started)))
        if instance.state == "pending":
            _set_state(instance, "running")
        if instance.launch.boots:
            instance.booted_at = time.time()
        self._watch(instance)

    def _start_hardware(self, instance: Instance) -> None:
        """Sets a bare metal instance to running, which EC2 does long before its system has booted."""
        time.sleep(PENDING_SECONDS)
        if instance.state == "pending":
            _set_state(instance, "running")
        time.sleep(self._records.bare_metal.start_seconds)

    def _create_host(self, instance: Instance, environment: dict[str, str]) -> None:
        launch = instance.launch
        self._fleet.create_host(
            instance.instance_id,
            launch.profile.instance_type,
            launch.subnet.zone,
            instance.private_address,
            environment,
            HostSettings(
                cluster_group=_cluster_group(launch),
                public_ip=instance.public_address if launch.is_published else None,
                ena_srd_enabled=launch.ena_srd_enabled,
                ena_srd_udp_enabled=launch.ena_srd_udp_enabled,
                network=launch.subnet.subnet_id,
                cpu_credits=launch.cpu_credits,
                has_tools=launch.image.has_tools or launch.has_way_out,
            ),
        )
        _bring_certificate(self._fleet, instance.instance_id)
        instance.has_host = True
        self._paths.apply()

    def _watch(self, instance: Instance) -> None:
        """Terminates the instance when its host ends by itself."""
        while instance.state == "running":
            time.sleep(WATCH_SECONDS)
            if instance.state == "running" and not self._fleet.is_running(instance.instance_id):
                self._end(instance, HOST_ENDED)

    def _end(self, instance: Instance, reason: tuple[str, str]) -> None:
        _set_state(instance, "shutting-down", reason)
        embedded.in_background(self._destroy, instance)

    def _destroy(self, instance: Instance) -> None:
        with instance.host_lock:
            # The listeners that forward to the host are removed first, so that none forwards to a host that is gone.
            for step in (self._paths.apply, lambda: self._fleet.destroy_host(instance.instance_id)):
                try:
                    step()
                except Exception:
                    logger.exception("%s: the host could not be removed", instance.instance_id)
        time.sleep(SHUTTING_DOWN_SECONDS)
        if instance.launch.profile.bare_metal:
            time.sleep(self._records.bare_metal.stop_seconds)
        _set_state(instance, "terminated")
        instance.public_address = ""


def _set_state(instance: Instance, state: str, reason: tuple[str, str] | None = None) -> None:
    instance.state = state
    if reason is not None:
        instance.reason = reason


def _cluster_group(launch: Launch) -> str | None:
    """Returns a group name that is unique to the VPC, because the network connects all members of a group."""
    group = cluster_of(launch.placement_group)
    return group and f"{group} in {launch.subnet.vpc_id}"


def _environment(fleet: HostFleet, instance_id: str, profile: InstanceProfile | None) -> dict[str, str]:
    """Returns the environment of every command on a host. S3 has an endpoint of its own, because its traffic goes
    through the host's card, as on AWS, and spends credits.
    """
    environment = {
        "AWS_ENDPOINT_URL": fleet.endpoint_url,
        "AWS_ENDPOINT_URL_S3": fleet.store_endpoint_url,
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        # curl, OpenSSL and the SDKs each read the path of the CA certificate from a variable of their own.
        "CURL_CA_BUNDLE": STORE_CERTIFICATE,
        "SSL_CERT_FILE": STORE_CERTIFICATE,
        "AWS_CA_BUNDLE": STORE_CERTIFICATE,
    }
    if profile is None or profile.role_name is None:
        return environment
    user_id = f"{profile.role_id}:{instance_id}"
    return environment | embedded.role_session(instance_id, profile.role_name, user_id, instance_id)


def _bring_certificate(fleet: HostFleet, instance_id: str) -> None:
    """Writes the store's CA certificate to the path that the environment names."""
    write = fleet.command(instance_id, ["sh", "-c", f"cat >{STORE_CERTIFICATE}"])
    certificate = fleet.store_certificate_path.read_bytes()
    subprocess.run(write, input=certificate, env={"PATH": AGENT_PATH}, capture_output=True, check=True)
