"""The lab's load balancers, target groups and listeners have AWS's states and error codes."""

import json

import pytest
from load_balancer_support import HEALTH_PORT, LoadBalancer

MISSING = "arn:aws:elasticloadbalancing:us-east-1:000000000000:{}/bench/0123456789abcdef"


@pytest.fixture
def balance(aws, network):
    made = []

    def new(**more):
        made.append(LoadBalancer(aws, network, **more))
        return made[-1]

    yield new
    for one in made:
        one.delete()
    groups = aws.client("elbv2").describe_target_groups()["TargetGroups"]
    for group in groups:
        aws.client("elbv2").delete_target_group(TargetGroupArn=group["TargetGroupArn"])


def test_a_load_balancer_becomes_active_at_the_address_of_its_interface(aws, balance, wait_until):
    one = balance(zone="us-east-1b")
    assert one.made["State"]["Code"] == "provisioning"
    assert (one.made["Type"], one.made["Scheme"]) == ("network", "internal")
    assert one.arn.split(":loadbalancer/")[1].startswith(f"net/{one.name}/")
    assert wait_until(lambda: one.state() == "active")
    (interface,) = one.interfaces()
    added = aws.journal("add-load-balancer", name=one.key)[0]
    assert (added["zone"], added["address"]) == ("us-east-1b", interface["PrivateIpAddress"])
    assert interface["PrivateIpAddress"].startswith("10.9.1.")
    assert interface["RequesterManaged"] and [group["GroupId"] for group in interface["Groups"]] == [one.group]


def test_a_load_balancer_s_address_is_given_to_nobody_else(balance, launch):
    one, other = balance(), balance()
    instance = launch()
    assert len(one.interfaces()) == len(other.interfaces()) == 1
    addresses = {one.interfaces()[0]["PrivateIpAddress"], other.interfaces()[0]["PrivateIpAddress"]}
    assert len(addresses | {instance["PrivateIpAddress"]}) == 3


def test_the_same_request_returns_the_same_load_balancer_and_a_different_one_is_refused(balance, code_of):
    one = balance()
    again = one.elb.create_load_balancer(**one.request)["LoadBalancers"][0]
    assert again["LoadBalancerArn"] == one.arn
    other = one.request | {"Tags": [{"Key": "pair", "Value": "other"}]}
    assert code_of(one.elb.create_load_balancer, **other) == "DuplicateLoadBalancerName"
    group = one.target_group()
    assert one.target_group() == group
    assert code_of(one.target_group, protocol="TCP_UDP") == "DuplicateTargetGroupName"
    listener = one.listener(group)
    assert one.listener(group) == listener
    assert code_of(one.listener, group, protocol="UDP") == "IncompatibleProtocols"
    second = one.target_group(5202)
    assert code_of(one.listener, second, port=5201) == "DuplicateListener"


def test_interfaces_are_described_page_by_page(balance, launch):
    one = balance()
    wanted = {launch()["PrivateIpAddress"] for _ in range(5)} | {one.interfaces()[0]["PrivateIpAddress"]}
    pages = one.ec2.get_paginator("describe_network_interfaces").paginate(PaginationConfig={"PageSize": 5})
    found = [[item["PrivateIpAddress"] for item in page["NetworkInterfaces"]] for page in pages]
    assert len(found) > 1 and all(len(page) == 5 for page in found[:-1])
    assert wanted <= {address for page in found for address in page}


def test_load_balancers_and_their_parts_are_found_by_tag(balance, code_of):
    one = balance()
    group = one.target_group()
    arns = [load_balancer["LoadBalancerArn"] for load_balancer in one.elb.describe_load_balancers()["LoadBalancers"]]
    assert one.arn in arns
    described = one.elb.describe_tags(ResourceArns=[one.arn, group])["TagDescriptions"]
    assert [item["Tags"] for item in described] == [[{"Key": "pair", "Value": one.name}]] * 2
    assert code_of(one.elb.describe_tags, ResourceArns=[MISSING.format("loadbalancer/net")]) == "LoadBalancerNotFound"
    assert code_of(one.elb.describe_tags, ResourceArns=[MISSING.format("targetgroup")]) == "TargetGroupNotFound"
    assert code_of(one.elb.describe_tags, ResourceArns=[one.arn] * 21) == "ValidationError"
    pages = one.elb.get_paginator("describe_load_balancers").paginate(PaginationConfig={"PageSize": 1})
    assert one.arn in [item["LoadBalancerArn"] for page in pages for item in page["LoadBalancers"]]


