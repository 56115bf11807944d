"""The lab's security groups have unique names, check each rule, and can't be deleted while something uses them."""

from botocore.exceptions import ClientError

TAG = "network-benchmark:pair-id"


def tagged(pair):
    return [{"ResourceType": "security-group", "Tags": [{"Key": TAG, "Value": pair}]}]


def cidr(address, protocol="tcp", port=5201):
    return {"IpProtocol": protocol, "FromPort": port, "ToPort": port, "IpRanges": [{"CidrIp": address}]}


def member(group, protocol="-1"):
    return {"IpProtocol": protocol, "UserIdGroupPairs": [{"GroupId": group}]}


def make(aws, network, name, pair="none"):
    return aws.client("ec2").create_security_group(
        GroupName=name, Description="of a pair", VpcId=network["vpc"], TagSpecifications=tagged(pair)
    )["GroupId"]


def is_deleted(ec2, group):
    try:
        ec2.delete_security_group(GroupId=group)
    except ClientError as error:
        assert error.response["Error"]["Code"] == "DependencyViolation"
        return False
    return True


def test_a_group_is_found_by_its_tags_and_its_name_is_unique_in_its_vpc(aws, network, code_of):
    ec2 = aws.client("ec2")
    group = make(aws, network, "found-by-tag", "p0001")
    found = ec2.describe_security_groups(Filters=[{"Name": f"tag:{TAG}", "Values": ["p0001"]}])["SecurityGroups"]
    assert [(one["GroupId"], one["GroupName"], one["Tags"]) for one in found] == [
        (group, "found-by-tag", [{"Key": TAG, "Value": "p0001"}])
    ]
    assert code_of(make, aws, network, "found-by-tag") == "InvalidGroup.Duplicate"
    other_vpc = ec2.create_vpc(CidrBlock="10.99.0.0/16")["Vpc"]["VpcId"]
    same_name = ec2.create_security_group(GroupName="found-by-tag", Description="d", VpcId=other_vpc)["GroupId"]
    for made in (group, same_name):
        ec2.delete_security_group(GroupId=made)
    assert code_of(ec2.describe_security_groups, GroupIds=[group]) == "InvalidGroup.NotFound"
    assert not ec2.describe_security_groups(Filters=[{"Name": f"tag:{TAG}", "Values": ["p0001"]}])["SecurityGroups"]


def test_refusals_by_their_codes(aws, network, code_of):
    ec2 = aws.client("ec2")
    group = make(aws, network, "refusals")
    named = {"GroupName": "g", "Description": "d", "VpcId": network["vpc"]}
    assert code_of(ec2.create_security_group, **(named | {"VpcId": "vpc-0"})) == "InvalidVpcID.NotFound"
    assert code_of(ec2.create_security_group, **(named | {"GroupName": "sg-1"})) == "InvalidParameterValue"
    assert code_of(ec2.create_security_group, **(named | {"Description": "a|b"})) == "InvalidParameterValue"
    gone = "sg-11111111111111111"
    assert code_of(ec2.delete_security_group, GroupId=gone) == "InvalidGroup.NotFound"
    assert code_of(ec2.delete_security_group, GroupId="sg-x") == "InvalidGroupId.Malformed"
    filters = [{"Name": "egress.colour", "Values": ["red"]}]
    assert code_of(ec2.describe_security_groups, Filters=filters) == "InvalidParameterValue"
    assert code_of(ec2.describe_security_groups, GroupNames=["refusals"]) == "UnknownParameter"
    assert code_of(ec2.delete_security_group, GroupId=group, DryRun=True) == "UnknownParameter"
    for permission, code in (
        (cidr("10.0.0.1"), "InvalidParameterValue"),
        (cidr("10.0.0.0/33"), "InvalidParameterValue"),
        (cidr("10.0.0.1/32", port=70000), "InvalidParameterValue"),
        (cidr("10.0.0.1/32", protocol="tpc"), "InvalidParameterValue"),
        ({"IpProtocol": "tcp", "IpRanges": [{"CidrIp": "10.0.0.1/32"}]}, "MissingParameter"),
        ({"IpProtocol": "-1"}, "MissingParameter"),
        ({"IpProtocol": "-1", "Ipv6Ranges": [{"CidrIpv6": "::/0"}]}, "MissingParameter"),
        (member(gone), "InvalidGroup.NotFound"),
    ):
        ask = {"GroupId": group, "IpPermissions": [permission]}
        assert code_of(ec2.authorize_security_group_ingress, **ask) == code, permission
    ask = {"GroupId": gone, "IpPermissions": [cidr("10.0.0.1/32")]}
    assert code_of(ec2.authorize_security_group_ingress, **ask) == "InvalidGroup.NotFound"
    ec2.delete_security_group(GroupId=group)


