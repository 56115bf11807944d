"""Listeners of Network Load Balancers: TCP, UDP, or both on one port, each of which forwards to one target group."""

from typing import Any

from lab.aws.elb.records import IDLE_TIMEOUT, Listener, LoadBalancer, Records, TargetGroup, tags_of
from lab.aws.wire import AwsError, Request

MAX_LISTENERS = 50  # the default quota of a load balancer
IDLE_SECONDS = range(60, 6001)
# The protocols of a target group that a listener of each protocol may forward to.
COMPATIBLE = {"TCP": ("TCP", "TCP_UDP"), "UDP": ("UDP", "TCP_UDP"), "TCP_UDP": ("TCP_UDP",)}


class Listeners:
    """The actions on listeners."""

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
