"""Network Load Balancers: active after a second, in one subnet, with an interface that shortly outlives them."""

import logging
import time
import uuid
from typing import Any

from lab.aws import embedded
from lab.aws.data_paths import DataPaths
from lab.aws.ec2.interfaces import add_load_balancer_interface
from lab.aws.ec2.networks import subnets
from lab.aws.ec2.records import Records as Ec2Records
from lab.aws.ec2.records import group_name, security_groups, tag_views
from lab.aws.ec2.security_rules import EVERYWHERE, SecurityRules
from lab.aws.elb.records import Listened, LoadBalancer, Records, tags_of
from lab.aws.wire import AwsError, Request
from lab.hosts.fleet import HostFleet
from lab.hosts.load_balancer import Protocol as Transport

logger = logging.getLogger("lab.elb")

PROVISIONING_SECONDS = 1.0
INTERFACE_SECONDS = 1.5
MAX_LOAD_BALANCERS = 50  # the default quota of a region
MAX_TAGGED = 20
TRANSPORTS: dict[str, set[Transport]] = {"TCP": {"tcp"}, "UDP": {"udp"}, "TCP_UDP": {"tcp", "udp"}}


class LoadBalancers:
    """The actions on load balancers and tags; decides which sources each admits, and where each port forwards."""

    def __init__(
        self, records: Records, ec2: Ec2Records, fleet: HostFleet, rules: SecurityRules, paths: DataPaths
    ) -> None:
        self._records = records
        self._ec2 = ec2
        self._fleet = fleet
        self._rules = rules
        self._paths = paths

    def create(self, request: Request) -> dict[str, Any]:
        known = self._records.load_balancers.created_before(request)
        if known is not None:
            return {"LoadBalancers": [known.view()]}
        if len(self._records.load_balancers) >= MAX_LOAD_BALANCERS:
            raise AwsError("TooManyLoadBalancers", f"The maximum number of load balancers is {MAX_LOAD_BALANCERS}")
        load_balancer = self._planned(request)
        self._records.load_balancers[load_balancer.arn] = load_balancer
        embedded.in_background(self._provision, load_balancer)
        return {"LoadBalancers": [load_balancer.view()]}

    def describe(self, request: Request) -> dict[str, Any]:
        found = self._records.load_balancers.asked_for(request)
        return {"LoadBalancers": [load_balancer.view() for load_balancer in found]}

    def delete(self, request: Request) -> dict[str, Any]:
        """Deletes a load balancer; an unknown one is no error."""
        load_balancer = self._records.load_balancers.pop(request["LoadBalancerArn"], None)
        if load_balancer is not None:
            for listener in self._records.listeners_of(load_balancer):
                del self._records.listeners[listener.arn]
            load_balancer.is_deleted = True
            embedded.in_background(self._remove, load_balancer)
        return {}

    def describe_tags(self, request: Request) -> dict[str, Any]:
        arns = request["ResourceArns"]
        if len(arns) > MAX_TAGGED:
            raise AwsError("ValidationError", f"The maximum number of resources is {MAX_TAGGED}, got {len(arns)}")
        return {"TagDescriptions": [{"ResourceArn": arn, "Tags": tag_views(self._records.tags(arn))} for arn in arns]}

    def _planned(self, request: Request) -> LoadBalancer:
        for parameter, allowed in (("Type", "network"), ("Scheme", "internal"), ("IpAddressType", "ipv4")):
            got = request.get(parameter, "ipv4" if parameter == "IpAddressType" else None)
            if got != allowed:
                code = "InvalidScheme" if parameter == "Scheme" else "InvalidConfigurationRequest"
                raise AwsError(code, f"{parameter}: must be {allowed} in the lab, got {got or 'nothing'}")
        mappings = request.get("SubnetMappings", [])
        if any(set(mapping) != {"SubnetId"} for mapping in mappings):
            raise AwsError("InvalidConfigurationRequest", "The lab's subnet mappings have a SubnetId and nothing else")
        subnet_ids = [*request.get("Subnets", []), *(mapping["SubnetId"] for mapping in mappings)]
        if len(subnet_ids) != 1:
            raise AwsError("ValidationError", f"A load balancer of the lab has one subnet, got {len(subnet_ids)}")
        try:
            (subnet,) = subnets(*subnet_ids)
        except AwsError as error:
            raise AwsError("SubnetNotFound", error.message) from error
        known, group_ids = security_groups(), request.get("SecurityGroups", [])
        for group_id in group_ids:
            if group_id not in known or known[group_id]["VpcId"] != subnet.vpc_id:
                raise AwsError("InvalidSecurityGroup", f"One or more security groups are invalid: {group_id}")
        groups = [group_name(known[group_id]) for group_id in group_ids]
        tags, identifier = tags_of(request), uuid.uuid4().hex[:16]
        try:
            interface = add_load_balancer_interface(self._ec2, f"net/{request['Name']}/{identifier}", subnet, groups)
        except AwsError as error:
            raise AwsError("InvalidSubnet", error.message) from error
        return LoadBalancer(request["Name"], identifier, interface, tags, request)

    def _provision(self, load_balancer: LoadBalancer) -> None:
        started = time.monotonic()
        with load_balancer.path:
            if load_balancer.is_deleted:
                return
            try:
                subnet, address = load_balancer.interface.subnet, load_balancer.interface.address
                self._fleet.add_load_balancer(load_balancer.identifier, subnet.zone, address, subnet.subnet_id)
            except Exception:
                logger.exception("%s: the load balancer did not start", load_balancer.name)
                load_balancer.state, load_balancer.reason = "failed", "Internal error"
                return
        time.sleep(max(0.0, PROVISIONING_SECONDS - (time.monotonic() - started)))
        load_balancer.active_since = time.monotonic()
        load_balancer.state = "active"
        self._paths.apply()

    def _remove(self, load_balancer: LoadBalancer) -> None:
        with load_balancer.path:
            try:
                self._fleet.remove_load_balancer(load_balancer.identifier)
            except Exception:
                logger.exception("%s: the load balancer could not be removed", load_balancer.name)
        time.sleep(INTERFACE_SECONDS)
        self._ec2.interfaces.pop(load_balancer.interface.interface_id, None)
        self._paths.apply()

    def apply(self) -> None:
        """Updates the fleet's load balancers from the records."""
        with self._paths.records:
            alive = {instance.instance_id for instance in self._ec2.alive()}
            for group in self._records.target_groups.values():
                group.targets = [target for target in group.targets if target.instance_id in alive]
            load_balancers = [one for one in self._records.load_balancers.values() if one.state == "active"]
        for load_balancer in load_balancers:
            with load_balancer.path:
                if not load_balancer.is_deleted:
                    self._apply_to(load_balancer)

    def _apply_to(self, load_balancer: LoadBalancer) -> None:
        name = load_balancer.identifier
        group_ids = load_balancer.interface.security_group_ids
        sources = self._rules.sources_of(group_ids) if group_ids else {EVERYWHERE}
        if sources != load_balancer.sources:
            self._fleet.set_load_balancer_sources(name, sources)
            load_balancer.sources = sources
        wanted = self._wanted(load_balancer)
        for port in sorted(set(load_balancer.listened) - set(wanted)):
            self._fleet.remove_listener(name, port)
            del load_balancer.listened[port]
        for port, listened in wanted.items():
            if load_balancer.listened.get(port) != listened:
                self._fleet.set_listener(name, port, *listened)
                load_balancer.listened[port] = listened

    def _wanted(self, load_balancer: LoadBalancer) -> dict[int, Listened]:
        """Returns each port's target, healthy or not: if none is healthy, a Network Load Balancer sends to all."""
        return {
            listener.port: (TRANSPORTS[listener.protocol], target.instance_id, target.port, listener.idle_seconds)
            for listener in self._records.listeners_of(load_balancer)
            for target in listener.target_group.targets
            if self._ec2.instances[target.instance_id].has_host
        }
