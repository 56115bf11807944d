"""Elastic Load Balancing: Network Load Balancers that forward between the lab's hosts, which MiniStack's do not."""

from lab.aws.data_paths import DataPaths
from lab.aws.ec2.records import Records as Ec2Records
from lab.aws.ec2.security_rules import SecurityRules
from lab.aws.elb.load_balancers import LoadBalancers
from lab.aws.elb.records import Records
from lab.aws.elb.target_groups import HEALTH_CHECK, Listeners, TargetGroups
from lab.aws.router import Action, Service
from lab.hosts.fleet import HostFleet

LOAD_BALANCER = {"Name", "Subnets", "SubnetMappings", "SecurityGroups", "Scheme", "Tags", "Type", "IpAddressType"}
LISTENER = {"LoadBalancerArn", "Protocol", "Port", "DefaultActions", "Tags"}
TARGET_GROUP = {"Name", "Protocol", "Port", "VpcId", "TargetType", "Tags"} | HEALTH_CHECK


def elb_service(records: Records, ec2: Ec2Records, fleet: HostFleet, paths: DataPaths) -> Service:
    """Assembles the actions; the fleet's load balancers follow these records and EC2's."""
    rules = SecurityRules(ec2, fleet)
    load_balancers = LoadBalancers(records, ec2, fleet, rules, paths)
    paths.add(load_balancers.apply)
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
