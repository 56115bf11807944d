from lab.agent.agent import Agent
from lab.aws import embedded
from lab.aws.ec2.images import PUBLIC_PARAMETERS
from lab.aws.ec2.records import Records
from lab.aws.router import Action, Service
from lab.aws.ssm.documents import Documents
from lab.aws.ssm.run_command import RunCommand
from lab.aws.wire import Request, Result


def ssm_service(agent: Agent, ec2: Records) -> Service:
    """Assembles the actions; adds Canonical's public image parameters to those that MiniStack keeps."""
    ministack = embedded.ministack("ssm")

    def get_parameter(request: Request) -> Result:
        name = request["Name"]
        if name not in PUBLIC_PARAMETERS:
            return ministack("GetParameter", **request)
        return {"Parameter": {"Name": name, "Type": "String", "Value": PUBLIC_PARAMETERS[name], "Version": 1}}

    documents = Documents()
    run_command = RunCommand(agent, documents, ec2)
    return Service(
        "ssm",
        {
            "GetParameter": Action(get_parameter),
            "CreateDocument": Action(documents.create),
            "DescribeDocument": Action(documents.describe),
            "DeleteDocument": Action(documents.delete),
            "GetDocument": Action(documents.get),
            "UpdateDocument": Action(documents.update),
            "UpdateDocumentDefaultVersion": Action(documents.update_default_version),
            "SendCommand": Action(run_command.send_command),
            "GetCommandInvocation": Action(run_command.get_command_invocation),
            "ListCommandInvocations": Action(run_command.list_command_invocations),
            "ListCommands": Action(run_command.list_commands),
            "CancelCommand": Action(run_command.cancel_command),
            "DescribeInstanceInformation": Action(run_command.describe_instance_information),
        },
        page_size=50,
    )
