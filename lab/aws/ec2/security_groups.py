"""Security groups as EC2 keeps them: unique by name in a VPC, with rules checked one by one, never deleted while used.

MiniStack executes what the lab has checked. By itself it accepts the same rule twice, ignores the revocation of an
unknown rule, and deletes groups in use.
"""

import ipaddress
import re
from typing import Any

from lab.aws.ec2.endpoints import VpcEndpoints
from lab.aws.ec2.networks import active_peerings, cidr_blocks, ministack
from lab.aws.ec2.records import Records, SecurityGroup, security_group, security_groups, tags_of
from lab.aws.ec2.requests import Facts, matching
from lab.aws.settings import ACCOUNT_ID, REGION
from lab.aws.wire import AwsError, Request

ALLOWED_TEXT = re.compile(r"[a-zA-Z0-9. _\-:/()#,@\[\]+=&;{}!$*]{1,255}")
GROUP_ID = re.compile("sg-[0-9a-f]{8}(?:[0-9a-f]{9})?")
SOURCES = ("IpRanges", "Ipv6Ranges", "PrefixListIds", "UserIdGroupPairs")
Rule = dict[str, Any]
FACTS: Facts[SecurityGroup] = {
    "vpc-id": lambda group: [group["VpcId"]],
    "group-name": lambda group: [group["GroupName"]],
}


def create_security_group(request: Request) -> dict[str, Any]:
    for parameter in ("GroupName", "Description"):
        if not ALLOWED_TEXT.fullmatch(request[parameter]):
            message = f"Value ({request[parameter]}) for parameter {parameter} is invalid."
            raise AwsError("InvalidParameterValue", message)
    if request["GroupName"].startswith("sg-"):
        raise AwsError("InvalidParameterValue", "Value for parameter GroupName may not start with sg-")
    if "VpcId" in request and request["VpcId"] not in cidr_blocks():
        raise AwsError("InvalidVpcID.NotFound", f"The vpc ID '{request['VpcId']}' does not exist")
    return ministack("CreateSecurityGroup", **request)


def delete_security_group(records: Records, endpoints: VpcEndpoints, request: Request) -> dict[str, Any]:
    group_id = _found(request.get("GroupId"))["GroupId"]
    if _is_used(records, group_id) or endpoints.use_group(group_id):
        raise AwsError("DependencyViolation", f"resource {group_id} has a dependent object")
    return ministack("DeleteSecurityGroup", GroupId=group_id)


def describe_security_groups(request: Request) -> dict[str, Any]:
    groups = [_found(group_id) for group_id in request.get("GroupIds", [])]
    groups = groups or list(security_groups().values())
    shown = matching(request, groups, FACTS, tags_of)
    return {"SecurityGroups": [_view(group) for group in shown]}


def authorize_ingress(request: Request) -> dict[str, Any]:
    group = _found(request.get("GroupId"))
    rules = _rules(request)
    for rule in rules:
        for pair in rule["UserIdGroupPairs"]:
            _check_pair(pair, group)
        if _key(rule) in map(_key, group["IpPermissions"]):
            raise AwsError("InvalidPermission.Duplicate", f'the specified rule "{_describe(rule)}" already exists')
    return ministack("AuthorizeSecurityGroupIngress", **(request | {"IpPermissions": rules}))


def revoke_ingress(request: Request) -> dict[str, Any]:
    group = _found(request.get("GroupId"))
    if request.get("SecurityGroupRuleIds"):
        return ministack("RevokeSecurityGroupIngress", **request)
    # MiniStack lists the ingress rules in the group's order, before the egress rules.
    filters = [{"Name": "group-id", "Values": [group["GroupId"]]}]
    listed = ministack("DescribeSecurityGroupRules", Filters=filters)["SecurityGroupRules"]
    rule_ids = {
        _key(rule): one["SecurityGroupRuleId"] for rule, one in zip(group["IpPermissions"], listed, strict=False)
    }
    revoked = [rule_ids.get(_key(rule)) for rule in _rules(request)]
    if None in revoked:
        raise AwsError("InvalidPermission.NotFound", "The specified rule does not exist in this security group.")
    ministack("RevokeSecurityGroupIngress", GroupId=group["GroupId"], SecurityGroupRuleIds=revoked)
    return {"Return": True}


