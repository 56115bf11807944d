"""Which of EC2's actions the lab answers."""

from lab.aws import embedded
from lab.aws.data_paths import DataPaths
from lab.aws.ec2.instances import Instances
from lab.aws.ec2.interfaces import describe_network_interfaces, free_address_count
from lab.aws.ec2.launch import LaunchPlanner
from lab.aws.ec2.networks import Routes, subnet_of
from lab.aws.ec2.placement_groups import PlacementGroups
from lab.aws.ec2.records import Records
from lab.aws.ec2.security_groups import SecurityGroups
from lab.aws.ec2.security_rules import SecurityRules
from lab.aws.ec2.types import describe_instance_type_offerings, describe_instance_types
from lab.aws.ec2.views import describe_images, describe_instances
from lab.aws.faults import Faults
from lab.aws.quotas import ServiceQuotas
from lab.aws.router import Service
from lab.aws.wire import Request, Result
from lab.hosts.fleet import HostFleet
from lab.hosts.profiles import Profiles


def ec2_service(
    records: Records, fleet: HostFleet, profiles: Profiles, faults: Faults, quotas: ServiceQuotas, paths: DataPaths
) -> Service:
    """EC2; what its actions change, the hosts' network follows."""
    ministack = embedded.ministack("ec2")
    paths.add(Routes(fleet).apply)
    paths.add(SecurityRules(records, fleet).apply)
    instances = Instances(records, fleet, paths, LaunchPlanner(records, profiles, faults, quotas).plan, faults)
    placement_groups = PlacementGroups(records, ministack)
    security_groups = SecurityGroups(records, ministack)

    def describe_subnets(request: Request) -> Result:
        found = ministack("DescribeSubnets", **request)
        for view in found["Subnets"]:
            view["AvailableIpAddressCount"] = free_address_count(records, subnet_of(view["SubnetId"]))
        return found

    return Service(
        "ec2",
        {
            "RunInstances": instances.run,
            "TerminateInstances": instances.terminate,
            "DescribeInstances": lambda request: describe_instances(records, request),
            "DescribeInstanceTypes": lambda request: describe_instance_types(profiles, request),
            "DescribeInstanceTypeOfferings": lambda request: describe_instance_type_offerings(profiles, request),
            "DescribeImages": describe_images,
            "DescribeSubnets": describe_subnets,
            "DescribeNetworkInterfaces": lambda request: describe_network_interfaces(records, request),
            "CreatePlacementGroup": placement_groups.create,
            "DeletePlacementGroup": placement_groups.delete,
            "DescribePlacementGroups": placement_groups.describe,
            "CreateSecurityGroup": security_groups.create,
            "DeleteSecurityGroup": security_groups.delete,
            "DescribeSecurityGroups": security_groups.describe,
            "AuthorizeSecurityGroupIngress": security_groups.authorize_ingress,
            "RevokeSecurityGroupIngress": security_groups.revoke_ingress,
        },
        checks_refusals_itself=frozenset({"RunInstances"}),
        lock=paths.records,
        after_change=paths.apply,
    )
