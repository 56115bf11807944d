"""The lab's Systems Manager refuses unknown documents, and describes commands as AWS does."""

import json
import uuid

import pytest
from deployed import resource

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


def test_a_command_reports_its_status_and_its_outputs(aws, document, online, wait_until):
    ssm = aws.client("ssm")
    instance_id = online()
    sent = ssm.send_command(DocumentName=document, InstanceIds=[instance_id], Parameters={"Outcome": ["held"]})
    command_id = sent["Command"]["CommandId"]
    first = ssm.get_command_invocation(CommandId=command_id, InstanceId=instance_id)
    assert (first["Status"], first["ResponseCode"]) == ("InProgress", -1)
    (aws.folder / f"end-{command_id}").touch()

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


def test_refusals_by_their_codes(aws, document, online, code_of):
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


def document_of(line):
    step = {"action": "aws:runShellScript", "name": "work", "inputs": {"runCommand": [line]}}
    return json.dumps(DOCUMENT | {"mainSteps": [step]})


def test_a_new_version_of_a_document_is_the_default_only_when_told(aws, code_of):
    ssm = aws.client("ssm")
    name = "lab-versions"
    ssm.create_document(Name=name, DocumentType="Command", Content=document_of("one"))
    update = {"Name": name, "DocumentVersion": "$LATEST"}
    added = ssm.update_document(**update, Content=document_of("two"))["DocumentDescription"]
    assert [added[key] for key in ("DocumentVersion", "LatestVersion", "DefaultVersion")] == ["2", "2", "1"]
    assert code_of(ssm.update_document, **update, Content=document_of("one")) == "DuplicateDocumentContent"
    assert code_of(ssm.get_document, Name=name, DocumentVersion="3") == "InvalidDocumentVersion"

    def line_of(**version):
        return json.loads(ssm.get_document(Name=name, **version)["Content"])["mainSteps"][0]["inputs"]["runCommand"]

    assert line_of() == line_of(DocumentVersion="$DEFAULT") == line_of(DocumentVersion="1") == ["one"]
    assert line_of(DocumentVersion="$LATEST") == line_of(DocumentVersion="2") == ["two"]
    ssm.update_document_default_version(Name=name, DocumentVersion="2")
    assert line_of() == ["two"]


def test_a_command_runs_the_version_that_it_names_or_the_default_one(aws, online, code_of):
    ssm = aws.client("ssm")
    name = "lab-sent-versions"
    parameter = {"Outcome": {"type": "String", "allowedPattern": "^new$"}}
    ssm.create_document(Name=name, DocumentType="Command", Content=document_of("true"))
    content = json.dumps(json.loads(document_of("true")) | {"parameters": parameter})
    ssm.update_document(Name=name, DocumentVersion="$LATEST", Content=content)
    command = {"DocumentName": name, "InstanceIds": [online()]}

    # Only the second version has the pattern.
    ssm.send_command(**command, Parameters={"Outcome": ["good"]})
    assert code_of(ssm.send_command, **command, DocumentVersion="2") == "InvalidParameters"
    latest = ssm.send_command(**command, DocumentVersion="$LATEST", Parameters={"Outcome": ["new"]})["Command"]
    assert latest["DocumentVersion"] == "$LATEST"


def test_a_stack_that_changes_a_document_adds_a_version_which_is_not_the_default(aws):
    for line, status in (("one", "CREATE_COMPLETE"), ("two", "UPDATE_COMPLETE")):
        properties = {"Name": "lab-of-stack", "UpdateMethod": "NewVersion", "DocumentType": "Command"}
        document = resource("SSM::Document", **properties, Content=json.loads(document_of(line)))
        assert aws.deploy("Documents", {"Document": document})["StackStatus"] == status
    described = aws.client("ssm").describe_document(Name="lab-of-stack")["Document"]
    assert (described["LatestVersion"], described["DefaultVersion"]) == ("2", "1")