def test_a_rule_is_authorized_once_and_revoked_once(aws, network, code_of):
    ec2 = aws.client("ec2")
    group = make(aws, network, "rules")
    two = {"IpProtocol": "udp", "FromPort": 1, "ToPort": 2}
    two["IpRanges"] = [{"CidrIp": "203.0.113.7/32", "Description": "peer"}, {"CidrIp": "203.0.113.8/32"}]
    made = ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[two, member(group)])
    assert [rule.get("CidrIpv4") for rule in made["SecurityGroupRules"]] == ["203.0.113.7/32", "203.0.113.8/32", None]
    one = {"GroupId": group, "IpPermissions": [two | {"IpRanges": [{"CidrIp": "203.0.113.8/32"}]}]}
    assert code_of(ec2.authorize_security_group_ingress, **one) == "InvalidPermission.Duplicate"
    shown = ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"][0]["IpPermissions"]
    assert [len(permission["IpRanges"]) for permission in shown] == [2, 0]
    assert shown[0]["IpRanges"][0]["Description"] == "peer"
    ec2.revoke_security_group_ingress(**one)
    assert code_of(ec2.revoke_security_group_ingress, **one) == "InvalidPermission.NotFound"
    shown = ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"][0]["IpPermissions"]
    assert [entry["CidrIp"] for entry in shown[0]["IpRanges"]] == ["203.0.113.7/32"]
    rule = made["SecurityGroupRules"][0]["SecurityGroupRuleId"]
    ec2.revoke_security_group_ingress(GroupId=group, SecurityGroupRuleIds=[rule])
    again = {"GroupId": group, "SecurityGroupRuleIds": [rule]}
    assert code_of(ec2.revoke_security_group_ingress, **again) == "InvalidSecurityGroupRuleId.NotFound"
    ec2.delete_security_group(GroupId=group)  # its own rule about itself does not hold it


def test_a_group_can_t_be_deleted_while_an_instance_or_a_rule_uses_it(aws, network, launch, code_of, wait_until):
    ec2 = aws.client("ec2")
    used, referring = make(aws, network, "used"), make(aws, network, "referring")
    ec2.authorize_security_group_ingress(GroupId=referring, IpPermissions=[member(used)])
    instance = launch(groups=[used])
    assert {group["GroupId"] for group in instance["SecurityGroups"]} == {network["group"], used}
    assert code_of(ec2.delete_security_group, GroupId=used) == "DependencyViolation"
    ec2.terminate_instances(InstanceIds=[instance["InstanceId"]])
    assert code_of(ec2.delete_security_group, GroupId=used) == "DependencyViolation"
    assert wait_until(lambda: not in_use(ec2, used))
    assert code_of(ec2.delete_security_group, GroupId=used) == "DependencyViolation"  # the rule
    ec2.revoke_security_group_ingress(GroupId=referring, IpPermissions=[member(used)])
    assert wait_until(lambda: is_deleted(ec2, used))
    ec2.delete_security_group(GroupId=referring)


def in_use(ec2, group):
    return ec2.describe_network_interfaces(Filters=[{"Name": "group-id", "Values": [group]}])["NetworkInterfaces"]


def test_a_host_admits_the_answers_of_every_host_that_admits_it(aws, network, launch, wait_until):
    ec2 = aws.client("ec2")
    group, lonely = make(aws, network, "server-only"), make(aws, network, "client-only")
    server = launch(interface={"Groups": [group]})
    client = launch(interface={"Groups": [lonely]})

    assert wait_until(lambda: (aws.admitted(server), aws.admitted(client)) == (set(), set()))
    ec2.authorize_security_group_ingress(
        GroupId=group, IpPermissions=[cidr(f"{client['PublicIpAddress']}/32"), cidr("10.9.0.0/24", "udp")]
    )
    assert aws.admitted(server) == {f"{client['PublicIpAddress']}/32", "10.9.0.0/24"}
    assert aws.admitted(client) == {server["PublicIpAddress"], server["PrivateIpAddress"]}
    ec2.terminate_instances(InstanceIds=[server["InstanceId"], client["InstanceId"]])
    for made in (group, lonely):
        assert wait_until(lambda made=made: is_deleted(ec2, made))


def test_an_endpoint_is_found_by_filters_and_keeps_its_group_until_it_is_gone(aws, network, wait_until):
    ec2, group = aws.client("ec2"), make(aws, network, "of-an-endpoint")

    def create(service, *groups):
        named = {"ServiceName": f"com.amazonaws.us-east-1.{service}", "VpcEndpointType": "Interface"}
        made = ec2.create_vpc_endpoint(VpcId=network["vpc"], SecurityGroupIds=groups, **named)
        return made["VpcEndpoint"]["VpcEndpointId"]

    def states(pattern, vpc_id=network["vpc"]):
        asked = [{"Name": "vpc-id", "Values": [vpc_id]}, {"Name": "service-name", "Values": [pattern]}]
        return {one["VpcEndpointId"]: one["State"] for one in ec2.describe_vpc_endpoints(Filters=asked)["VpcEndpoints"]}

    kept, deleted = create("logs"), create("guardduty-data", group)
    assert states("*.guardduty-data") == {deleted: "available"}
    assert states("*.guardduty-data", "vpc-0other") == {}

    refused = ec2.delete_vpc_endpoints(VpcEndpointIds=[deleted, "vpce-0unknown"])["Unsuccessful"]

    assert [(one["ResourceId"], one["Error"]["Code"]) for one in refused] == [
        ("vpce-0unknown", "InvalidVpcEndpoint.NotFound")
    ]
    assert states("*.guardduty-data") == {deleted: "deleting"}
    assert not is_deleted(ec2, group)
    assert wait_until(lambda: states("*.guardduty-data") == {})
    assert is_deleted(ec2, group)
    assert states("*.logs") == {kept: "available"}
    ec2.delete_vpc_endpoints(VpcEndpointIds=[kept])
