"""Run Command and the inventory of managed instances; the lab's agent runs the documents."""

import time
import uuid
from typing import Any

from lab.agent.agent import Agent
from lab.agent.document import read_document, service_parameter_problems
from lab.agent.invocation import Invocation, PluginResult
from lab.aws.ec2.records import Records
from lab.aws.ssm.documents import Documents
from lab.aws.wire import AwsError, Request

AGENT_START_SECONDS = 1.0
FINAL = {"Success", "Failed", "TimedOut", "Cancelled"}
SEVERITY = ["Success", "Cancelled", "TimedOut", "Failed"]
DEFAULT_DELIVERY_SECONDS = 3600


class RunCommand:
    def __init__(self, agent: Agent, documents: Documents, ec2: Records) -> None:
        self._agent = agent
        self._documents = documents
        self._ec2 = ec2
        self._commands: dict[str, dict[str, Any]] = {}

    def send_command(self, request: Request) -> dict[str, Any]:
        name = request["DocumentName"]
        version = request.get("DocumentVersion")
        document = self._documents.content(name, version)
        parameters = request.get("Parameters") or {}
        problems = service_parameter_problems(read_document(document), parameters)
        if problems:
            raise AwsError("InvalidParameters", "; ".join(problems))
        instance_ids = request.get("InstanceIds") or []
        if not instance_ids:
            raise AwsError("ValidationException", "InstanceIds must name at least one instance")
        unmanaged = [instance_id for instance_id in instance_ids if not self._is_managed(instance_id)]
        if unmanaged:
            raise AwsError(
                "InvalidInstanceId", f"Instances [[{', '.join(unmanaged)}]] not in a valid state for account"
            )
        command = {
            "CommandId": str(uuid.uuid4()),
            "DocumentName": name,
            "DocumentVersion": version or "$DEFAULT",
            "Comment": request.get("Comment", ""),
            "Parameters": parameters,
            "InstanceIds": list(instance_ids),
            "RequestedDateTime": time.time(),
            "TimeoutSeconds": int(request.get("TimeoutSeconds") or DEFAULT_DELIVERY_SECONDS),
        }
        self._commands[command["CommandId"]] = command
        for instance_id in instance_ids:
            self._agent.run_command(command["CommandId"], instance_id, document, parameters, command["TimeoutSeconds"])
        return {"Command": self._command_view(command)}

    def get_command_invocation(self, request: Request) -> dict[str, Any]:
        command, instance_id = self._commands.get(request["CommandId"]), request["InstanceId"]
        if command is None or instance_id not in command["InstanceIds"]:
            raise AwsError("InvocationDoesNotExist", "")
        invocation = self._agent.invocation(command["CommandId"], instance_id)
        last = invocation.plugins[-1] if invocation.plugins else PluginResult("", "", invocation.response_code)
        return _invocation_view(command, invocation) | {
            "PluginName": last.name,
            "ResponseCode": last.response_code,
            "StandardOutputContent": last.standard_output,
            "StandardErrorContent": last.standard_error,
        }

    def list_command_invocations(self, request: Request) -> dict[str, Any]:
        views = []
        for command in self._selected_commands(request):
            for instance_id in command["InstanceIds"]:
                if request.get("InstanceId", instance_id) == instance_id:
                    invocation = self._agent.invocation(command["CommandId"], instance_id)
                    plugins = [_plugin_view(plugin) for plugin in invocation.plugins if request.get("Details")]
                    more = {"CommandPlugins": plugins, "RequestedDateTime": command["RequestedDateTime"]}
                    views.append(_invocation_view(command, invocation) | more)
        return {"CommandInvocations": views}

    def list_commands(self, request: Request) -> dict[str, Any]:
        views = [self._command_view(command) for command in self._selected_commands(request)]
        for wanted in request.get("Filters") or []:
            if wanted["key"] not in ("Status", "DocumentName"):
                raise AwsError("InvalidFilterKey", f"The filter key {wanted['key']} is not known in the lab")
            views = [view for view in views if view[wanted["key"]] == wanted["value"]]
        return {"Commands": views}

    def _selected_commands(self, request: Request) -> list[dict[str, Any]]:
        command_id, instance_id = request.get("CommandId"), request.get("InstanceId")
        commands = [self._command(command_id)] if command_id else reversed(list(self._commands.values()))
        return [command for command in commands if instance_id is None or instance_id in command["InstanceIds"]]

    def _command(self, command_id: str) -> dict[str, Any]:
        if command_id not in self._commands:
            raise AwsError("InvalidCommandId", f"The command id {command_id} is not valid.")
        return self._commands[command_id]

    def cancel_command(self, request: Request) -> dict[str, Any]:
        command = self._command(request["CommandId"])
        for instance_id in request.get("InstanceIds") or command["InstanceIds"]:
            self._agent.cancel(command["CommandId"], instance_id)
        return {}

    def describe_instance_information(self, request: Request) -> dict[str, Any]:
        wanted: list[str] | None = None
        for item in request.get("Filters") or []:
            if item["Key"] != "InstanceIds":
                raise AwsError("InvalidFilterKey", f"The filter key {item['Key']} is not known in the lab")
            wanted = item["Values"]
        entries = [
            {
                "InstanceId": instance_id,
                "PingStatus": "Online",
                "ResourceType": "EC2Instance",
                "IPAddress": instance.private_address,
            }
            for instance_id, instance in list(self._ec2.instances.items())
            if (wanted is None or instance_id in wanted) and self._is_managed(instance_id)
        ]
        return {"InstanceInformationList": entries}

    def _is_managed(self, instance_id: str) -> bool:
        """Returns whether its agent has reported, which needs a running instance with a network path to the service."""
        instance = self._ec2.instances.get(instance_id)
        if instance is None or instance.state != "running":
            return False
        if not instance.launch.has_way_out and not instance.launch.has_endpoints:
            return False
        return time.time() - instance.booted_at >= AGENT_START_SECONDS

    def _command_view(self, command: dict[str, Any]) -> dict[str, Any]:
        statuses = [
            self._agent.invocation(command["CommandId"], instance_id).status for instance_id in command["InstanceIds"]
        ]
        if all(status in FINAL for status in statuses):
            status = max(statuses, key=SEVERITY.index)  # the command's status is that of its worst invocation
        else:
            status = "Pending" if all(status == "Pending" for status in statuses) else "InProgress"
        return command | {
            "Status": status,
            "StatusDetails": status,
        }


def _invocation_view(command: dict[str, Any], invocation: Invocation) -> dict[str, Any]:
    return {
        "CommandId": command["CommandId"],
        "InstanceId": invocation.instance_id,
        "Comment": command["Comment"],
        "DocumentName": command["DocumentName"],
        "DocumentVersion": command["DocumentVersion"],
        "Status": invocation.status,
        "StatusDetails": invocation.status_details,
    }


def _plugin_view(plugin: PluginResult) -> dict[str, Any]:
    return {
        "Name": plugin.name,
        "Status": plugin.status,
        "StatusDetails": plugin.status_details,
        "ResponseCode": plugin.response_code,
        "Output": plugin.output,
    }
