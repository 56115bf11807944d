"""How load balancers forward: where each port leads, whom it admits, and when a target is healthy."""

import itertools
import time

import pytest
from load_balancer_support import LoadBalancer
from server_with_fake_hosts import INITIAL_SECONDS


@pytest.fixture
def pair(aws, network, launch, state_of, wait_until):
    """A load balancer that is active, with a host that runs and has a security group of its own."""
    one = LoadBalancer(aws, network)
    one.host_group = one.new_group(f"{one.name}-hosts")
    one.instance = launch(groups=[one.host_group])
    assert wait_until(lambda: state_of(one.instance["InstanceId"]) == "running" and one.state() == "active")
    yield one
    one.delete()
    for group in one.elb.describe_target_groups()["TargetGroups"]:
        one.elb.delete_target_group(TargetGroupArn=group["TargetGroupArn"])


def test_a_port_forwards_while_it_has_a_target(aws, pair):
    group = pair.target_group(5201)
    listener = pair.listener(group, 7001)
    assert aws.last("listen", name=pair.key) is None
    pair.register(group, pair.instance["InstanceId"])
    told = aws.last("listen", name=pair.key, port=7001)
    assert (told["instance"], told["target_port"]) == (pair.instance["InstanceId"], 5201)
    assert (told["protocols"], told["idle"]) == (["tcp"], 350)
    attributes = [{"Key": "tcp.idle_timeout.seconds", "Value": "6000"}]
    pair.elb.modify_listener_attributes(ListenerArn=listener, Attributes=attributes)
    assert aws.last("listen", name=pair.key, port=7001)["idle"] == 6000
    both = pair.target_group(5202, "TCP_UDP")
    pair.register(both, pair.instance["InstanceId"])
    pair.listener(both, 5202, "TCP_UDP")
    assert aws.last("listen", name=pair.key, port=5202)["protocols"] == ["tcp", "udp"]


def test_terminating_an_instance_removes_its_targets_and_listeners(aws, pair, wait_until):
    group = pair.target_group()
    pair.listener(group)
    pair.register(group, pair.instance["InstanceId"])
    pair.ec2.terminate_instances(InstanceIds=[pair.instance["InstanceId"]])
    assert wait_until(lambda: aws.last("remove-listener", name=pair.key, port=5201))
    assert wait_until(lambda: pair.health(group) is None)


def test_its_security_group_decides_who_may_reach_a_load_balancer(aws, pair):
    def sources():
        return set(aws.last("load-balancer-sources", name=pair.key)["sources"])

    assert sources() == set()
    pair.admit(pair.group, source_group=pair.host_group)
    assert sources() == {pair.instance["PrivateIpAddress"]}
    pair.admit(pair.group, address="10.9.2.0/24")
    assert sources() == {pair.instance["PrivateIpAddress"], "10.9.2.0/24"}
    pair.admit(pair.group, address="10.9.0.0/16")
    assert sources() == {"10.9.0.0/16"}  # no address twice


def test_everybody_reaches_a_load_balancer_without_a_security_group(aws, network, wait_until):
    one = LoadBalancer(aws, network, group=False)
    assert wait_until(lambda: aws.last("load-balancer-sources", name=one.key))["sources"] == ["0.0.0.0/0"]
    one.delete()


def test_a_target_s_rule_about_the_load_balancer_s_group_admits_its_address(aws, pair):
    address = pair.interfaces()[0]["PrivateIpAddress"]
    assert address not in aws.admitted(pair.instance)
    pair.admit(pair.host_group, source_group=pair.group)
    assert address in aws.admitted(pair.instance)


def test_a_target_is_unused_then_initial_then_healthy_while_its_host_listens(pair, wait_until):
    pair.admit(pair.host_group, source_group=pair.group)
    listening, silent = pair.target_group(5201), pair.target_group(5202, HealthCheckPort="5299")
    for group in (listening, silent):
        pair.register(group, pair.instance["InstanceId"])
    assert pair.health(listening) == {
        "State": "unused",
        "Reason": "Target.NotInUse",
        "Description": "Target group is not configured to receive traffic",
    }
    pair.listener(listening, 5201)
    pair.listener(silent, 5202)
    for port in itertools.count(5203):
        fresh = pair.target_group(port)
        pair.listener(fresh, port)
        began = time.monotonic()
        pair.register(fresh, pair.instance["InstanceId"])
        first = pair.health(fresh)["State"]
        # A machine that stood still for so long shows only what comes afterwards.
        if time.monotonic() - began < INITIAL_SECONDS:
            break
    assert first == "initial"
    assert wait_until(lambda: pair.health(fresh)["State"] == "healthy")
    assert time.monotonic() - began >= INITIAL_SECONDS
    assert pair.health(listening) == {"State": "healthy"}
    assert pair.health(silent)["Reason"] == "Target.FailedHealthChecks"
    asked = pair.elb.describe_target_health(TargetGroupArn=listening, Targets=[{"Id": "i-0123456789abcdef0"}])
    assert asked["TargetHealthDescriptions"][0]["TargetHealth"]["Reason"] == "Target.NotRegistered"


def test_a_target_that_does_not_admit_the_health_check_is_unhealthy(pair, wait_until):
    group = pair.target_group()
    pair.listener(group)
    pair.register(group, pair.instance["InstanceId"])
    assert wait_until(lambda: pair.health(group)["State"] == "unhealthy")
    permission = {"IpProtocol": "tcp", "FromPort": 5201, "ToPort": 5201}
    permission["UserIdGroupPairs"] = [{"GroupId": pair.group}]
    ask = {"GroupId": pair.host_group, "IpPermissions": [permission]}
    pair.ec2.authorize_security_group_ingress(**ask)
    assert pair.health(group)["State"] == "unhealthy"  # the check has a port of its own
    pair.ec2.authorize_security_group_ingress(
        GroupId=pair.host_group, IpPermissions=[permission | {"FromPort": 5200, "ToPort": 5200}]
    )
    assert pair.health(group)["State"] == "healthy"
