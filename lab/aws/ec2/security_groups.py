"""Security groups as EC2 keeps them: unique by name in a VPC, their rules checked one by one, none deleted while used.

MiniStack carries out what the lab has checked. By itself it accepts the same rule twice, ignores the revocation of an
unknown rule and deletes groups in use.
"""

import ipaddress
import re
from collections.abc import Callable
from typing import Any

from lab.aws.ec2.networks import active_peerings, cidr_blocks
from lab.aws.ec2.records import Records, SecurityGroup, remove_tags, tag_views
from lab.aws.ec2.requests import Facts, check_parameters, matching
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


class SecurityGroups:
    """The actions on security groups and their ingress rules."""

    def __init__(self, records: Records, ministack: Callable[..., dict[str, Any]]) -> None:
        self._records = records
        self._ministack = ministack

    def create(self, request: Request) -> dict[str, Any]:
        check_parameters(request, {"GroupName", "Description", "VpcId", "TagSpecifications"})
        for parameter in ("GroupName", "Description"):
            if not ALLOWED_TEXT.fullmatch(request[parameter]):
                message = f"Value ({request[parameter]}) for parameter {parameter} is invalid."
                raise AwsError("InvalidParameterValue", message)
        if request["GroupName"].startswith("sg-"):
            raise AwsError("InvalidParameterValue", "Value for parameter GroupName may not start with sg-")
        if "VpcId" in request and request["VpcId"] not in cidr_blocks():
            raise AwsError("InvalidVpcID.NotFound", f"The vpc ID '{request['VpcId']}' does not exist")
        return self._ministack("CreateSecurityGroup", **request)

    def delete(self, request: Request) -> dict[str, Any]:
        check_parameters(request, {"GroupId"})
        group_id = self._found(request.get("GroupId"))["GroupId"]
        if self._is_used(group_id):
            raise AwsError("DependencyViolation", f"resource {group_id} has a dependent object")
        deleted = self._ministack("DeleteSecurityGroup", GroupId=group_id)
        remove_tags(group_id)
        return deleted

    def describe(self, request: Request) -> dict[str, Any]:
        check_parameters(request, {"GroupIds", "Filters", "MaxResults", "NextToken"})
        groups = [self._found(group_id) for group_id in request.get("GroupIds", [])]
        groups = groups or list(self._records.security_groups.values())
        shown = matching(request, groups, lambda group: str(group["GroupId"]), FACTS)
        return {"SecurityGroups": [_view(group) for group in shown]}

    def authorize_ingress(self, request: Request) -> dict[str, Any]:
        check_parameters(request, {"GroupId", "IpPermissions", "TagSpecifications"})
        group = self._found(request.get("GroupId"))
        rules = _rules(request)
        for rule in rules:
            for pair in rule["UserIdGroupPairs"]:
                self._check_pair(pair, group)
            if any(_same(rule, known) for known in group["IpPermissions"]):
                raise AwsError("InvalidPermission.Duplicate", f'the specified rule "{_describe(rule)}" already exists')
        return self._ministack("AuthorizeSecurityGroupIngress", **(request | {"IpPermissions": rules}))

    def revoke_ingress(self, request: Request) -> dict[str, Any]:
        check_parameters(request, {"GroupId", "IpPermissions", "SecurityGroupRuleIds"})
        group = self._found(request.get("GroupId"))
        if request.get("SecurityGroupRuleIds"):
            return self._ministack("RevokeSecurityGroupIngress", **request)
        revoked = []
        for rule in _rules(request):
            known = next((known for known in group["IpPermissions"] if _same(rule, known)), None)
            if known is None:
                raise AwsError(
                    "InvalidPermission.NotFound", "The specified rule does not exist in this security group."
                )
            revoked.append(known)
        for rule in revoked:
            remove_tags(rule.get("SecurityGroupRuleId", ""))
            group["IpPermissions"].remove(rule)
        return {"Return": True}

    def _found(self, group_id: str | None) -> SecurityGroup:
        if not group_id:
            raise AwsError("MissingParameter", "The request must contain the parameter groupName or groupId")
        if not GROUP_ID.fullmatch(group_id):
            raise AwsError("InvalidGroupId.Malformed", f'Invalid id: "{group_id}"')
        return self._records.security_group(group_id)

    def _is_used(self, group_id: str) -> bool:
        """Whether an instance, a load balancer's interface or a rule of another group names the group."""
        users = [instance.launch.security_group_ids for instance in self._records.not_terminated()]
        users += [interface.security_group_ids for interface in list(self._records.interfaces.values())]
        if any(group_id in group_ids for group_ids in users):
            return True
        return any(
            pair.get("GroupId") == group_id
            for other in self._records.security_groups.values()
            if other["GroupId"] != group_id
            for rule in [*other["IpPermissions"], *other["IpPermissionsEgress"]]
            for pair in rule.get("UserIdGroupPairs", [])
        )

    def _check_pair(self, pair: dict[str, str], group: SecurityGroup) -> None:
        """A rule may name a group of its own VPC and of a peered one."""
        other = self._records.security_group(pair.get("GroupId", ""))
        vpc_ids = tuple(sorted((other["VpcId"], group["VpcId"])))
        if other["VpcId"] != group["VpcId"] and vpc_ids not in [peers for _, peers in active_peerings()]:
            raise AwsError(
                "InvalidGroup.NotFound", f"You have specified two resources that belong to different networks: {pair}"
            )


def _rules(request: Request) -> list[Rule]:
    """The request's rules with one source each, which is how EC2 counts and compares them."""
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
    """What a rule lets in; its description does not belong to that."""
    sources = [entry["CidrIp"] for entry in rule.get("IpRanges", [])]
    sources += [pair["GroupId"] for pair in rule.get("UserIdGroupPairs", [])]
    return rule["IpProtocol"], rule.get("FromPort"), rule.get("ToPort"), *sources


def _same(rule: Rule, other: Rule) -> bool:
    return _key(rule) == _key(other)


def _describe(rule: Rule) -> str:
    protocol, first, last, source = _key(rule)
    return f"peer: {source}, {protocol}, from port: {first}, to port: {last}, ALLOW"


def _merged(rules: list[Rule]) -> list[Rule]:
    """Rules of one protocol and port range together, with all their sources, as EC2 shows them."""
    merged: dict[tuple[Any, ...], Rule] = {}
    for rule in rules:
        ports = {key: rule[key] for key in ("IpProtocol", "FromPort", "ToPort") if key in rule}
        entry = merged.setdefault(_key(rule)[:3], ports | {kind: [] for kind in SOURCES})
        for kind in SOURCES:
            entry[kind] += rule.get(kind, [])
        entry["UserIdGroupPairs"] = [{"UserId": ACCOUNT_ID} | pair for pair in entry["UserIdGroupPairs"]]
    return list(merged.values())


def _view(group: SecurityGroup) -> dict[str, Any]:
    return group | {
        "SecurityGroupArn": f"arn:aws:ec2:{REGION}:{ACCOUNT_ID}:security-group/{group['GroupId']}",
        "IpPermissions": _merged(group["IpPermissions"]),
        "Tags": tag_views(group["GroupId"]),
    }
