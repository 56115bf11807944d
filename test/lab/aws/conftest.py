"""One embedded AWS for all tests of its API, on a free loopback port."""

import itertools
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from contextlib import contextmanager, suppress
from pathlib import Path

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from deployed import OUTPUTS, code_archive, resources

from lab import namespace

REPOSITORY = Path(__file__).resolve().parents[3]
SERVER = Path(__file__).with_name("server_with_fake_hosts.py")


# Each port is used once. The kernel gives connections higher ports, so that it takes none of these in between.
PORTS = itertools.count(15_000 + os.getpid() % 5_000)


def free_port() -> int:
    for port in PORTS:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("port: must be free, none is")


def start(command: list[str], port: int, log: Path) -> subprocess.Popen:
    """Starts an embedded AWS and waits until it answers."""
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR", namespace.INSIDE_VARIABLE) if name in os.environ}
    environment = kept | {"PYTHONPATH": str(REPOSITORY), "HOME": str(log.parent)}
    with log.open("ab") as output:
        process = subprocess.Popen(command, cwd=REPOSITORY, env=environment, stdout=output, stderr=output)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_ministack/health", timeout=1):
                return process
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    process.kill()
    raise AssertionError(f"the embedded AWS did not start:\n{log.read_text()}")


class Aws:
    """Clients of the embedded AWS under test, and what its fake hosts saw."""

    def __init__(self, port: int, folder: Path) -> None:
        self.endpoint_url = f"http://127.0.0.1:{port}"
        self.folder = folder

    def client(self, service: str, **credentials: str):
        keys = {"aws_access_key_id": "lab", "aws_secret_access_key": "lab", **credentials}
        config = Config(retries={"total_max_attempts": 1})
        return boto3.client(service, endpoint_url=self.endpoint_url, region_name="us-east-1", config=config, **keys)

    def control(self, method: str, path: str, body: object = None) -> str:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.endpoint_url}/_lab/{path}", method=method, data=data)
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.read().decode()

    def journal(self, what: str, **facts: object) -> list[dict]:
        file = self.folder / "journal.ndjson"
        lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
        return [line for line in lines if line["what"] == what and all(line[key] == facts[key] for key in facts)]

    def last(self, what: str, **facts: object) -> dict | None:
        return next(reversed(self.journal(what, **facts)), None)

    def admitted(self, instance: dict) -> set[str] | None:
        """The addresses that an instance's host was last told to admit."""
        told = self.last("sources", id=instance["InstanceId"])
        return told and set(told["sources"])

    def settings(self, instance: dict) -> dict:
        """The settings with which an instance's host was created."""
        return until(lambda: self.journal("create", id=instance["InstanceId"]))[0]["settings"]

    def deploy(self, name: str, resources: dict, outputs: dict | None = None, **more: object) -> dict:
        """Creates or updates a stack; returns it when it has ended, with its outputs by their keys as `Values`."""
        cloudformation = self.client("cloudformation")
        body = json.dumps({"Resources": resources, "Outputs": outputs or {}})
        try:
            stack_id = cloudformation.update_stack(StackName=name, TemplateBody=body)["StackId"]
        except ClientError:
            stack_id = cloudformation.create_stack(StackName=name, TemplateBody=body, **more)["StackId"]
        return self.ended_stack(stack_id)

    def ended_stack(self, stack_id: str) -> dict:
        def ended() -> dict | None:
            stack = self.client("cloudformation").describe_stacks(StackName=stack_id)["Stacks"][0]
            return None if stack["StackStatus"].endswith("IN_PROGRESS") else stack

        stack = until(ended)
        return stack | {"Values": {one["OutputKey"]: one["OutputValue"] for one in stack.get("Outputs", [])}}

    def reasons(self, stack: str) -> str:
        """Why resources of a stack could not be created or deleted."""
        events = self.client("cloudformation").describe_stack_events(StackName=stack)["StackEvents"]
        return "\n".join(event.get("ResourceStatusReason", "") for event in events)

    def machine(self, states: dict, start: str = "First", **more: object) -> str:
        definition = {"QueryLanguage": "JSONata", "StartAt": start, "States": states, **more}
        request = {"definition": json.dumps(definition), "roleArn": "arn:aws:iam::000000000000:role/any"}
        return self.client("stepfunctions").create_state_machine(name=f"m-{uuid.uuid4()}", **request)["stateMachineArn"]

    def start(self, states: dict, given: object = None, name: str | None = None, **more: object) -> str:
        request = {"stateMachineArn": self.machine(states, **more), "input": json.dumps(given or {})}
        request["name"] = name or f"e-{uuid.uuid4()}"
        return self.client("stepfunctions").start_execution(**request)["executionArn"]

    def over(self, execution_arn: str) -> dict:
        """The description of an execution, when it is over."""
        describe = self.client("stepfunctions").describe_execution
        return until(lambda: (found := describe(executionArn=execution_arn))["status"] != "RUNNING" and found)

    def run(self, states: dict, given: object = None, **more: object) -> dict:
        return self.over(self.start(states, given, **more))


def until(question, seconds: float = 300):
    """Asks again until an answer is true; returns it, or after `seconds` the last answer."""
    deadline = time.monotonic() + seconds
    while True:
        found = question()
        if found or time.monotonic() > deadline:
            return found
        time.sleep(0.05)


@pytest.fixture(scope="session")
def aws(tmp_path_factory):
    folder = tmp_path_factory.mktemp("embedded-aws")
    port = free_port()
    process = start([sys.executable, str(SERVER), str(port), str(folder)], port, folder / "aws.log")
    yield Aws(port, folder)
    process.terminate()
    process.wait(timeout=300)


