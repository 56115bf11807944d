"""Systems Manager: documents, Run Command on the lab's agent, and Canonical's public image parameters.

What the service answers is here; what a document is and how it runs is the agent's.
"""

from __future__ import annotations

import json
import threading
import time
import uuid
from typing import Any

from ministack.core.responses import error_response_json, json_response
from ministack.services import ec2, ssm

from lab.agent.document import read_document, service_parameter_problems
from lab.aws import ec2_types, patching
from lab.aws.faults import Faults
from lab.aws.machines import Agent
from lab.aws.query import AwsError, Response
from lab.aws.ssm_documents import Documents

AGENT_START_SECONDS = 1.0
FINAL = {"Success", "Failed", "TimedOut", "Cancelled"}
SEVERITY = ["Success", "Cancelled", "TimedOut", "Failed"]
DEFAULT_DELIVERY_SECONDS = 3600
PAGE_SIZE = 50


class Ssm:
    """The hands on Systems Manager. `install` puts them in place."""

    def __init__(self, agent: Agent, faults: Faults) -> None:
        self._agent = agent
        self._faults = faults
        self._lock = threading.Lock()
        self._commands: dict[str, dict[str, Any]] = {}
        self.documents = Documents()

    def install(self) -> None:
        patching.require(ssm, "_PUBLIC_AMI_PARAMETERS").update(ec2_types.IMAGE_PARAMETERS)
        original = patching.require(ssm, "handle_request")
        ours = {
            "SendCommand": self._send_command,
            "GetCommandInvocation": self._get_command_invocation,
            "ListCommandInvocations": self._list_command_invocations,
            "ListCommands": self._list_commands,
            "CancelCommand": self._cancel_command,
            "DescribeInstanceInformation": self._describe_instance_information,
            **self.documents.actions(),
        }

        async def handle_request(method: str, path: str, headers: dict[str, str], body: Any, query: Any) -> Response:
            action = headers.get("x-amz-target", "").rpartition(".")[2]
            try:
                self._faults.raise_if_asked(f"ssm:{action}")
                if action not in ours:
                    return await original(method, path, headers, body, query)
                return json_response(ours[action](json.loads(body or "{}")))
            except AwsError as error:
                return error_response_json(error.code, error.message, error.status)

        patching.replace(ssm, "handle_request", handle_request)
        self.documents.install()

    def _send_command(self, request: dict[str, Any]) -> dict[str, Any]:
        name = request.get("DocumentName", "")
        document = self.documents.content(name)
        parameters = request.get("Parameters") or {}
        problems = service_parameter_problems(read_document(document), parameters)
        if problems:
            raise AwsError("InvalidParameters", "; ".join(problems))
        instance_ids = request.get("InstanceIds") or []
        if not instance_ids:
            raise AwsError("ValidationException", "InstanceIds must name at least one instance")
        unmanaged = [instance_id for instance_id in instance_ids if not _is_managed(instance_id)]
        if unmanaged:
            raise AwsError(
                "InvalidInstanceId", f"Instances [[{', '.join(unmanaged)}]] not in a valid state for account"
            )
        command = {
            "CommandId": str(uuid.uuid4()),
            "DocumentName": name,
            "Comment": request.get("Comment", ""),
            "Parameters": parameters,
            "InstanceIds": list(instance_ids),
            "RequestedDateTime": time.time(),
            "TimeoutSeconds": int(request.get("TimeoutSeconds") or DEFAULT_DELIVERY_SECONDS),
        }
        with self._lock:
            self._commands[command["CommandId"]] = command
        for instance_id in instance_ids:
            self._agent.run_command(command["CommandId"], instance_id, document, parameters, command["TimeoutSeconds"])
        return {"Command": self._command_view(command)}

    def _get_command_invocation(self, request: dict[str, Any]) -> dict[str, Any]:
        command = self._commands.get(request.get("CommandId", ""))
        instance_id = request.get("InstanceId", "")
        if command is None or instance_id not in command["InstanceIds"]:
            raise AwsError("InvocationDoesNotExist", "")
        view = self._invocation_view(command, instance_id)
        plugins = view.pop("CommandPlugins")
        wanted = request.get("PluginName")
        chosen = (
            next((plugin for plugin in plugins if plugin["Name"] == wanted), None)
            if wanted
            else (plugins[-1] if plugins else None)
        )
        if wanted and chosen is None:
            raise AwsError("InvalidPluginName", f"The plugin name {wanted} is not valid.")
        return view | {
            "PluginName": chosen["Name"] if chosen else "",
            "ResponseCode": chosen["ResponseCode"] if chosen else view["ResponseCode"],
            "StandardOutputContent": chosen["StandardOutput"] if chosen else "",
            "StandardErrorContent": chosen["StandardError"] if chosen else "",
        }

    def _list_command_invocations(self, request: dict[str, Any]) -> dict[str, Any]:
        views = []
        for command in self._selected_commands(request):
            for instance_id in command["InstanceIds"]:
                if request.get("InstanceId", instance_id) != instance_id:
                    continue
                view = self._invocation_view(command, instance_id)
                del view["ResponseCode"]
                if request.get("Details"):
                    for plugin in view["CommandPlugins"]:
                        del plugin["StandardOutput"], plugin["StandardError"]
                else:
                    view["CommandPlugins"] = []
                views.append(view | {"RequestedDateTime": command["RequestedDateTime"]})
        return _page(request, "CommandInvocations", views)

    def _list_commands(self, request: dict[str, Any]) -> dict[str, Any]:
        views = [self._command_view(command) for command in self._selected_commands(request)]
        for wanted in request.get("Filters") or []:
            field = {"Status": "Status", "DocumentName": "DocumentName"}.get(wanted["key"])
            if field is None:
                raise AwsError("InvalidFilterKey", f"The filter key {wanted['key']} is not known in the lab")
            views = [view for view in views if view[field] == wanted["value"]]
        return _page(request, "Commands", views)

    def _selected_commands(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        with self._lock:
            commands = list(self._commands.values())
        command_id, instance_id = request.get("CommandId"), request.get("InstanceId")
        if command_id and command_id not in self._commands:
            raise AwsError("InvalidCommandId", f"The command id {command_id} is not valid.")
        return [
            command
            for command in reversed(commands)
            if command_id in (None, command["CommandId"])
            and (instance_id is None or instance_id in command["InstanceIds"])
        ]

    def _cancel_command(self, request: dict[str, Any]) -> dict[str, Any]:
        command = self._commands.get(request.get("CommandId", ""))
        if command is None:
            raise AwsError("InvalidCommandId", f"The command id {request.get('CommandId')} is not valid.")
        for instance_id in request.get("InstanceIds") or command["InstanceIds"]:
            self._agent.cancel(command["CommandId"], instance_id)
        return {}

    def _describe_instance_information(self, request: dict[str, Any]) -> dict[str, Any]:
        wanted: list[str] | None = None
        for item in request.get("Filters") or []:
            if item["Key"] != "InstanceIds":
                raise AwsError("InvalidFilterKey", f"The filter key {item['Key']} is not known in the lab")
            wanted = item["Values"]
        for item in request.get("InstanceInformationFilterList") or []:
            wanted = item["valueSet"]
        entries = [
            {
                "InstanceId": instance_id,
                "PingStatus": "Online",
                "LastPingDateTime": time.time(),
                "AgentVersion": "3.3.2746.0",
                "PlatformType": "Linux",
                "PlatformName": "Ubuntu",
                "PlatformVersion": "24.04",
                "ResourceType": "EC2Instance",
                "IPAddress": instance["PrivateIpAddress"],
            }
            for instance_id, instance in list(ec2._instances.items())
            if (wanted is None or instance_id in wanted) and _is_managed(instance_id)
        ]
        return _page(request, "InstanceInformationList", entries)

    def _invocation_view(self, command: dict[str, Any], instance_id: str) -> dict[str, Any]:
        invocation = self._agent.invocation(command["CommandId"], instance_id)
        return {
            "CommandId": command["CommandId"],
            "InstanceId": instance_id,
            "Comment": command["Comment"],
            "DocumentName": command["DocumentName"],
            "Status": invocation.status,
            "StatusDetails": invocation.status_details,
            "ResponseCode": invocation.response_code,
            "CommandPlugins": [
                {
                    "Name": plugin.name,
                    "Status": plugin.status,
                    "StatusDetails": plugin.status_details,
                    "ResponseCode": plugin.response_code,
                    "Output": plugin.output,
                    "StandardOutput": plugin.standard_output,
                    "StandardError": plugin.standard_error,
                }
                for plugin in invocation.plugins
            ],
        }

    def _command_view(self, command: dict[str, Any]) -> dict[str, Any]:
        statuses = [
            self._agent.invocation(command["CommandId"], instance_id).status for instance_id in command["InstanceIds"]
        ]
        if all(status in FINAL for status in statuses):
            status = max(statuses, key=SEVERITY.index)
        else:
            status = "Pending" if all(status == "Pending" for status in statuses) else "InProgress"
        return command | {
            "Status": status,
            "StatusDetails": status,
            "TargetCount": len(statuses),
            "CompletedCount": sum(one in FINAL for one in statuses),
            "ErrorCount": sum(one in ("Failed", "TimedOut") for one in statuses),
        }


def _is_managed(instance_id: str) -> bool:
    """The agent of a running instance reports a moment after the instance runs."""
    instance = ec2._instances.get(instance_id)
    if instance is None or instance["State"]["Name"] != "running":
        return False
    return time.time() - instance.get("RunningSince", 0) >= AGENT_START_SECONDS


def _page(request: dict[str, Any], name: str, items: list[Any]) -> dict[str, Any]:
    start = int(request.get("NextToken") or 0)
    end = start + int(request.get("MaxResults") or PAGE_SIZE)
    return {name: items[start:end]} | ({"NextToken": str(end)} if end < len(items) else {})
