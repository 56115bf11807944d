"""A stack with a second VPC: peering, routes and rules between the two, an S3 endpoint, a schedule, a bucket."""

import datetime
import json
import re

import pytest

NAMES = ("Main", "Peer")
NETWORKS = {"Main": "10.50", "Peer": "10.51"}


def ref(name):
    return {"Ref": name}


def subnet_of(name):
    properties = {"VpcId": ref(f"{name}Vpc"), "CidrBlock": f"{NETWORKS[name]}.1.0/24", "AvailabilityZone": "us-east-1b"}
    return {"Type": "AWS::EC2::Subnet", "Properties": properties}


def group_of(name, source):
    rules = [{"IpProtocol": "-1", "CidrIp": f"{NETWORKS[source]}.0.0/16"}]
    properties = {"VpcId": ref(f"{name}Vpc"), "GroupDescription": "hosts", "SecurityGroupIngress": rules}
    return {"Type": "AWS::EC2::SecurityGroup", "Properties": properties}


def route_of(name, other):
    destination = {"Fn::GetAtt": [f"{other}Vpc", "CidrBlock"]}
    properties = {"RouteTableId": ref(f"{name}Routes"), "DestinationCidrBlock": destination}
    properties["VpcPeeringConnectionId"] = ref("Peering")
    return {"Type": "AWS::EC2::Route", "DependsOn": f"{name}Subnet", "Properties": properties}


def template(routes=NAMES):
    resources = {}
    for name, other in (NAMES, NAMES[::-1]):
        resources |= {
            f"{name}Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": f"{NETWORKS[name]}.0.0/16"}},
            f"{name}Subnet": subnet_of(name),
            f"{name}Group": group_of(name, other),
            f"{name}Routes": {"Type": "AWS::EC2::RouteTable", "Properties": {"VpcId": ref(f"{name}Vpc")}},
            f"{name}Association": {
                "Type": "AWS::EC2::SubnetRouteTableAssociation",
                "Properties": {"RouteTableId": ref(f"{name}Routes"), "SubnetId": ref(f"{name}Subnet")},
            },
        }
        if name in routes:
            resources[f"{name}Route"] = route_of(name, other)
    by_group = {"GroupId": ref("PeerGroup"), "IpProtocol": "tcp", "FromPort": 1, "ToPort": 2}
    by_group |= {"SourceSecurityGroupId": {"Fn::GetAtt": ["MainGroup", "GroupId"]}}
    peering = {"VpcId": ref("MainVpc"), "PeerVpcId": ref("PeerVpc"), "Tags": [{"Key": "Name", "Value": "bench"}]}
    endpoint = {"VpcId": ref("MainVpc"), "ServiceName": "com.amazonaws.us-east-1.s3", "VpcEndpointType": "Gateway"}
    endpoint["RouteTableIds"] = [ref("MainRoutes")]
    expiry = {"Rules": [{"Status": "Enabled", "ExpirationInDays": 1}]}
    machine = {"RoleArn": "arn:aws:iam::000000000000:role/r", "DefinitionString": json.dumps(SUCCEED)}
    resources |= {
        "Peering": {"Type": "AWS::EC2::VPCPeeringConnection", "Properties": peering},
        "ByGroup": {"Type": "AWS::EC2::SecurityGroupIngress", "DependsOn": "Peering", "Properties": by_group},
        "Endpoint": {"Type": "AWS::EC2::VPCEndpoint", "Properties": endpoint},
        "Payload": {"Type": "AWS::S3::Bucket", "Properties": {"LifecycleConfiguration": expiry}},
        "Machine": {"Type": "AWS::StepFunctions::StateMachine", "Properties": machine},
        "Canaries": {"Type": "AWS::Scheduler::ScheduleGroup", "Properties": {"Name": "canaries"}},
        "Canary": {"Type": "AWS::Scheduler::Schedule", "DependsOn": "Canaries", "Properties": canary()},
    }
    names = [name for name in resources if not name.endswith("Route")]
    return {"Resources": resources, "Outputs": {name: {"Value": ref(name)} for name in names}}


SUCCEED = {"QueryLanguage": "JSONata", "StartAt": "End", "States": {"End": {"Type": "Succeed"}}}


def canary(**more):
    target = {"Arn": ref("Machine"), "RoleArn": "arn:aws:iam::000000000000:role/r", "Input": '{"name":"canary"}'}
    return {
        "Name": "canary",
        "GroupName": "canaries",
        "ScheduleExpression": "rate(1 day)",
        "ScheduleExpressionTimezone": "Etc/UTC",
        "FlexibleTimeWindow": {"Mode": "OFF"},
        "State": "DISABLED",
        "Target": target,
        **more,
    }


@pytest.fixture(scope="module")
def stack(aws, wait_until):
    """Deploys a template as the stack `Peered`; returns the stack's final status and its outputs."""
    cloudformation = aws.client("cloudformation")
    known = []

    def deploy(body, name="Peered"):
        act = cloudformation.update_stack if name in known else cloudformation.create_stack
        act(StackName=name, TemplateBody=json.dumps(body))
        known.append(name)

        def ended():
            found = cloudformation.describe_stacks(StackName=name)["Stacks"][0]
            return None if found["StackStatus"].endswith("IN_PROGRESS") else found

        found = wait_until(ended)
        outputs = {output["OutputKey"]: output["OutputValue"] for output in found.get("Outputs", [])}
        return found["StackStatus"], outputs

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