@pytest.fixture(scope="session")
def wait_until():
    return until


@pytest.fixture(scope="session")
def code_of():
    """Returns the code of the error with which a call fails; a call that succeeds fails the test."""

    def code(call, *arguments, **keywords):
        with pytest.raises(ClientError) as caught:
            call(*arguments, **keywords)
        return caught.value.response["Error"]["Code"]

    return code


@pytest.fixture(scope="session")
def network(aws):
    return build_network(aws)


def build_network(aws):
    """A public VPC with a subnet in three zones, a security group that admits itself and an instance profile."""
    ec2, iam = aws.client("ec2"), aws.client("iam")
    vpc = public_vpc(ec2, "10.9.0.0/16")
    subnets = {
        zone: ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.9.{number}.0/24", AvailabilityZone=zone)["Subnet"]["SubnetId"]
        for number, zone in enumerate(("us-east-1a", "us-east-1b", "us-east-1c"))
    }
    group = ec2.create_security_group(GroupName="hosts", Description="hosts", VpcId=vpc)["GroupId"]
    permission = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[permission])
    trust = {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}],
    }
    role = iam.create_role(RoleName="host-role", AssumeRolePolicyDocument=json.dumps(trust))["Role"]
    iam.create_instance_profile(InstanceProfileName="host-profile")
    iam.add_role_to_instance_profile(InstanceProfileName="host-profile", RoleName="host-role")
    return {"vpc": vpc, "subnets": subnets, "group": group, "role_id": role["RoleId"]}


def public_vpc(ec2, block):
    """A VPC whose main route table leads to the internet."""
    vpc = ec2.create_vpc(CidrBlock=block)["Vpc"]["VpcId"]
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    ec2.create_route(RouteTableId=main_table(ec2, vpc), DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    return vpc


def main_table(ec2, vpc):
    filters = [{"Name": "vpc-id", "Values": [vpc]}, {"Name": "association.main", "Values": ["true"]}]
    return ec2.describe_route_tables(Filters=filters)["RouteTables"][0]["RouteTableId"]


@pytest.fixture
def launch(aws, network):
    with launcher(aws, network) as run:
        yield run


@contextmanager
def launcher(aws, network):
    """RunInstances as the product calls it; the launched instances are terminated at the end."""
    ec2 = aws.client("ec2")
    launched = []
    parameter = "/aws/service/canonical/ubuntu/server/24.04/stable/current/{}/hvm/ebs-gp3/ami-id"

    def run(instance_type="c5.xlarge", zone="us-east-1a", architecture="amd64", groups=(), **more):
        image = aws.client("ssm").get_parameter(Name=parameter.format(architecture))["Parameter"]["Value"]
        interface = {"DeviceIndex": 0, "SubnetId": network["subnets"][zone], "Groups": [network["group"], *groups]}
        interface |= {"AssociatePublicIpAddress": True}
        interface |= {"ConnectionTrackingSpecification": {"TcpEstablishedTimeout": 432000}}
        interface |= more.pop("interface", {})
        request = {"ImageId": image, "InstanceType": instance_type, "NetworkInterfaces": [interface]}
        request |= {"IamInstanceProfile": {"Name": "host-profile"}, "MinCount": 1, "MaxCount": 1}
        instance = ec2.run_instances(**(request | more))["Instances"][0]
        launched.append(instance["InstanceId"])
        return instance

    yield run
    if launched:
        ec2.terminate_instances(InstanceIds=list(dict.fromkeys(launched)))


@pytest.fixture
def describe(aws):
    def one(instance_id):
        found = aws.client("ec2").describe_instances(InstanceIds=[instance_id])
        return found["Reservations"][0]["Instances"][0]

    return one


@pytest.fixture
def state_of(describe):
    return lambda instance_id: describe(instance_id)["State"]["Name"]


@pytest.fixture(scope="session")
def outputs(aws):
    """Outputs of the stack in deployed.py, deployed once."""
    s3 = aws.client("s3")
    s3.create_bucket(Bucket="code")
    s3.put_object(Bucket="code", Key="code.zip", Body=code_archive())
    stack = aws.deploy("Bench", resources("code"), OUTPUTS, Capabilities=["CAPABILITY_IAM"])
    assert stack["StackStatus"] == "CREATE_COMPLETE", stack
    return stack["Values"]


def task(resource, arguments, **more):
    return {"Type": "Task", "Resource": f"arn:aws:states:::{resource}", "Arguments": arguments, "End": True, **more}


@pytest.fixture
def error_in_a_state(aws):
    """Returns the name of the error with which a task fails; the output of a task that succeeds."""

    def run(resource, arguments):
        caught = {"ErrorEquals": ["States.ALL"], "Next": "Caught", "Output": "{% $states.errorOutput.Error %}"}
        ended = aws.run({"First": task(resource, arguments, Catch=[caught]), "Caught": {"Type": "Succeed"}})
        assert ended["status"] == "SUCCEEDED", ended
        return json.loads(ended["output"])

    return run


@pytest.fixture
def fault(aws):
    """Requests a fault; at the end all faults and quotas are as they were."""
    yield lambda action, code, **fields: aws.control("POST", "faults", {"action": action, "code": code, **fields})
    aws.control("DELETE", "faults")
    aws.control("DELETE", "quotas")


def invoke(aws, outputs, **event):
    """Invokes the deployed function; returns the kind of its error and its result."""
    answer = aws.client("lambda").invoke(FunctionName=outputs["FunctionName"], Payload=json.dumps(event))
    return answer.get("FunctionError"), json.loads(answer["Payload"].read())
