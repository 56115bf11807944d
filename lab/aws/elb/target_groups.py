"""Target groups of instances, the health of their targets, and listeners, each of which forwards to one group."""

import time
from typing import Any

from lab.aws.ec2.networks import cidr_blocks
from lab.aws.ec2.records import Records as Ec2Records
from lab.aws.ec2.security_rules import SecurityRules
from lab.aws.elb.records import IDLE_TIMEOUT, Listener, LoadBalancer, Records, Target, TargetGroup, tags_of
from lab.aws.wire import AwsError, Request
from lab.hosts.fleet import HostFleet

# On AWS, a target stays initial for the healthy threshold times the interval.
INITIAL_SECONDS = 1.0
PROTOCOLS = ("TCP", "UDP", "TCP_UDP")
HEALTH_CHECK_NUMBERS = {
    "HealthCheckIntervalSeconds": (30, 5, 300),
    "HealthCheckTimeoutSeconds": (10, 2, 120),
    "HealthyThresholdCount": (5, 2, 10),
    "UnhealthyThresholdCount": (2, 2, 10),
}

HEALTH_CHECK = {"HealthCheckEnabled", "HealthCheckProtocol", "HealthCheckPort", *HEALTH_CHECK_NUMBERS}

MAX_LISTENERS = 50  # the default quota of a load balancer
IDLE_SECONDS = range(60, 6001)
# The target groups' protocols that a listener may forward to, by its own protocol.
COMPATIBLE = {"TCP": ("TCP", "TCP_UDP"), "UDP": ("UDP", "TCP_UDP"), "TCP_UDP": ("TCP_UDP",)}


class TargetGroups:
    def __init__(self, records: Records, ec2: Ec2Records, fleet: HostFleet, rules: SecurityRules) -> None:
        self._records = records
        self._ec2 = ec2
        self._fleet = fleet
        self._rules = rules

    def create(self, request: Request) -> dict[str, Any]:
        group = self._records.target_groups.created_before(request)
        if group is None:
            group = _planned(request)
            self._records.target_groups[group.arn] = group
        return {"TargetGroups": [self._view(group)]}

    def describe(self, request: Request) -> dict[str, Any]:
        found = self._records.target_groups.asked_for(request)
        if "LoadBalancerArn" in request:
            load_balancer = self._records.load_balancers.found(request["LoadBalancerArn"])
            used = [listener.target_group for listener in self._records.listeners_of(load_balancer)]
            found = [group for group in found if group in used]
        return {"TargetGroups": [self._view(group) for group in found]}

    def delete(self, request: Request) -> dict[str, Any]:
        """Deletes a target group; an unknown one is no error, because the API documents only ResourceInUse."""
        group = self._records.target_groups.get(request["TargetGroupArn"])
        if group is not None:
            if self._records.users_of(group):
                raise AwsError(
                    "ResourceInUse", f"Target group '{group.arn}' is currently in use by a listener or a rule"
                )
            del self._records.target_groups[group.arn]
        return {}

    def register(self, request: Request) -> dict[str, Any]:
        group, wanted = self._group_and_targets(request)
        for target in wanted:
            instance = self._ec2.instances.get(target.instance_id)
            if instance is None or instance.state != "running":
                raise AwsError(
                    "InvalidTarget",
                    "The following targets are not in a running state and cannot be registered: "
                    f"'{target.instance_id}'",
                )
            if instance.launch.subnet.vpc_id != group.vpc_id:
                raise AwsError(
                    "InvalidTarget",
                    f"The following targets are not in the target group VPC '{group.vpc_id}': '{target.instance_id}'",
                )
        new = [target for target in wanted if target not in group.targets]
        if len(group.targets) + len(new) > 1:
            raise AwsError("TooManyTargets", "A target group of the lab has one target")
        group.targets += new
        return {}

    def describe_health(self, request: Request) -> dict[str, Any]:
        group, asked = self._group_and_targets(request)
        return {
            "TargetHealthDescriptions": [
                {
                    "Target": {"Id": target.instance_id, "Port": target.port},
                    "HealthCheckPort": str(_health_port(group, target)),
                    "TargetHealth": self._health(group, target),
                }
                for target in asked or group.targets
            ]
        }

    def _group_and_targets(self, request: Request) -> tuple[TargetGroup, list[Target]]:
        group = self._records.target_groups.found(request["TargetGroupArn"])
        return group, [Target(target["Id"], target.get("Port", group.port)) for target in request.get("Targets", [])]

    def _health(self, group: TargetGroup, target: Target) -> dict[str, str]:
        if target not in group.targets:
            return _health_of("unused", "Target.NotRegistered", "Target is not registered to the target group")
        instance = self._ec2.instances[target.instance_id]
        if instance.state != "running":
            return _health_of("unused", "Target.InvalidState", "Target is in the stopped or terminated state")
        load_balancers = [listener.load_balancer for listener in self._records.users_of(group)]
        if not load_balancers:
            return _health_of("unused", "Target.NotInUse", "Target group is not configured to receive traffic")
        load_balancer = load_balancers[0]
        if load_balancer.state != "active":
            return _health_of("initial", "Elb.RegistrationInProgress", "Target registration is in progress")
        registered = group.targets[group.targets.index(target)].registered
        if time.monotonic() - max(registered, load_balancer.active_since) < INITIAL_SECONDS:
            return _health_of("initial", "Elb.InitialHealthChecking", "Initial health checks in progress")
        port = _health_port(group, target)
        # Health checks come from the load balancer's address, which the target's own groups must admit.
        is_admitted = self._rules.admits(
            instance.launch.security_group_ids, load_balancer.interface.address, "tcp", port
        )
        if is_admitted and self._fleet.is_listening(target.instance_id, port):
            return {"State": "healthy"}
        return _health_of("unhealthy", "Target.FailedHealthChecks", "Health checks failed")

    def _view(self, group: TargetGroup) -> dict[str, Any]:
        return group.view(sorted({listener.load_balancer.arn for listener in self._records.users_of(group)}))