def test_the_endpoint_the_payload_bucket_and_the_schedule_are_as_declared(aws, peered):
    endpoints = aws.client("ec2").describe_vpc_endpoints(VpcEndpointIds=[peered["Endpoint"]])["VpcEndpoints"]
    assert endpoints[0]["ServiceName"] == "com.amazonaws.us-east-1.s3"
    assert endpoints[0]["RouteTableIds"] == [peered["MainRoutes"]]
    rules = aws.client("s3").get_bucket_lifecycle_configuration(Bucket=peered["Payload"])["Rules"]
    assert rules[0]["Expiration"]["Days"] == 1
    schedule = aws.client("scheduler").get_schedule(Name="canary", GroupName="canaries")
    assert (schedule["State"], schedule["ScheduleExpression"]) == ("DISABLED", "rate(1 day)")
    assert schedule["ScheduleExpressionTimezone"] == "Etc/UTC"
    assert json.loads(schedule["Target"]["Input"]) == {"name": "canary"}


def test_an_enabled_schedule_starts_its_execution_with_its_input(aws, stack, wait_until):
    soon = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=1)
    schedule = {"ScheduleExpression": f"at({soon:%Y-%m-%dT%H:%M:%S})", "State": "ENABLED", "Name": "once"}
    resources = {"Once": {"Type": "AWS::Scheduler::Schedule", "Properties": canary(**schedule)}}
    resources["Once"]["Properties"]["GroupName"] = "default"
    resources["Machine"] = template()["Resources"]["Machine"]
    status, outputs = stack({"Resources": resources, "Outputs": {"Machine": {"Value": ref("Machine")}}}, "Once")
    assert status == "CREATE_COMPLETE"
    sfn = aws.client("stepfunctions")
    started = wait_until(lambda: sfn.list_executions(stateMachineArn=outputs["Machine"])["executions"])
    execution = sfn.describe_execution(executionArn=started[0]["executionArn"])
    assert json.loads(execution["input"]) == {"name": "canary"}


def test_a_schedule_names_what_it_starts_and_keeps_what_it_could_not_start(aws, stack, wait_until):
    soon = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=1)
    sqs, sfn = aws.client("sqs"), aws.client("stepfunctions")
    queue = sqs.create_queue(QueueName="undelivered-starts")["QueueUrl"]
    queue_arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]

    def starting(machine, name):
        request = {"StateMachineArn": machine, "Name": "scheduled-<aws.scheduler.execution-id>", "Input": "{}"}
        given = canary(ScheduleExpression=f"at({soon:%Y-%m-%dT%H:%M:%S})", State="ENABLED", Name=name)
        given["GroupName"] = "default"
        given["Target"] |= {
            "Arn": "arn:aws:scheduler:::aws-sdk:sfn:startExecution",
            "Input": json.dumps(request),
            "DeadLetterConfig": {"Arn": queue_arn},
        }
        return {"Type": "AWS::Scheduler::Schedule", "Properties": given}

    machine = sfn.create_state_machine(
        name="named", definition=json.dumps(SUCCEED), roleArn="arn:aws:iam::000000000000:role/r"
    )["stateMachineArn"]
    resources = {"Good": starting(machine, "good"), "Bad": starting(machine.replace(":named", ":nobody"), "bad")}
    status, _ = stack({"Resources": resources}, "Starts")
    assert status == "CREATE_COMPLETE"
    (execution,) = wait_until(lambda: sfn.list_executions(stateMachineArn=machine)["executions"])
    assert re.fullmatch(r"scheduled-[0-9a-f]{16}", execution["name"])
    received = wait_until(
        lambda: sqs.receive_message(QueueUrl=queue, MessageAttributeNames=["All"], WaitTimeSeconds=1).get("Messages")
    )
    attributes = {name: one["StringValue"] for name, one in received[0]["MessageAttributes"].items()}
    assert attributes["ERROR_CODE"] == "StateMachineDoesNotExist"
    assert json.loads(received[0]["Body"])["StateMachineArn"].endswith(":nobody")


def test_a_stack_with_something_that_the_lab_can_t_do_fails(aws, stack, code_of):
    overlapping = template()
    overlapping["Resources"]["PeerVpc"]["Properties"]["CidrBlock"] = "10.50.128.0/17"
    by_tag = template()
    rules = by_tag["Resources"]["Payload"]["Properties"]["LifecycleConfiguration"]["Rules"]
    rules[0]["TagFilters"] = [{"Key": "a", "Value": "b"}]
    elsewhere = template()
    elsewhere["Resources"]["Canary"]["Properties"]["ScheduleExpressionTimezone"] = "Europe/Berlin"
    homeless = template()
    homeless["Resources"]["Canary"]["Properties"]["GroupName"] = "nobody"
    wanted = {
        "must not overlap": overlapping,
        "do not know TagFilters": by_tag,
        "must be one of ('UTC', 'Etc/UTC')": elsewhere,
        "Schedule group nobody does not exist": homeless,
    }
    for number, (reason, body) in enumerate(wanted.items()):
        for name in ("Canary", "Canaries"):
            body["Resources"][name]["Properties"]["Name"] = f"{name}-{number}"
        if body is not homeless:
            body["Resources"]["Canary"]["Properties"]["GroupName"] = f"Canaries-{number}"
        assert stack(body, f"Failing-{number}")[0] == "ROLLBACK_COMPLETE"
        events = aws.client("cloudformation").describe_stack_events(StackName=f"Failing-{number}")["StackEvents"]
        assert any(reason in event.get("ResourceStatusReason", "") for event in events)
    without_path = template()
    balancer = {"Type": "AWS::ElasticLoadBalancingV2::LoadBalancer", "Properties": {"Type": "network"}}
    without_path["Resources"]["Balancer"] = balancer
    assert code_of(stack, without_path, "Failing") == "ValidationError"
