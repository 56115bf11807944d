"""Which of Systems Manager's actions the lab answers."""

from lab.agent.agent import Agent
from lab.aws import embedded
from lab.aws.ec2.images import PUBLIC_PARAMETERS
from lab.aws.ec2.records import Records
from lab.aws.router import Service
from lab.aws.ssm.documents import Documents
from lab.aws.ssm.run_command import RunCommand


def ssm_service(agent: Agent, ec2: Records) -> Service:
    """Systems Manager; Canonical's public image parameters join those that MiniStack answers."""
    embedded.SSM_IMAGE_PARAMETERS.value.update(PUBLIC_PARAMETERS)
    documents = Documents()
    run_command = RunCommand(agent, documents, ec2)
    return Service(
        "ssm",
        {
            "CreateDocument": documents.create,
            "DescribeDocument": documents.describe,
            "DeleteDocument": documents.delete,
            "GetDocument": documents.get,
            "UpdateDocument": documents.update,
            "UpdateDocumentDefaultVersion": documents.update_default_version,
            "SendCommand": run_command.send_command,
            "GetCommandInvocation": run_command.get_command_invocation,
            "ListCommandInvocations": run_command.list_command_invocations,
            "ListCommands": run_command.list_commands,
            "CancelCommand": run_command.cancel_command,
            "DescribeInstanceInformation": run_command.describe_instance_information,
        },
        page_size=50,
    )
