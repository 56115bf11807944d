"""Elastic Load Balancing: Network Load Balancers that forward in the fleet. MiniStack's own forward nothing."""

from lab.aws.data_paths import DataPaths
from lab.aws.ec2.records import Records as Ec2Records
from lab.aws.ec2.security_rules import EVERYWHERE, SecurityRules
from lab.aws.elb.listeners import Listeners
from lab.aws.elb.load_balancers import LoadBalancers
from lab.aws.elb.records import Listened, LoadBalancer, Records
from lab.aws.elb.target_groups import HEALTH_CHECK, TargetGroups
from lab.aws.router import Action, Service
from lab.hosts.fleet import HostFleet
from lab.hosts.load_balancer import Protocol as Transport

LOAD_BALANCER = {"Name", "Subnets", "SubnetMappings", "SecurityGroups", "Scheme", "Tags", "Type", "IpAddressType"}
LISTENER = {"LoadBalancerArn", "Protocol", "Port", "DefaultActions", "Tags"}
TARGET_GROUP = {"Name", "Protocol", "Port", "VpcId", "TargetType", "Tags"} | HEALTH_CHECK
TRANSPORTS: dict[str, set[Transport]] = {"TCP": {"tcp"}, "UDP": {"udp"}, "TCP_UDP": {"tcp", "udp"}}


def elb_service(records: Records, ec2: Ec2Records, fleet: HostFleet, paths: DataPaths) -> Service:
    """Elastic Load Balancing; the fleet's load balancers follow its records and those of EC2."""
    rules = SecurityRules(ec2, fleet)
    paths.add(Forwarding(records, ec2, fleet, rules, paths).apply)
    load_balancers = LoadBalancers(records, ec2, fleet, paths)
    target_groups = TargetGroups(records, ec2, fleet, rules)
    listeners = Listeners(records)
    return Service(
        "elbv2",
        {
            "CreateLoadBalancer": Action(load_balancers.create, LOAD_BALANCER),
            "DescribeLoadBalancers": Action(
                load_balancers.describe, {"LoadBalancerArns", "Names", "Marker", "PageSize"}
            ),
            "DeleteLoadBalancer": Action(load_balancers.delete),
            "DescribeTags": Action(load_balancers.describe_tags),
            "CreateTargetGroup": Action(target_groups.create, TARGET_GROUP, {"Protocol", "Port", "VpcId"}),
            "DescribeTargetGroups": Action(
                target_groups.describe, {"LoadBalancerArn", "TargetGroupArns", "Names", "Marker", "PageSize"}
            ),
            "DeleteTargetGroup": Action(target_groups.delete),
            "RegisterTargets": Action(target_groups.register),
            "DescribeTargetHealth": Action(target_groups.describe_health, {"TargetGroupArn", "Targets"}),
            "CreateListener": Action(listeners.create, LISTENER, {"Protocol", "Port"}),
            "DescribeListeners": Action(listeners.describe, {"LoadBalancerArn", "ListenerArns"}),
            "DescribeListenerAttributes": Action(listeners.describe_attributes),
            "ModifyListenerAttributes": Action(listeners.modify_attributes),
        },
        page_size=400,
        passes_on=False,
        lock=paths.records,
        after_change=paths.apply,
    )


class Forwarding:
    """Sets in the fleet who may reach each active load balancer, and where each of its ports leads."""

    def __init__(
        self, records: Records, ec2: Ec2Records, fleet: HostFleet, rules: SecurityRules, paths: DataPaths
    ) -> None:
        self._records = records
        self._ec2 = ec2
        self._fleet = fleet
        self._rules = rules
        self._paths = paths

    def apply(self) -> None:
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
        """What each port shall lead to.

        An unhealthy target gets traffic, too: a Network Load Balancer none of whose targets is healthy sends to all.
        """
        return {
            listener.port: (TRANSPORTS[listener.protocol], target.instance_id, target.port, listener.idle_seconds)
            for listener in self._records.listeners_of(load_balancer)
            for target in listener.target_group.targets
            if self._ec2.instances[target.instance_id].has_host
        }
