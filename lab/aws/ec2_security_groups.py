"""Security groups as EC2 keeps them: unique by name in a VPC, their rules checked one by one, none deleted while used.

MiniStack's own handlers take a rule twice, forget a rule that is not there and delete a group that is in use.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Any

from ministack.core.responses import get_account_id
from ministack.services import ec2

from lab.aws.filters import (
    check_filters,
    check_parameters,
    filters_of,
    page,
    set_tags,
    tags_match,
    tags_of_specification,
)
from lab.aws.query import AwsError, Response, to_xml

PAGE_SIZE = 1000
ALLOWED_TEXT = re.compile(r"[a-zA-Z0-9. _\-:/()#,@\[\]+=&;{}!$*]{1,255}")
EVERYTHING = {"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}], "UserIdGroupPairs": []}
Rule = dict[str, Any]


def create_security_group(request: dict[str, Any]) -> dict[str, Any]:
    check_parameters(request, {"GroupName", "GroupDescription", "VpcId", "TagSpecification"})
    name, description = request.get("GroupName"), request.get("GroupDescription")
    for value, parameter in ((name, "GroupName"), (description, "GroupDescription")):
        if not value:
            raise AwsError("MissingParameter", f"The request must contain the parameter {parameter}")
        if not ALLOWED_TEXT.fullmatch(value):
            raise AwsError("InvalidParameterValue", f"Value ({value}) for parameter {parameter} is invalid.")
    if name.startswith("sg-"):
        raise AwsError("InvalidParameterValue", "Value for parameter GroupName may not start with sg-")
    vpc_id = request.get("VpcId") or ec2._DEFAULT_VPC_ID
    if vpc_id not in ec2._vpcs:
        raise AwsError("InvalidVpcID.NotFound", f"The vpc ID '{vpc_id}' does not exist")
    if any(group["GroupName"] == name and group["VpcId"] == vpc_id for group in ec2._security_groups.values()):
        raise AwsError("InvalidGroup.Duplicate", f"The security group '{name}' already exists for VPC '{vpc_id}'")
    group_id = ec2._new_sg_id()
    ec2._security_groups[group_id] = {
        "GroupId": group_id,
        "GroupName": name,
        "Description": description,
        "VpcId": vpc_id,
        "OwnerId": get_account_id(),
        "IpPermissions": [],
        "IpPermissionsEgress": [dict(EVERYTHING)],
    }
    set_tags(group_id, tags_of_specification(request, "security-group"))
    return {"return": True, "groupId": group_id, "securityGroupArn": ec2._security_group_arn(group_id)}


def delete_security_group(request: dict[str, Any]) -> dict[str, Any]:
    check_parameters(request, {"GroupId"})
    group = _group(request)
    group_id = group["GroupId"]
    if group["GroupName"] == "default":
        raise AwsError("CannotDelete", f'the specified group: "{group_id}" name: "default" cannot be deleted by a user')
    if _is_used(group_id):
        raise AwsError("DependencyViolation", f"resource {group_id} has a dependent object")
    del ec2._security_groups[group_id]
    ec2._tags.pop(group_id, None)
    return {"return": True, "groupId": group_id}


def describe_security_groups(request: dict[str, Any]) -> Response:
    check_parameters(request, {"GroupId", "Filter", "MaxResults", "NextToken"})
    wanted = request.get("GroupId", [])
    for group_id in wanted:
        _group({"GroupId": group_id})
    filters = filters_of(request)
    check_filters(filters, {"vpc-id", "group-name", "group-id", "description", "ip-permission.group-id"})
    found = [
        group
        for group in list(ec2._security_groups.values())
        if (not wanted or group["GroupId"] in wanted) and _matches(group, filters)
    ]
    shown, next_token = page(request, found, PAGE_SIZE)
    items = "".join(ec2._sg_xml(group | {"IpPermissions": _merged(group["IpPermissions"])}) for group in shown)
    token = to_xml({"nextToken": next_token})
    return ec2._xml(200, "DescribeSecurityGroupsResponse", f"<securityGroupInfo>{items}</securityGroupInfo>{token}")


def authorize_ingress(request: dict[str, Any]) -> Response:
    check_parameters(request, {"GroupId", "IpPermissions", "TagSpecification"})
    group = _group(request)
    rules = _rules(request, group)
    for rule in rules:
        if any(_same(rule, known) for known in group["IpPermissions"]):
            raise AwsError("InvalidPermission.Duplicate", f'the specified rule "{_describe(rule)}" already exists')
    tags = tags_of_specification(request, "security-group-rule")
    items = ""
    for rule in rules:
        rule["SecurityGroupRuleId"] = ec2._sg_rule_id(group["GroupId"], False, rule)
        set_tags(rule["SecurityGroupRuleId"], tags)
        group["IpPermissions"].append(rule)
        items += ec2._sg_rule_xml(group["GroupId"], rule, is_egress=False)
    inner = f"<return>true</return><securityGroupRuleSet>{items}</securityGroupRuleSet>"
    return ec2._xml(200, "AuthorizeSecurityGroupIngressResponse", inner)


def revoke_ingress(request: dict[str, Any]) -> dict[str, Any]:
    check_parameters(request, {"GroupId", "IpPermissions", "SecurityGroupRuleId"})
    group = _group(request)
    by_id = {ec2._sg_rule_id(group["GroupId"], False, rule): rule for rule in group["IpPermissions"]}
    gone = []
    for rule_id in request.get("SecurityGroupRuleId", []):
        if rule_id not in by_id:
            raise AwsError(
                "InvalidSecurityGroupRuleId.NotFound", f"The security group rule ID '{rule_id}' does not exist"
            )
        gone.append(by_id[rule_id])
    for rule in [] if gone else _rules(request, group, must_exist=False):
        known = next((known for known in group["IpPermissions"] if _same(rule, known)), None)
        if known is None:
            raise AwsError("InvalidPermission.NotFound", "The specified rule does not exist in this security group.")
        gone.append(known)
    for rule in gone:
        ec2._tags.pop(ec2._sg_rule_id(group["GroupId"], False, rule), None)
        group["IpPermissions"].remove(rule)
    return {"return": True}


def _group(request: dict[str, Any]) -> dict[str, Any]:
    group_id = request.get("GroupId")
    if not group_id:
        raise AwsError("MissingParameter", "The request must contain the parameter groupName or groupId")
    group = ec2._security_groups.get(group_id)
    if group is None:
        if not ec2._SECURITY_GROUP_ID_RE.fullmatch(group_id):
            raise AwsError("InvalidGroupId.Malformed", f'Invalid id: "{group_id}"')
        raise AwsError("InvalidGroup.NotFound", f"The security group '{group_id}' does not exist")
    return group


def _is_used(group_id: str) -> bool:
    """By an interface, of an instance or a load balancer, or by a rule of another group."""
    instances = [instance for instance in ec2._instances.values() if instance["State"]["Name"] != "terminated"]
    interfaces = [*(instance["SecurityGroups"] for instance in instances)]
    interfaces += [interface["Groups"] for interface in ec2._network_interfaces.values()]
    if any(group["GroupId"] == group_id for groups in interfaces for group in groups):
        return True
    return any(
        pair.get("GroupId") == group_id
        for other in ec2._security_groups.values()
        if other["GroupId"] != group_id
        for rule in [*other["IpPermissions"], *other["IpPermissionsEgress"]]
        for pair in rule.get("UserIdGroupPairs", [])
    )


def _rules(request: dict[str, Any], group: dict[str, Any], must_exist: bool = True) -> list[Rule]:
    """The request's rules with one source each, which is how EC2 counts and compares them."""
    rules: list[Rule] = []
    for permission in request.get("IpPermissions", []):
        common = _protocol_and_ports(permission)
        ranges = [entry | {"CidrIp": _network(entry["CidrIp"])} for entry in permission.get("IpRanges", [])]
        pairs = permission.get("Groups", [])
        for pair in pairs if must_exist else []:
            _check_pair(pair, group)
        if not ranges and not pairs:
            raise AwsError("MissingParameter", "The request must contain a source for each of its rules")
        rules += [common | {"IpRanges": [entry], "UserIdGroupPairs": []} for entry in ranges]
        rules += [common | {"IpRanges": [], "UserIdGroupPairs": [pair]} for pair in pairs]
        unknown = sorted(set(permission) - {"IpProtocol", "FromPort", "ToPort", "IpRanges", "Groups"})
        if unknown:
            raise AwsError("InvalidParameterValue", f"The lab's rules know CIDR blocks and groups, got {unknown}")
    if not rules:
        raise AwsError("MissingParameter", "The request must contain the parameter IpPermissions")
    return rules


