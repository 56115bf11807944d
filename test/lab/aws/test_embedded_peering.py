"""A stack with a second VPC: peering, routes and rules between the two, an S3 endpoint, a schedule, a bucket."""

import datetime
import json
import re

import pytest
from deployed import attribute, ref, resource

NAMES = ("Main", "Peer")
NETWORKS = {"Main": "10.50", "Peer": "10.51"}


def network(name, other, has_route):
    """A VPC with a subnet, a group that admits the other VPC, and a route to it."""
    vpc, routes = ref(f"{name}Vpc"), ref(f"{name}Routes")
    rules = [{"IpProtocol": "-1", "CidrIp": f"{NETWORKS[other]}.0.0/16"}]
    place = {"CidrBlock": f"{NETWORKS[name]}.1.0/24", "AvailabilityZone": "us-east-1b"}
    parts = {
        "Vpc": resource("EC2::VPC", CidrBlock=f"{NETWORKS[name]}.0.0/16"),
        "Subnet": resource("EC2::Subnet", VpcId=vpc, **place),
        "Group": resource("EC2::SecurityGroup", VpcId=vpc, GroupDescription="hosts", SecurityGroupIngress=rules),
        "Routes": resource("EC2::RouteTable", VpcId=vpc),
        "Association": resource("EC2::SubnetRouteTableAssociation", RouteTableId=routes, SubnetId=ref(f"{name}Subnet")),
    }
    if has_route:
        target = {"RouteTableId": routes, "VpcPeeringConnectionId": ref("Peering")}
        destination = attribute(f"{other}Vpc", "CidrBlock")
        parts["Route"] = resource("EC2::Route", f"{name}Subnet", **target, DestinationCidrBlock=destination)
    return {f"{name}{part}": made for part, made in parts.items()}


def template(routes=NAMES):
    by_group = {"GroupId": ref("PeerGroup"), "IpProtocol": "tcp", "FromPort": 1, "ToPort": 2}
    by_group["SourceSecurityGroupId"] = attribute("MainGroup", "GroupId")
    peering = {"VpcId": ref("MainVpc"), "PeerVpcId": ref("PeerVpc"), "Tags": [{"Key": "Name", "Value": "bench"}]}
    endpoint = {"VpcId": ref("MainVpc"), "ServiceName": "com.amazonaws.us-east-1.s3", "VpcEndpointType": "Gateway"}
    expiry = {"Rules": [{"Status": "Enabled", "ExpirationInDays": 1}]}
    return {
        **network("Main", "Peer", "Main" in routes),
        **network("Peer", "Main", "Peer" in routes),
        "Peering": resource("EC2::VPCPeeringConnection", **peering),
        "ByGroup": resource("EC2::SecurityGroupIngress", "Peering", **by_group),
        "Endpoint": resource("EC2::VPCEndpoint", **endpoint, RouteTableIds=[ref("MainRoutes")]),
        "Payload": resource("S3::Bucket", LifecycleConfiguration=expiry),
    }


def outputs_of(resources):
    return {name: {"Value": ref(name)} for name in resources if not name.endswith("Route")}


@pytest.fixture(scope="module")
def stack(aws):
    """Deploys resources as the stack `Peered`; returns the stack's final status and the ids of its resources."""

    def deploy(resources, name="Peered"):
        found = aws.deploy(name, resources, outputs_of(resources))
        return found["StackStatus"], found["Values"]

    return deploy


def test_two_vpcs_are_connected_while_both_have_a_route_to_the_other(aws, stack, wait_until):
    status, outputs = stack(template(routes=("Main",)))
    assert status == "CREATE_COMPLETE"
    networks = sorted([outputs["MainSubnet"], outputs["PeerSubnet"]])
    assert not aws.journal("connect", networks=networks)
    assert stack(template())[0] == "UPDATE_COMPLETE"
    assert len(aws.journal("connect", networks=networks)) == 1
    assert not aws.journal("disconnect", networks=networks)
    ec2 = aws.client("ec2")
    peering = ec2.describe_vpc_peering_connections(VpcPeeringConnectionIds=[outputs["Peering"]])
    found = peering["VpcPeeringConnections"][0]
    assert (found["Status"]["Code"], found["Tags"]) == ("active", [{"Key": "Name", "Value": "bench"}])
    assert stack(template(routes=("Peer",)))[0] == "UPDATE_COMPLETE"
    assert len(aws.journal("disconnect", networks=networks)) == 1
    table = {"RouteTableId": outputs["MainRoutes"], "DestinationCidrBlock": "10.51.0.0/16"}
    ec2.create_route(**table, VpcPeeringConnectionId=outputs["Peering"])
    assert len(aws.journal("connect", networks=networks)) == 2
    ec2.delete_vpc_peering_connection(VpcPeeringConnectionId=outputs["Peering"])
    assert len(aws.journal("disconnect", networks=networks)) == 2
    ec2.delete_route(**table)
    cloudformation = aws.client("cloudformation")
    cloudformation.delete_stack(StackName="Peered")
    stacks = {"StackStatusFilter": ["DELETE_COMPLETE"]}
    # Other tests delete stacks of other names in the same embedded AWS.
    assert wait_until(
        lambda: "Peered" in [each["StackName"] for each in cloudformation.list_stacks(**stacks)["StackSummaries"]]
    )