def _found(group_id: str | None) -> SecurityGroup:
    if not group_id:
        raise AwsError("MissingParameter", "The request must contain the parameter groupName or groupId")
    if not GROUP_ID.fullmatch(group_id):
        raise AwsError("InvalidGroupId.Malformed", f'Invalid id: "{group_id}"')
    return security_group(group_id)


def _is_used(records: Records, group_id: str) -> bool:
    """Returns whether an instance, a load balancer's interface or a rule of another group refers to the group."""
    users = [instance.launch.security_group_ids for instance in records.not_terminated()]
    users += [interface.security_group_ids for interface in list(records.interfaces.values())]
    if any(group_id in group_ids for group_ids in users):
        return True
    return any(
        pair.get("GroupId") == group_id
        for other in security_groups().values()
        if other["GroupId"] != group_id
        for rule in [*other["IpPermissions"], *other["IpPermissionsEgress"]]
        for pair in rule.get("UserIdGroupPairs", [])
    )


def _check_pair(pair: dict[str, str], group: SecurityGroup) -> None:
    """Requires that the other group is in the same VPC or in a peered one."""
    other = _found(pair.get("GroupId"))
    vpc_ids = tuple(sorted((other["VpcId"], group["VpcId"])))
    if other["VpcId"] != group["VpcId"] and vpc_ids not in [peers for _, peers in active_peerings()]:
        raise AwsError(
            "InvalidGroup.NotFound", f"You have specified two resources that belong to different networks: {pair}"
        )


def _rules(request: Request) -> list[Rule]:
    """Returns the request's rules split into one source each, which is how EC2 counts and compares them."""
    rules: list[Rule] = []
    for permission in request.get("IpPermissions", []):
        common = _protocol_and_ports(permission)
        ranges = [entry | {"CidrIp": _network(entry["CidrIp"])} for entry in permission.get("IpRanges", [])]
        pairs = permission.get("UserIdGroupPairs", [])
        if not ranges and not pairs:
            raise AwsError("MissingParameter", "The request must contain a source for each of its rules")
        rules += [common | {"IpRanges": [entry], "UserIdGroupPairs": []} for entry in ranges]
        rules += [common | {"IpRanges": [], "UserIdGroupPairs": [pair]} for pair in pairs]
        unknown = sorted(set(permission) - {"IpProtocol", "FromPort", "ToPort", "IpRanges", "UserIdGroupPairs"})
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
    first, last = permission["FromPort"], permission["ToPort"]
    if protocol != "icmp" and not 0 <= first <= last <= 65535:
        raise AwsError("InvalidParameterValue", f"Invalid value '{first}-{last}' for portRange.")
    return {"IpProtocol": protocol, "FromPort": first, "ToPort": last}


def _network(cidr: str) -> str:
    try:
        if "/" in cidr:
            return str(ipaddress.ip_network(cidr, strict=False))
    except ValueError:
        pass
    raise AwsError("InvalidParameterValue", f"CIDR block {cidr} is malformed")


def _key(rule: Rule) -> tuple[Any, ...]:
    """Returns what identifies a rule; its description does not."""
    sources = [entry["CidrIp"] for entry in rule.get("IpRanges", [])]
    sources += [pair["GroupId"] for pair in rule.get("UserIdGroupPairs", [])]
    return rule["IpProtocol"], rule.get("FromPort"), rule.get("ToPort"), *sources


def _describe(rule: Rule) -> str:
    protocol, first, last, source = _key(rule)
    return f"peer: {source}, {protocol}, from port: {first}, to port: {last}, ALLOW"


def _merged(rules: list[Rule]) -> list[Rule]:
    """Merges rules of the same protocol and ports, as EC2 shows them."""
    merged: dict[tuple[Any, ...], Rule] = {}
    for rule in rules:
        ports = {key: rule[key] for key in ("IpProtocol", "FromPort", "ToPort") if key in rule}
        entry = merged.setdefault(_key(rule)[:3], ports | {kind: [] for kind in SOURCES})
        for kind in SOURCES:
            entry[kind] += rule.get(kind, [])
    return list(merged.values())


def _view(group: SecurityGroup) -> dict[str, Any]:
    return group | {
        "SecurityGroupArn": f"arn:aws:ec2:{REGION}:{ACCOUNT_ID}:security-group/{group['GroupId']}",
        "IpPermissions": _merged(group["IpPermissions"]),
    }
