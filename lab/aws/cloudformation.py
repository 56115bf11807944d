"""CloudFormation resource types that MiniStack does not know."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ministack.services import athena, ec2, scheduler
from ministack.services.cloudformation import provisioners

from lab.aws import patching
from lab.aws.cloudformation_bucket import with_lifecycle
from lab.aws.cloudformation_network import create_peering, delete_peering, with_paths
from lab.aws.cloudformation_schedule import create_schedule, delete_schedule
from lab.aws.data_paths import DataPaths
from lab.aws.query import AwsError
from lab.aws.ssm_documents import Documents

Properties = dict[str, Any]
Created = tuple[str, dict[str, Any]]


def install(documents: Documents, paths: DataPaths) -> None:
    """Registers the types in the table that every stack operation reads."""
    handlers = patching.require(provisioners, "_RESOURCE_HANDLERS")
    for name in ("_physical_name", "_ec2_sg_permissions"):
        patching.require(provisioners, name)
    for resource_type, create, delete in (
        ("AWS::SSM::Document", _create_document(documents), lambda name, _: documents.remove(name)),
        ("AWS::EC2::PlacementGroup", _create_placement_group, _delete_placement_group),
        ("AWS::EC2::SecurityGroupIngress", _create_security_group_ingress, _delete_security_group_ingress),
        ("AWS::EC2::SecurityGroupEgress", _create_security_group_egress, _delete_security_group_egress),
        ("AWS::EC2::VPCPeeringConnection", create_peering, delete_peering),
        ("AWS::Athena::NamedQuery", _create_named_query, _delete_named_query),
    ):
        if resource_type in handlers:
            raise patching.IncompatibleMinistackError(
                f"{resource_type}: must be unknown to MiniStack, got a handler of its own"
            )
        handlers[resource_type] = {
            "create": create,
            "delete": delete,
            "update": _replace_by(create, delete),
            "update_with_logical_id": True,
        }
    for name in ("_create_schedule", "_delete_schedule", "_schedule_arn"):
        patching.require(scheduler, name)
    patching.replace_entry(
        provisioners,
        "_RESOURCE_HANDLERS",
        "AWS::Scheduler::Schedule",
        {
            "create": create_schedule,
            "delete": delete_schedule,
            "update": _replace_by(create_schedule, delete_schedule),
            "update_with_logical_id": True,
        },
    )
    with_lifecycle()
    with_paths(paths)


def _replace_by(create: Callable[..., Created], delete: Callable[..., None]) -> Callable[..., Created]:
    """An update as a new resource in the place of the old one: none of these types holds anything of its own."""

    def update(
        physical_id: str, old: Properties, new: Properties, stack_name: str, logical_id: str | None = None
    ) -> Created:
        delete(physical_id, old)
        return create(logical_id or physical_id, new, stack_name)

    return update


def _create_document(documents: Documents) -> Callable[..., Created]:
    def create(logical_id: str, properties: Properties, stack_name: str) -> Created:
        name = properties.get("Name") or provisioners._physical_name(stack_name, logical_id)
        try:
            documents.put(name, properties["Content"])
        except AwsError as error:
            raise ValueError(f"{name}: {error.code}: {error.message}") from error
        return name, {}

    return create


def _create_placement_group(logical_id: str, properties: Properties, stack_name: str) -> Created:
    name = provisioners._physical_name(stack_name, logical_id)
    parameters = {"GroupName": [name], "Strategy": [properties.get("Strategy", "cluster")]}
    status, _, body = ec2._create_placement_group(parameters)
    if status >= 300:
        raise ValueError(body.decode())
    return name, {"GroupName": name}


def _delete_placement_group(name: str, _: Properties) -> None:
    ec2._placement_groups.pop(name, None)


def _rule_handlers(direction: str) -> tuple[Callable[..., Created], Callable[..., None]]:
    def permission(properties: Properties) -> dict[str, Any]:
        return provisioners._ec2_sg_permissions([properties])[0]

    def create(logical_id: str, properties: Properties, stack_name: str) -> Created:
        group = ec2._security_groups.get(properties["GroupId"])
        if group is None:
            raise ValueError(f"{logical_id}: security group {properties['GroupId']} does not exist")
        group.setdefault(direction, []).append(permission(properties))
        rule_id = provisioners._physical_name(stack_name, logical_id)
        return rule_id, {"Id": rule_id}

    def delete(_: str, properties: Properties) -> None:
        group = ec2._security_groups.get(properties.get("GroupId", ""))
        rule = permission(properties)
        if group is not None and rule in group.get(direction, []):
            group[direction].remove(rule)

    return create, delete


_create_security_group_ingress, _delete_security_group_ingress = _rule_handlers("IpPermissions")
_create_security_group_egress, _delete_security_group_egress = _rule_handlers("IpPermissionsEgress")


def _create_named_query(logical_id: str, properties: Properties, stack_name: str) -> Created:
    workgroup = properties.get("WorkGroup", "primary")
    if workgroup not in athena._workgroups:
        raise ValueError(f"{logical_id}: workgroup {workgroup} does not exist")
    request = {key: properties[key] for key in ("Name", "Description", "Database", "QueryString") if key in properties}
    _, _, body = athena._create_named_query(request | {"WorkGroup": workgroup})
    query_id = json.loads(body)["NamedQueryId"]
    return query_id, {"NamedQueryId": query_id}


def _delete_named_query(query_id: str, _: Properties) -> None:
    athena._named_queries.pop(query_id, None)