def _protocol_and_ports(permission: Rule) -> Rule:
    protocol = {"6": "tcp", "17": "udp", "1": "icmp"}.get(permission["IpProtocol"], permission["IpProtocol"])
    if protocol not in ("tcp", "udp", "icmp", "-1"):
        raise AwsError("InvalidParameterValue", f"Invalid value '{protocol}' for IP protocol. Unknown protocol.")
    if protocol == "-1":
        return {"IpProtocol": protocol}
    if "FromPort" not in permission or "ToPort" not in permission:
        raise AwsError("MissingParameter", "The request must contain the parameters FromPort and ToPort")
    first, last = int(permission["FromPort"]), int(permission["ToPort"])
    if protocol != "icmp" and not 0 <= first <= last <= 65535:
        raise AwsError("InvalidParameterValue", f"Invalid value '{first}-{last}' for portRange.")
    return {"IpProtocol": protocol, "FromPort": first, "ToPort": last}


def _network(cidr: str) -> str:
    try:
        return str(ipaddress.ip_network(cidr, strict=False)) if "/" in cidr else _malformed(cidr)
    except ValueError:
        return _malformed(cidr)


def _malformed(cidr: str) -> str:
    raise AwsError("InvalidParameterValue", f"CIDR block {cidr} is malformed")


