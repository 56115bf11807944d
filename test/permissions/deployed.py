"""The stack as it would be deployed to an account: its template, with every reference replaced by an example."""

from __future__ import annotations

from typing import Any

from .simulator import Policy

STACK_NAME = "NetworkBenchmark"
ACCOUNT_ID = "123456789012"
# The property that names a resource, where the stack may choose the name; and the service and kind in its ARN.
NAMES = {
    "AWS::Lambda::Function": ("FunctionName", "lambda", "function:"),
    "AWS::Logs::LogGroup": ("LogGroupName", "logs", "log-group:"),
    "AWS::SNS::Topic": ("TopicName", "sns", ""),
    "AWS::SQS::Queue": ("QueueName", "sqs", ""),
    "AWS::Events::Rule": ("Name", "events", "rule/"),
    "AWS::StepFunctions::StateMachine": ("StateMachineName", "states", "stateMachine:"),
}
# CloudFormation's Ref returns the ARN of these.
REFERRED_TO_BY_ARN = ("AWS::StepFunctions::StateMachine", "AWS::SNS::Topic", "AWS::Lambda::Version")
PREFIXED_IDS = {"AWS::EC2::VPC": "vpc", "AWS::EC2::Subnet": "subnet", "AWS::EC2::LaunchTemplate": "lt"}
Object = dict[str, Any]


class DeployedStack:
    """Names and policies of everything in the template, in one partition."""

    def __init__(self, template: Object, partition: str) -> None:
        self.partition = partition
        self.region = "cn-north-1" if partition == "aws-cn" else "eu-west-1"
        self.resources: dict[str, Object] = template["Resources"]

    def logical_id(self, kind: str, prefix: str) -> str:
        """The one resource of a type whose logical id begins so."""
        found = [name for name, one in self.resources.items() if one["Type"] == kind and name.startswith(prefix)]
        assert len(found) == 1, f"{kind} {prefix}…: must be one resource, got {found}"
        return found[0]

    def reference(self, kind: str, prefix: str) -> str:
        return self.resolved({"Ref": self.logical_id(kind, prefix)})

    def arn(self, kind: str, prefix: str) -> str:
        return self._arn_of(self.logical_id(kind, prefix))

    def role_of(self, kind: str, prefix: str) -> str:
        """The logical id of the role that a function or state machine takes."""
        properties = self.resources[self.logical_id(kind, prefix)]["Properties"]
        role: str = properties["Role" if kind == "AWS::Lambda::Function" else "RoleArn"]["Fn::GetAtt"][0]
        return role

    def policies_of(self, role: str) -> tuple[Policy, ...]:
        """The policies of a role, inline and attached."""
        inline = self.resources[role]["Properties"].get("Policies", [])
        attached = [
            one["Properties"]
            for one in self.resources.values()
            if one["Type"] == "AWS::IAM::Policy" and {"Ref": role} in one["Properties"]["Roles"]
        ]
        return tuple(self.resolved(policy["PolicyDocument"]) for policy in (*inline, *attached))

    def resolved(self, value: Any) -> Any:
        """A part of the template with the values that CloudFormation puts in place of its functions."""
        if isinstance(value, list):
            return [self.resolved(item) for item in value]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            ((name, argument),) = value.items()
            if name == "Ref":
                return self._reference(argument)
            if name == "Fn::GetAtt":
                return self._attribute(*argument)
            if name == "Fn::Join":
                return argument[0].join(self.resolved(part) for part in argument[1])
        return {key: self.resolved(item) for key, item in value.items()}

    def _reference(self, name: str) -> str:
        pseudo = {
            "AWS::Partition": self.partition,
            "AWS::Region": self.region,
            "AWS::AccountId": ACCOUNT_ID,
            "AWS::StackName": STACK_NAME,
            "AWS::URLSuffix": "amazonaws.com.cn" if self.partition == "aws-cn" else "amazonaws.com",
        }
        if name in pseudo:
            return pseudo[name]
        kind = self.resources[name]["Type"]
        if kind in PREFIXED_IDS:
            return f"{PREFIXED_IDS[kind]}-{name.lower()}"
        return self._arn_of(name) if kind in REFERRED_TO_BY_ARN else self._name_of(name)

    def _attribute(self, name: str, attribute: str) -> str:
        kind = self.resources[name]["Type"]
        if attribute == "Arn":
            arn = self._arn_of(name)
            return f"{arn}:*" if kind == "AWS::Logs::LogGroup" else arn
        if attribute in ("GroupId", "VpcId"):
            return f"{'sg' if attribute == 'GroupId' else 'vpc'}-{name.lower()}"
        raise LookupError(f"{name}.{attribute}: must be Arn, GroupId or VpcId")

    def _name_of(self, name: str) -> str:
        resource = self.resources[name]
        given = NAMES.get(resource["Type"], ("Name",))[0]
        if resource["Type"] == "AWS::S3::Bucket":
            return name.lower()
        if resource["Type"] == "AWS::Glue::Database":
            return resource["Properties"]["DatabaseInput"]["Name"]
        return self.resolved(resource["Properties"].get(given, f"{STACK_NAME}-{name}"))

    def _arn_of(self, name: str) -> str:
        kind = self.resources[name]["Type"]
        if kind == "AWS::S3::Bucket":
            return f"arn:{self.partition}:s3:::{self._name_of(name)}"
        if kind == "AWS::IAM::Role":
            return f"arn:{self.partition}:iam::{ACCOUNT_ID}:role/{self._name_of(name)}"
        _, service, prefix = NAMES[kind]
        return f"arn:{self.partition}:{service}:{self.region}:{ACCOUNT_ID}:{prefix}{self._name_of(name)}"
