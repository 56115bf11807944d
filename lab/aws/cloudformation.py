"""CloudFormation: the resource types of the product's template that MiniStack lacks, and the hosts' network.

Every resource is created through its service's API, so that a template is refused for the same reasons as a caller.
MiniStack's provisioners change EC2's records without a request, so each stack operation updates the hosts' network.
"""

import ipaddress
import json
import secrets
from collections.abc import Callable
from typing import Any

from lab.aws import embedded
from lab.aws.data_paths import DataPaths
from lab.aws.settings import IncompatibleMinistackError
from lab.aws.wire import AwsError

# The lab has no types for load balancers, because those of a template would not forward any packets.
WITHOUT_PATH = "AWS::ElasticLoadBalancingV2::"
Properties = dict[str, Any]
Created = tuple[str, dict[str, Any]]


def install_types() -> None:
    """Adds the types to MiniStack's table, and runs all types on worker threads, because they call services."""
    embedded.CLOUDFORMATION_ON_THREAD.replace(lambda _: True)
    handlers = embedded.CLOUDFORMATION_TYPES.value
    for resource_type, create, delete in (
        ("AWS::SSM::Document", _create_document, _delete_document),
        ("AWS::EC2::SecurityGroupIngress", _create_ingress, _delete_ingress),
        (
            "AWS::EC2::VPCPeeringConnection",
            _create_peering,
            _deleted_by("ec2", "DeleteVpcPeeringConnection", "VpcPeeringConnectionId"),
        ),
        ("AWS::Athena::NamedQuery", _create_named_query, _deleted_by("athena", "DeleteNamedQuery", "NamedQueryId")),
        (
            "AWS::StepFunctions::StateMachineVersion",
            _create_machine_version,
            _deleted_by("stepfunctions", "DeleteStateMachineVersion", "stateMachineVersionArn"),
        ),
    ):
        if resource_type in handlers:
            raise IncompatibleMinistackError(f"{resource_type}: must be unknown to MiniStack, got a handler of its own")
        handlers[resource_type] = replaced_when_updated(create, delete)
    handlers["AWS::SSM::Document"]["update"] = _update_document
    handlers["AWS::StepFunctions::StateMachineVersion"]["update"] = _publish_machine_version


def follow_stacks(paths: DataPaths) -> None:
    """Updates the hosts' network after every stack operation. Call it after all types are registered."""

    def then_apply(original: Callable[..., Any], *arguments: Any) -> Any:
        result = original(*arguments)
        paths.apply()
        return result

    handlers = embedded.CLOUDFORMATION_TYPES.value
    for resource_type in [name for name in handlers if name.startswith(WITHOUT_PATH)]:
        del handlers[resource_type]
    for resource_type in [name for name in handlers if name.startswith("AWS::EC2::")]:
        for verb in {"create", "update", "delete"} & handlers[resource_type].keys():
            embedded.wrap_resource(resource_type, verb, then_apply)


def replaced_when_updated(create: Callable[..., Created], delete: Callable[..., None]) -> dict[str, Any]:
    """Returns a type whose update replaces the old resource by a new one, because no data would be lost."""

    def update(
        physical_id: str, old: Properties, new: Properties, stack_name: str, logical_id: str | None = None
    ) -> Created:
        delete(physical_id, old)
        return create(logical_id or physical_id, new, stack_name)

    return {"create": create, "delete": delete, "update": update, "update_with_logical_id": True}


def _generated_name(stack_name: str, logical_id: str) -> str:
    return f"{stack_name}-{logical_id}-{secrets.token_hex(6).upper()}"


def call_for(logical_id: str, service: str, operation: str, **parameters: Any) -> dict[str, Any]:
    """Calls a service; a refusal fails the resource with the service's own message."""
    try:
        return embedded.call(service, operation, **parameters)
    except AwsError as error:
        raise ValueError(f"{logical_id}: {error.code}: {error.message}") from error


def _create_document(logical_id: str, properties: Properties, stack_name: str) -> Created:
    name = properties.get("Name") or _generated_name(stack_name, logical_id)
    content = _document_content(properties)
    call_for(logical_id, "ssm", "CreateDocument", Name=name, Content=content, DocumentType="Command")
    return name, {}


def _update_document(
    name: str, old: Properties, new: Properties, stack_name: str, logical_id: str | None = None
) -> Created:
    """`NewVersion` keeps the default version, so that a command without DocumentVersion runs the old one. AWS documents
    otherwise, but users report this
    (https://github.com/aws-cloudformation/cloudformation-coverage-roadmap/issues/2539).
    """
    if new.get("UpdateMethod") != "NewVersion":
        _delete_document(name, old)
        return _create_document(logical_id or name, new, stack_name)
    content = _document_content(new)
    if content != _document_content(old):
        versions = {"Content": content, "DocumentVersion": "$LATEST"}
        try:
            call_for(logical_id or name, "ssm", "UpdateDocument", Name=name, **versions)
        except ValueError as error:
            # CloudFormation goes on without a new version (aws-cloudformation-resource-providers-ssm, UpdateHandler).
            if "DuplicateDocumentContent" not in str(error):
                raise
    return name, {}