def test_impossible_load_balancers_are_refused_by_their_codes(balance, network, code_of):
    one = balance()
    for change, code in (
        ({"Name": "x" * 33}, "ValidationError"),
        ({"Name": "-x"}, "ValidationError"),
        ({"Name": "internal-x"}, "ValidationError"),
        ({"Subnets": ["subnet-0"]}, "SubnetNotFound"),
        ({"Subnets": []}, "ValidationError"),
        ({"Subnets": list(network["subnets"].values())}, "ValidationError"),
        ({"SecurityGroups": ["sg-11111111111111111"]}, "InvalidSecurityGroup"),
        ({"Scheme": "internet-facing"}, "InvalidScheme"),
        ({"Type": "application"}, "InvalidConfigurationRequest"),
        ({"Tags": [{"Key": "a", "Value": "1"}, {"Key": "a", "Value": "2"}]}, "DuplicateTagKeys"),
        ({"CustomerOwnedIpv4Pool": "pool"}, "ValidationError"),
    ):
        assert code_of(one.elb.create_load_balancer, **(one.request | {"Name": "other"} | change)) == code, change
    mapped = {key: one.request[key] for key in one.request if key != "Subnets"} | {"Name": "mapped"}
    mapping = {"SubnetId": network["subnets"]["us-east-1a"]}
    made = one.elb.create_load_balancer(**mapped, SubnetMappings=[mapping])["LoadBalancers"][0]
    assert made["AvailabilityZones"][0]["SubnetId"] == mapping["SubnetId"]
    one.elb.delete_load_balancer(LoadBalancerArn=made["LoadBalancerArn"])


def test_impossible_target_groups_and_listeners_are_refused_by_their_codes(aws, balance, launch, code_of):
    one, other = balance(), balance()
    group = one.target_group()
    for change, code in (
        ({"Name": "x" * 33}, "ValidationError"),
        ({"Protocol": "HTTP"}, "ValidationError"),
        ({"Port": 65536}, "ValidationError"),
        ({"VpcId": "vpc-0"}, "ValidationError"),
        ({"TargetType": "ip"}, "ValidationError"),
        ({"HealthCheckProtocol": "HTTP"}, "ValidationError"),
        ({"HealthCheckIntervalSeconds": 301}, "ValidationError"),
        ({"HealthyThresholdCount": 11}, "ValidationError"),
    ):
        assert code_of(one.target_group, 5999, **change) == code, change
    assert code_of(one.elb.create_target_group, Name="without-protocol") == "ValidationError"
    assert code_of(one.listener, MISSING.format("targetgroup")) == "TargetGroupNotFound"
    missing = MISSING.format("loadbalancer/net")
    assert code_of(one.listener, group, LoadBalancerArn=missing) == "LoadBalancerNotFound"
    assert code_of(one.listener, group, protocol="HTTP") == "UnsupportedProtocol"
    assert code_of(one.listener, group, protocol="TCP_UDP") == "IncompatibleProtocols"
    one.listener(group)
    assert code_of(other.listener, group) == "TargetGroupAssociationLimit"
    never_running = launch("c5n.large")["InstanceId"]
    assert code_of(one.register, group, never_running) == "InvalidTarget"
    assert code_of(one.register, group, "i-0123456789abcdef0") == "InvalidTarget"
    assert code_of(one.register, MISSING.format("targetgroup"), never_running) == "TargetGroupNotFound"
    assert code_of(one.elb.describe_target_groups, Names=["nobody"]) == "TargetGroupNotFound"
    assert code_of(one.elb.describe_load_balancers, Names=["nobody"]) == "LoadBalancerNotFound"
    assert code_of(one.elb.set_security_groups, LoadBalancerArn=one.arn, SecurityGroups=[]) == "InvalidAction"


