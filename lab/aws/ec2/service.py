import functools

from lab.aws import embedded
from lab.aws.account_plan import AccountPlan
from lab.aws.data_paths import DataPaths
from lab.aws.ec2.endpoints import VpcEndpoints
from lab.aws.ec2.instances import Instances
from lab.aws.ec2.interfaces import describe_network_interfaces, free_address_count
from lab.aws.ec2.launch import plan_launch
from lab.aws.ec2.networks import Routes, ministack, subnet_of
from lab.aws.ec2.placement_groups import create_placement_group, delete_placement_group, describe_placement_groups
from lab.aws.ec2.records import Records
from lab.aws.ec2.security_groups import (
    authorize_ingress,
    create_security_group,
    delete_security_group,
    describe_security_groups,
    revoke_ingress,
)
from lab.aws.ec2.security_rules import SecurityRules
from lab.aws.ec2.types import describe_instance_type_offerings, describe_instance_types
from lab.aws.ec2.views import describe_images, describe_instances
from lab.aws.faults import Faults
from lab.aws.quotas import ServiceQuotas
from lab.aws.router import Action, Service
from lab.aws.settings import zone_id
from lab.aws.wire import Request, Result
from lab.hosts.fleet import HostFleet
from lab.hosts.profiles import Profiles

PAGED = {"MaxResults", "NextToken"}


def ec2_service(
    records: Records,
    fleet: HostFleet,
    profiles: Profiles,
    faults: Faults,
    quotas: ServiceQuotas,
    account_plan: AccountPlan,
    paths: DataPaths,
) -> Service:
    """Assembles EC2's actions; the hosts' network follows every change that they make."""
    # The lab numbers its zones in another order than MiniStack, so that code which takes a zone's name for its id
    # fails. AWS maps them per account (https://docs.aws.amazon.com/ram/latest/userguide/working-with-az-ids.html).
    embedded.EC2_ZONE_ID.replace(zone_id)
    paths.add(Routes(fleet).apply)
    paths.add(SecurityRules(records, fleet).apply)
    plan = functools.partial(plan_launch, records, profiles, faults, quotas, account_plan)
    instances = Instances(records, fleet, paths, plan, faults)
    endpoints = VpcEndpoints()

    def describe_subnets(request: Request) -> Result:
        found = ministack("DescribeSubnets", **request)
        for view in found["Subnets"]:
            view["AvailableIpAddressCount"] = free_address_count(records, subnet_of(view))
            # MiniStack created the default subnets before the mapping was replaced.
            view["AvailabilityZoneId"] = zone_id(view["AvailabilityZone"])
        return found

    return Service(
        "ec2",
        {
            "RunInstances": Action(instances.run),
            "TerminateInstances": Action(instances.terminate),
            "DescribeInstances": Action(lambda request: describe_instances(records, request)),
            "DescribeInstanceTypes": Action(lambda request: describe_instance_types(profiles, request)),
            "DescribeInstanceTypeOfferings": Action(
                lambda request: describe_instance_type_offerings(profiles, request)
            ),
            "DescribeImages": Action(describe_images, PAGED | {"ImageIds", "Owners", "Filters", "IncludeDeprecated"}),
            "DescribeSubnets": Action(describe_subnets),
            "DescribeNetworkInterfaces": Action(
                lambda request: describe_network_interfaces(records, request), PAGED | {"Filters"}
            ),
            "CreateVpcEndpoint": Action(endpoints.create),
            "DescribeVpcEndpoints": Action(endpoints.describe, PAGED | {"VpcEndpointIds", "Filters"}),
            "DeleteVpcEndpoints": Action(endpoints.delete, {"VpcEndpointIds"}),
            "CreatePlacementGroup": Action(
                create_placement_group, {"GroupName", "Strategy", "PartitionCount", "TagSpecifications"}
            ),
            "DeletePlacementGroup": Action(lambda request: delete_placement_group(records, request)),
            "DescribePlacementGroups": Action(describe_placement_groups, {"GroupNames", "GroupIds", "Filters"}),
            "CreateSecurityGroup": Action(
                create_security_group, {"GroupName", "Description", "VpcId", "TagSpecifications"}
            ),
            "DeleteSecurityGroup": Action(
                lambda request: delete_security_group(records, endpoints, request), {"GroupId"}
            ),
            "DescribeSecurityGroups": Action(describe_security_groups, PAGED | {"GroupIds", "Filters"}),
            "AuthorizeSecurityGroupIngress": Action(
                authorize_ingress, {"GroupId", "IpPermissions", "TagSpecifications"}
            ),
            "RevokeSecurityGroupIngress": Action(revoke_ingress, {"GroupId", "IpPermissions", "SecurityGroupRuleIds"}),
        },
        checks_refusals_itself=frozenset({"RunInstances"}),
        lock=paths.records,
        after_change=paths.apply,
    )