def _delete_document(name: str, _: Properties) -> None:
    delete_if_there("ssm", "DeleteDocument", Name=name)


def _document_content(properties: Properties) -> str:
    content = properties["Content"]
    return content if isinstance(content, str) else json.dumps(content)


def _create_machine_version(logical_id: str, properties: Properties, stack_name: str) -> Created:
    published = {"stateMachineArn": properties["StateMachineArn"], "revisionId": properties["StateMachineRevisionId"]}
    answer = call_for(logical_id, "stepfunctions", "PublishStateMachineVersion", **published)
    arn = answer["stateMachineVersionArn"]
    return arn, {"Arn": arn}


def _publish_machine_version(
    arn: str, old: Properties, new: Properties, stack_name: str, logical_id: str | None = None
) -> Created:
    """Another revision needs another version; the template's UpdateReplacePolicy keeps the one before it."""
    return (arn, {"Arn": arn}) if new == old else _create_machine_version(logical_id or arn, new, stack_name)


def _create_ingress(logical_id: str, properties: Properties, stack_name: str) -> Created:
    permissions = [_permission(properties)]
    group_id = properties["GroupId"]
    call_for(logical_id, "ec2", "AuthorizeSecurityGroupIngress", GroupId=group_id, IpPermissions=permissions)
    rule_id = _generated_name(stack_name, logical_id)
    return rule_id, {"Id": rule_id}


def _delete_ingress(_: str, properties: Properties) -> None:
    permissions = [_permission(properties)]
    delete_if_there("ec2", "RevokeSecurityGroupIngress", GroupId=properties["GroupId"], IpPermissions=permissions)


def _permission(properties: Properties) -> dict[str, Any]:
    """Returns a template's rule as a permission of the API."""
    permission: dict[str, Any] = {"IpProtocol": properties["IpProtocol"]}
    permission |= {key: int(properties[key]) for key in ("FromPort", "ToPort") if key in properties}
    described = {"Description": properties["Description"]} if "Description" in properties else {}
    if "CidrIp" in properties:
        permission["IpRanges"] = [{"CidrIp": properties["CidrIp"], **described}]
    if "SourceSecurityGroupId" in properties:
        permission["UserIdGroupPairs"] = [{"GroupId": properties["SourceSecurityGroupId"], **described}]
    return permission


def _create_peering(logical_id: str, properties: Properties, stack_name: str) -> Created:
    """Requests a peering and accepts it, as CloudFormation does when both VPCs belong to the account."""
    vpc_ids = [properties["VpcId"], properties["PeerVpcId"]]
    vpcs = call_for(logical_id, "ec2", "DescribeVpcs", VpcIds=vpc_ids)["Vpcs"]
    first, second = (ipaddress.IPv4Network(vpc["CidrBlock"]) for vpc in vpcs)
    if first.overlaps(second):
        raise ValueError(f"{logical_id}: the VPCs' CIDR blocks must not overlap, got {first} and {second}")
    created = call_for(logical_id, "ec2", "CreateVpcPeeringConnection", VpcId=vpc_ids[0], PeerVpcId=vpc_ids[1])
    peering_id = created["VpcPeeringConnection"]["VpcPeeringConnectionId"]
    call_for(logical_id, "ec2", "AcceptVpcPeeringConnection", VpcPeeringConnectionId=peering_id)
    if properties.get("Tags"):
        call_for(logical_id, "ec2", "CreateTags", Resources=[peering_id], Tags=properties["Tags"])
    return peering_id, {"Id": peering_id}


def _create_named_query(logical_id: str, properties: Properties, stack_name: str) -> Created:
    known = ("Name", "Description", "Database", "QueryString", "WorkGroup")
    call_for(logical_id, "athena", "GetWorkGroup", WorkGroup=properties.get("WorkGroup", "primary"))
    request = {key: properties[key] for key in known if key in properties}
    query_id = call_for(logical_id, "athena", "CreateNamedQuery", **request)["NamedQueryId"]
    return query_id, {"NamedQueryId": query_id}


# The services answer with these codes when a resource is deleted already.
GONE = (
    "InvalidDocument",
    "InvalidGroup.NotFound",
    "InvalidPermission.NotFound",
    "InvalidVpcPeeringConnectionID.NotFound",
    "InvalidRequestException",
    "NoSuchBucket",
    "ResourceNotFoundException",
)


def delete_if_there(service: str, operation: str, **parameters: Any) -> None:
    try:
        embedded.call(service, operation, **parameters)
    except AwsError as error:
        if error.code not in GONE:
            raise ValueError(f"{error.code}: {error.message}") from error


def _deleted_by(service: str, operation: str, id_parameter: str) -> Callable[[str, Properties], None]:
    return lambda physical_id, _: delete_if_there(service, operation, **{id_parameter: physical_id})
