"""CloudFormation's network resources: peerings, which MiniStack lacks, and the paths that all of them change."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import Any

from ministack.services import ec2
from ministack.services.cloudformation import provisioners

from lab.aws import patching
from lab.aws.data_paths import DataPaths

Properties = dict[str, Any]
# Of the load balancers that a template could declare there would be records and no path.
WITHOUT_PATH = "AWS::ElasticLoadBalancingV2::"


def create_peering(logical_id: str, properties: Properties, stack_name: str) -> tuple[str, Properties]:
    """Both VPCs are the account's own, so that the request is accepted at once."""
    vpc_ids = [properties["VpcId"], properties["PeerVpcId"]]
    for vpc_id in vpc_ids:
        if vpc_id not in ec2._vpcs:
            raise ValueError(f"{logical_id}: VPC {vpc_id} does not exist")
    first, second = (ipaddress.ip_network(ec2._vpcs[vpc_id]["CidrBlock"]) for vpc_id in vpc_ids)
    if first.overlaps(second):
        raise ValueError(f"{logical_id}: the VPCs' CIDR blocks must not overlap, got {first} and {second}")
    before = set(ec2._vpc_peering.keys())
    ec2._create_vpc_peering_connection({"VpcId": [vpc_ids[0]], "PeerVpcId": [vpc_ids[1]]})
    (peering_id,) = set(ec2._vpc_peering.keys()) - before
    ec2._accept_vpc_peering_connection({"VpcPeeringConnectionId": [peering_id]})
    provisioners._ec2_apply_tags(peering_id, properties)
    return peering_id, {"Id": peering_id}


def delete_peering(peering_id: str, _: Properties) -> None:
    if peering_id in ec2._vpc_peering:
        ec2._delete_vpc_peering_connection({"VpcPeeringConnectionId": [peering_id]})


def with_paths(paths: DataPaths) -> None:
    """After every change that a stack makes to the network, the fleet follows."""
    for name in ("_create_vpc_peering_connection", "_accept_vpc_peering_connection", "_delete_vpc_peering_connection"):
        patching.require(ec2, name)
    patching.require(provisioners, "_ec2_apply_tags")
    handlers = patching.require(provisioners, "_RESOURCE_HANDLERS")
    for resource_type in [name for name in handlers if name.startswith(WITHOUT_PATH)]:
        del handlers[resource_type]
    vpc = handlers["AWS::EC2::VPC"]
    handlers["AWS::EC2::VPC"] = vpc | {verb: _with_cidr_block(vpc[verb]) for verb in ("create", "update")}
    for resource_type, handler in handlers.items():
        if resource_type.startswith("AWS::EC2::"):
            handlers[resource_type] = handler | {
                verb: _then_apply(handler[verb], paths) for verb in ("create", "update", "delete") if verb in handler
            }


def _with_cidr_block(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Fn::GetAtt` of a VPC's CidrBlock, which MiniStack's VPC does not have."""

    def handle(*arguments: Any) -> Any:
        vpc_id, attributes = original(*arguments)
        return vpc_id, attributes | {"CidrBlock": ec2._vpcs[vpc_id]["CidrBlock"]}

    return handle


def _then_apply(original: Callable[..., Any], paths: DataPaths) -> Callable[..., Any]:
    def handle(*arguments: Any) -> Any:
        result = original(*arguments)
        paths.apply()
        return result

    return handle