def _planned(request: Request) -> TargetGroup:
    protocol, port, vpc_id = request["Protocol"], request["Port"], request["VpcId"]
    health_port = request.get("HealthCheckPort", "traffic-port")
    if protocol not in PROTOCOLS:
        raise AwsError("ValidationError", f"Protocol: must be one of {', '.join(PROTOCOLS)} in the lab, got {protocol}")
    if vpc_id not in cidr_blocks():
        raise AwsError("ValidationError", f"The VPC ID '{vpc_id}' is not found")
    for allowed, parameter in (
        ("instance", "TargetType"),
        ("TCP", "HealthCheckProtocol"),
        (True, "HealthCheckEnabled"),
    ):
        if request.get(parameter, allowed) != allowed:
            raise AwsError("ValidationError", f"{parameter}: must be {allowed} in the lab, got {request[parameter]}")
    for value in (port, *(() if health_port == "traffic-port" else (int(health_port),))):
        if not 1 <= value <= 65535:
            raise AwsError("ValidationError", f"Port: must be 1 to 65535, got {value}")
    check: dict[str, Any] = {"HealthCheckEnabled": True, "HealthCheckProtocol": "TCP", "HealthCheckPort": health_port}
    for parameter, (default, least, most) in HEALTH_CHECK_NUMBERS.items():
        check[parameter] = request.get(parameter, default)
        if not least <= check[parameter] <= most:
            raise AwsError("ValidationError", f"{parameter}: must be {least} to {most}, got {check[parameter]}")
    return TargetGroup(request["Name"], protocol, port, vpc_id, check, tags_of(request), request)


def _health_port(group: TargetGroup, target: Target) -> int:
    port = group.health_check["HealthCheckPort"]
    return target.port if port == "traffic-port" else int(port)


def _health_of(state: str, reason: str, description: str) -> dict[str, str]:
    return {"State": state, "Reason": reason, "Description": description}