@pytest.fixture(scope="module")
def peered(stack):
    status, outputs = stack(template(), "Second")
    assert status == "CREATE_COMPLETE"
    return outputs


def test_a_host_of_the_peered_vpc_joins_its_network_and_admits_the_other_vpc_s_host(aws, peered, launch, wait_until):
    interface = {"SubnetId": peered["PeerSubnet"], "Groups": [peered["PeerGroup"]]}
    instance = launch(zone="us-east-1b", interface=interface)
    other = {"SubnetId": peered["MainSubnet"], "Groups": [peered["MainGroup"]]}
    client = launch(zone="us-east-1b", interface=other)
    assert instance["VpcId"] == peered["PeerVpc"]
    created = wait_until(lambda: aws.journal("create", id=instance["InstanceId"]))[0]
    assert created["settings"]["network"] == peered["PeerSubnet"]
    assert created["ip"].startswith("10.51.1.")
    wanted = {"10.50.0.0/16", client["PrivateIpAddress"]}  # by CIDR, and by the group of the other VPC
    assert wait_until(
        lambda: any(set(line["sources"]) == wanted for line in aws.journal("sources", id=instance["InstanceId"]))
    )


def test_the_endpoint_and_the_payload_bucket_are_as_declared(aws, peered):
    endpoints = aws.client("ec2").describe_vpc_endpoints(VpcEndpointIds=[peered["Endpoint"]])["VpcEndpoints"]
    assert endpoints[0]["ServiceName"] == "com.amazonaws.us-east-1.s3"
    assert endpoints[0]["RouteTableIds"] == [peered["MainRoutes"]]
    rules = aws.client("s3").get_bucket_lifecycle_configuration(Bucket=peered["Payload"])["Rules"]
    assert rules[0]["Expiration"]["Days"] == 1


def test_a_schedule_names_what_it_starts_and_keeps_what_it_could_not_start(aws, stack, wait_until):
    sqs, sfn = aws.client("sqs"), aws.client("stepfunctions")
    queue = sqs.create_queue(QueueName="undelivered-starts")["QueueUrl"]
    queue_arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]

    soon = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=1)

    def starting(machine_arn):
        request = {"StateMachineArn": machine_arn, "Name": "scheduled-<aws.scheduler.execution-id>", "Input": "{}"}
        target = {
            "Arn": "arn:aws:scheduler:::aws-sdk:sfn:startExecution",
            "RoleArn": "arn:aws:iam::000000000000:role/r",
            "Input": json.dumps(request),
            "DeadLetterConfig": {"Arn": queue_arn},
        }
        when = {"ScheduleExpression": f"at({soon:%Y-%m-%dT%H:%M:%S})", "FlexibleTimeWindow": {"Mode": "OFF"}}
        return resource("Scheduler::Schedule", **when, Target=target)

    known = aws.machine({"First": {"Type": "Succeed"}})
    status, _ = stack({"Good": starting(known), "Bad": starting(f"{known}-nobody")}, "Starts")
    assert status == "CREATE_COMPLETE"
    (execution,) = wait_until(lambda: sfn.list_executions(stateMachineArn=known)["executions"])
    assert re.fullmatch(r"scheduled-[0-9a-f]{16}", execution["name"])
    received = wait_until(
        lambda: sqs.receive_message(QueueUrl=queue, MessageAttributeNames=["All"], WaitTimeSeconds=1).get("Messages")
    )
    attributes = {name: one["StringValue"] for name, one in received[0]["MessageAttributes"].items()}
    assert attributes["ERROR_CODE"] == "StateMachineDoesNotExist"
    assert json.loads(received[0]["Body"])["StateMachineArn"].endswith("-nobody")


@pytest.mark.parametrize(
    ("resource_name", "change", "reason"),
    [
        ("PeerVpc", {"CidrBlock": "10.50.128.0/17"}, "must not overlap"),
        (
            "Payload",
            {"LifecycleConfiguration": {"Rules": [{"Status": "Enabled", "TagFilters": [{"Key": "a", "Value": "b"}]}]}},
            "do not know TagFilters",
        ),
    ],
)
def test_a_stack_with_something_that_the_lab_can_t_do_fails(aws, stack, resource_name, change, reason):
    resources = template()
    resources[resource_name]["Properties"] |= change
    name = f"Failing-{resource_name}"
    assert stack(resources, name)[0] == "ROLLBACK_COMPLETE"
    assert reason in aws.reasons(name)


def test_a_stack_with_a_load_balancer_is_refused(stack, code_of):
    balancer = {"Balancer": resource("ElasticLoadBalancingV2::LoadBalancer", Type="network")}
    assert code_of(stack, balancer, "Failing") == "ValidationError"
