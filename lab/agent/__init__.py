"""The SSM agent of the lab's hosts, which runs Command documents by the rules observed on the real agent."""

from lab.agent.agent import Agent, UnknownInvocationError
from lab.agent.document import InvalidDocumentError, InvalidParametersError, read_document, service_parameter_problems
from lab.agent.invocation import Invocation, PluginResult, Status

__all__ = [
    "Agent",
    "InvalidDocumentError",
    "InvalidParametersError",
    "Invocation",
    "PluginResult",
    "Status",
    "UnknownInvocationError",
    "read_document",
    "service_parameter_problems",
]