class Listeners:
    def __init__(self, records: Records) -> None:
        self._records = records

    def create(self, request: Request) -> dict[str, Any]:
        load_balancer = self._records.load_balancers.found(request["LoadBalancerArn"])
        protocol, port = request["Protocol"], request["Port"]
        if protocol not in COMPATIBLE:
            raise AwsError("UnsupportedProtocol", f"Protocol: must be one of {', '.join(COMPATIBLE)}, got {protocol}")
        if not 1 <= port <= 65535:
            raise AwsError("ValidationError", f"Port: must be 1 to 65535, got {port}")
        group = self._target_group(request["DefaultActions"], load_balancer)
        if group.protocol not in COMPATIBLE[protocol]:
            raise AwsError(
                "IncompatibleProtocols",
                f"The target group's protocol {group.protocol} is not compatible with the listener's, {protocol}",
            )
        for known in self._records.listeners_of(load_balancer):
            if known.port == port:
                if (known.protocol, known.target_group) != (protocol, group):
                    raise AwsError(
                        "DuplicateListener",
                        f"A listener already exists on this port for this load balancer '{load_balancer.arn}'",
                    )
                return {"Listeners": [known.view()]}
        if len(self._records.listeners_of(load_balancer)) >= MAX_LISTENERS:
            raise AwsError("TooManyListeners", f"The maximum number of listeners is {MAX_LISTENERS}")
        listener = Listener(load_balancer, port, protocol, group, tags_of(request))
        self._records.listeners[listener.arn] = listener
        return {"Listeners": [listener.view()]}

    def describe(self, request: Request) -> dict[str, Any]:
        if "ListenerArns" in request:
            found = [self._records.listener(arn) for arn in request["ListenerArns"]]
        elif "LoadBalancerArn" in request:
            found = self._records.listeners_of(self._records.load_balancers.found(request["LoadBalancerArn"]))
        else:
            raise AwsError("ValidationError", "You must specify either listener ARNs or a load balancer ARN")
        return {"Listeners": [listener.view() for listener in found]}

    def describe_attributes(self, request: Request) -> dict[str, Any]:
        return _attributes(self._records.listener(request["ListenerArn"]))

    def modify_attributes(self, request: Request) -> dict[str, Any]:
        listener = self._records.listener(request["ListenerArn"])
        for attribute in request["Attributes"]:
            key, value = attribute["Key"], attribute.get("Value", "")
            if key != IDLE_TIMEOUT or listener.protocol != "TCP":
                raise AwsError(
                    "InvalidConfigurationRequest",
                    f"Listener attribute key '{key}' is not supported on a listener of protocol {listener.protocol}",
                )
            if not value.isdecimal() or int(value) not in IDLE_SECONDS:
                raise AwsError(
                    "InvalidConfigurationRequest",
                    f"'{key}' must be between {IDLE_SECONDS.start} and {IDLE_SECONDS.stop - 1}, got {value}",
                )
        for attribute in request["Attributes"]:
            listener.idle_seconds = int(attribute["Value"])
        return _attributes(listener)

    def _target_group(self, actions: list[dict[str, Any]], load_balancer: LoadBalancer) -> TargetGroup:
        if len(actions) != 1 or set(actions[0]) != {"Type", "TargetGroupArn"} or actions[0]["Type"] != "forward":
            raise AwsError("ValidationError", f"The lab's listeners forward to one TargetGroupArn, got {actions}")
        group = self._records.target_groups.found(actions[0]["TargetGroupArn"])
        if any(listener.load_balancer is not load_balancer for listener in self._records.users_of(group)):
            raise AwsError(
                "TargetGroupAssociationLimit",
                f"The following target groups cannot be associated with more than one load balancer: {group.arn}",
            )
        if group.vpc_id != load_balancer.interface.subnet.vpc_id:
            raise AwsError("InvalidConfigurationRequest", f"{group.arn} is in another VPC than {load_balancer.arn}")
        return group


def _attributes(listener: Listener) -> dict[str, Any]:
    attributes = [{"Key": IDLE_TIMEOUT, "Value": str(listener.idle_seconds)}] if listener.protocol == "TCP" else []
    return {"Attributes": attributes}
