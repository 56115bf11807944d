"""The lab's Systems Manager refuses unknown documents, and describes commands as AWS does."""

import json
import uuid

import pytest
from botocore.exceptions import ClientError

DOCUMENT = {
    "schemaVersion": "2.2",
    "parameters": {"Outcome": {"type": "String", "default": "good", "allowedPattern": "^[a-z]{1,10}$"}},
    "mainSteps": [{"action": "aws:runShellScript", "name": "work", "inputs": {"runCommand": ["true"]}}],
}


@pytest.fixture(scope="module")
def document(aws):
    aws.client("ssm").create_document(Name="lab-work", DocumentType="Command", Content=json.dumps(DOCUMENT))
    return "lab-work"


@pytest.fixture
def online(aws, launch, wait_until):
    def host():
        instance_id = launch()["InstanceId"]
        filters = [{"Key": "InstanceIds", "Values": [instance_id]}]
        found = wait_until(
            lambda: aws.client("ssm").describe_instance_information(Filters=filters)["InstanceInformationList"]
        )
        assert found[0]["PingStatus"] == "Online"
        return instance_id

    return host


def code_of(call, **keywords):
    with pytest.raises(ClientError) as caught:
        call(**keywords)
    return caught.value.response["Error"]["Code"]


def test_a_command_reports_its_status_and_its_outputs(aws, document, online, wait_until):
    ssm = aws.client("ssm")
    instance_id = online()
    command_id = ssm.send_command(DocumentName=document, InstanceIds=[instance_id])["Command"]["CommandId"]
    first = ssm.get_command_invocation(CommandId=command_id, InstanceId=instance_id)
    assert (first["Status"], first["ResponseCode"]) == ("InProgress", -1)

    def ended():
        now = ssm.get_command_invocation(CommandId=command_id, InstanceId=instance_id)
        return now if now["Status"] == "Success" else None

    last = wait_until(ended)
    assert (last["ResponseCode"], last["PluginName"]) == (0, "work")
    assert (last["StandardOutputContent"], last["StandardErrorContent"]) == ("out", "err")
    listed = ssm.list_command_invocations(CommandId=command_id, Details=True)["CommandInvocations"][0]
    assert listed["CommandPlugins"][0]["Output"] == "out\nerr"
    assert ssm.list_commands(CommandId=command_id)["Commands"][0]["Status"] == "Success"


def test_a_command_fails_when_it_fails_on_one_host(aws, document, online, wait_until):
    ssm = aws.client("ssm")
    hosts = [online(), online()]
    sent = ssm.send_command(DocumentName=document, InstanceIds=hosts, Parameters={"Outcome": ["bad"]})
    command_id = sent["Command"]["CommandId"]
    assert wait_until(lambda: ssm.list_commands(CommandId=command_id)["Commands"][0]["Status"] == "Failed")
    assert len(ssm.list_command_invocations(CommandId=command_id)["CommandInvocations"]) == 2


def test_a_cancelled_command_reports_so(aws, document, online):
    ssm = aws.client("ssm")
    instance_id = online()
    sent = ssm.send_command(DocumentName=document, InstanceIds=[instance_id], Parameters={"Outcome": ["hang"]})
    command_id = sent["Command"]["CommandId"]
    running = ssm.list_commands(InstanceId=instance_id, Filters=[{"key": "Status", "value": "InProgress"}])["Commands"]
    assert [command["CommandId"] for command in running] == [command_id]
    ssm.cancel_command(CommandId=command_id)
    assert ssm.get_command_invocation(CommandId=command_id, InstanceId=instance_id)["Status"] == "Cancelled"


def test_refusals_by_their_codes(aws, document, online):
    ssm = aws.client("ssm")
    send = ssm.send_command
    instance_id = online()
    assert code_of(send, DocumentName="nobody-made-it", InstanceIds=[instance_id]) == "InvalidDocument"
    for parameters in ({"Other": ["x"]}, {"Outcome": ["x; reboot"]}, {"Outcome": ["a", "b"]}):
        refused = code_of(send, DocumentName=document, InstanceIds=[instance_id], Parameters=parameters)
        assert refused == "InvalidParameters", parameters
    assert code_of(send, DocumentName=document, InstanceIds=["i-0123456789abcdef0"]) == "InvalidInstanceId"
    unknown = {"CommandId": str(uuid.uuid4()), "InstanceId": instance_id}
    assert code_of(ssm.get_command_invocation, **unknown) == "InvocationDoesNotExist"
    broken = json.dumps(DOCUMENT | {"mainSteps": []})
    create = ssm.create_document
    assert code_of(create, Name="lab-broken", DocumentType="Command", Content=broken) == "InvalidDocumentContent"


def test_canonical_s_images_are_public_parameters(aws):
    name = "/aws/service/canonical/ubuntu/server/24.04/stable/current/{}/hvm/ebs-gp3/ami-id"
    images = [
        aws.client("ssm").get_parameter(Name=name.format(architecture))["Parameter"]["Value"]
        for architecture in ("amd64", "arm64")
    ]
    assert len(set(images)) == 2
    assert all(image.startswith("ami-") for image in images)