def _check_pair(pair: dict[str, str], group: dict[str, Any]) -> None:
    other = ec2._security_groups.get(pair.get("GroupId", ""))
    if other is None:
        raise AwsError("InvalidGroup.NotFound", f"The security group '{pair.get('GroupId')}' does not exist")
    if other["VpcId"] != group["VpcId"] and not _are_peers(other["VpcId"], group["VpcId"]):
        raise AwsError(
            "InvalidGroup.NotFound", f"You have specified two resources that belong to different networks: {pair}"
        )


def _are_peers(vpc_id: str, other: str) -> bool:
    return any(
        {peering["RequesterVpcInfo"]["VpcId"], peering["AccepterVpcInfo"]["VpcId"]} == {vpc_id, other}
        and peering["Status"]["Code"] == "active"
        for peering in ec2._vpc_peering.values()
    )


def _key(rule: Rule) -> tuple[Any, ...]:
    sources = [entry["CidrIp"] for entry in rule.get("IpRanges", [])]
    sources += [pair["GroupId"] for pair in rule.get("UserIdGroupPairs", [])]
    return rule["IpProtocol"], rule.get("FromPort"), rule.get("ToPort"), *sources


def _same(rule: Rule, other: Rule) -> bool:
    """A rule's description is no part of what it lets in."""
    return _key(rule) == _key(other)


def _describe(rule: Rule) -> str:
    protocol, first, last, source = _key(rule)
    return f"peer: {source}, {protocol}, from port: {first}, to port: {last}, ALLOW"


def _merged(rules: list[Rule]) -> list[Rule]:
    """As EC2 shows rules: those of one protocol and port range together, with all their sources."""
    merged: dict[tuple[Any, ...], Rule] = {}
    for rule in rules:
        ports = {key: rule[key] for key in ("IpProtocol", "FromPort", "ToPort") if key in rule}
        entry = merged.setdefault(_key(rule)[:3], ports | {"IpRanges": [], "UserIdGroupPairs": []})
        for kind in ("IpRanges", "UserIdGroupPairs"):
            entry[kind] += rule.get(kind, [])
    return list(merged.values())


def _matches(group: dict[str, Any], filters: dict[str, list[str]]) -> bool:
    referred = [pair["GroupId"] for rule in group["IpPermissions"] for pair in rule.get("UserIdGroupPairs", [])]
    facts = {
        "vpc-id": [group["VpcId"]],
        "group-name": [group["GroupName"]],
        "group-id": [group["GroupId"]],
        "description": [group["Description"]],
        "ip-permission.group-id": referred,
    }
    return tags_match(group["GroupId"], filters) and all(
        set(facts[name]) & set(values) for name, values in filters.items() if name in facts
    )