def test_only_tcp_listeners_have_an_idle_timeout_and_it_has_bounds(balance, code_of):
    one = balance()
    tcp = one.listener(one.target_group())
    both = one.listener(one.target_group(5202, "TCP_UDP"), 5202, "TCP_UDP")

    def set_idle(listener, seconds):
        attributes = [{"Key": "tcp.idle_timeout.seconds", "Value": str(seconds)}]
        return one.elb.modify_listener_attributes(ListenerArn=listener, Attributes=attributes)["Attributes"]

    assert one.elb.describe_listener_attributes(ListenerArn=tcp)["Attributes"][0]["Value"] == "350"
    for seconds in (60, 6000):
        assert set_idle(tcp, seconds) == [{"Key": "tcp.idle_timeout.seconds", "Value": str(seconds)}]
    for seconds in (59, 6001, "long"):
        assert code_of(set_idle, tcp, seconds) == "InvalidConfigurationRequest"
    assert code_of(set_idle, both, 350) == "InvalidConfigurationRequest"
    assert code_of(set_idle, MISSING.format("listener/net"), 350) == "ListenerNotFound"


def test_a_target_group_is_in_use_while_a_listener_forwards_to_it(balance, code_of):
    one = balance()
    group = one.target_group()
    listener = one.listener(group)
    shown = one.elb.describe_target_groups(LoadBalancerArn=one.arn)["TargetGroups"]
    assert [item["LoadBalancerArns"] for item in shown] == [[one.arn]]
    assert shown[0]["HealthCheckPort"] == str(HEALTH_PORT)
    assert code_of(one.elb.delete_target_group, TargetGroupArn=group) == "ResourceInUse"
    listeners = one.elb.describe_listeners(LoadBalancerArn=one.arn)["Listeners"]
    assert [(item["Port"], item["Protocol"], item["ListenerArn"]) for item in listeners] == [(5201, "TCP", listener)]
    one.delete()
    one.elb.delete_target_group(TargetGroupArn=group)
    one.elb.delete_target_group(TargetGroupArn=group)  # gone already


def test_deleting_a_load_balancer_removes_its_listeners_and_later_its_interface(aws, balance, code_of, wait_until):
    one = balance()
    group = one.target_group()
    one.listener(group)
    assert wait_until(lambda: one.state() == "active")
    assert code_of(one.ec2.delete_security_group, GroupId=one.group) == "DependencyViolation"
    one.delete()
    assert code_of(one.state) == "LoadBalancerNotFound"
    one.elb.delete_target_group(TargetGroupArn=group)
    assert one.interfaces()
    assert code_of(one.ec2.delete_security_group, GroupId=one.group) == "DependencyViolation"
    assert wait_until(lambda: not one.interfaces())
    one.ec2.delete_security_group(GroupId=one.group)
    assert aws.journal("remove-load-balancer", name=one.key)
    one.delete()  # gone already


def test_the_list_of_resources_contains_a_load_balancer_until_it_is_gone(aws, balance, launch, wait_until):
    one = balance()
    one.target_group()

    def counts(tag):
        found = json.loads(aws.control("GET", f"resources?tag={tag}"))
        return {kind: len(items) for kind, items in found.items() if kind != "loadBalancerInterfaces"}

    nothing = dict.fromkeys(("instances", "placementGroups", "securityGroups", "loadBalancers", "targetGroups"), 0)
    assert counts("nobody") == nothing
    assert counts("pair") == nothing | {"loadBalancers": 1, "targetGroups": 1}
    everything = json.loads(aws.control("GET", "resources"))
    assert f"ELB {one.tail}" in [interface["description"] for interface in everything["loadBalancerInterfaces"]]
    assert one.group in [group["id"] for group in everything["securityGroups"]]
    tags = [{"ResourceType": kind, "Tags": [{"Key": "kept", "Value": "1"}]} for kind in ("instance", "placement-group")]
    one.ec2.create_placement_group(GroupName="recorded", Strategy="spread", TagSpecifications=[tags[1]])
    instance = launch(TagSpecifications=[tags[0]])
    assert counts("kept") == nothing | {"instances": 1, "placementGroups": 1}
    one.ec2.terminate_instances(InstanceIds=[instance["InstanceId"]])
    one.ec2.delete_placement_group(GroupName="recorded")
    assert wait_until(lambda: counts("kept") == nothing)
