"""Builds examples of calls: the call itself, and neighbours that differ from it in one thing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from .accesses import Account, accesses_of
from .calls import Call, Caller, Object
from .deployed import ACCOUNT_ID, STACK_NAME, DeployedStack
from .simulator import Access, Principal

STACK_TAG = "network-benchmark:stack"
USER_TAG = "CostCenter"
OWN = {
    STACK_TAG: STACK_NAME,
    "network-benchmark:run-id": "run",
    "Name": "network-benchmark client",
    USER_TAG: "42",
}
OTHER_STACKS = OWN | {STACK_TAG: "AnotherStack"}
UNTAGGED = {"Name": "something else"}
RUN = "reports/run"
SAMPLES = "samples/metric=throughput/day=2026-11-22"
HOST = "i-0own"
# Of the context `hostVpcs` in test/support/print-template.ts.
HOST_VPCS = ["vpc-0b1", "vpc-0b2"]


@dataclass(frozen=True)
class Example:
    principal: str
    """The logical id of the role, or the name of a service."""
    what: str
    own: list[Access]
    neighbours: dict[str, list[Access]] = field(default_factory=dict)


class ExampleBuilder:
    """An account in one partition, with things of the stack, of another stack, and of nobody in it."""

    def __init__(self, stack: DeployedStack) -> None:
        self.stack = stack
        self.host_role = stack.logical_id("AWS::IAM::Role", "TestHosts")
        self.bucket = stack.reference("AWS::S3::Bucket", "ResultStore")
        self.payload = stack.reference("AWS::S3::Bucket", "PayloadStore")
        self.account = Account(
            stack.partition,
            stack.region,
            ACCOUNT_ID,
            stack.arn("AWS::IAM::Role", "TestHosts"),
            stack.reference("AWS::Glue::Database", ""),
            self.bucket,
        )
        self.account.vpcs = {
            stack.resolved({"Ref": name}): stack.resolved(one["Properties"]["VpcId"])
            for name, one in stack.resources.items()
            if one["Type"] == "AWS::EC2::Subnet"
        }
        # Subnets that a plan may name: of the stack's network, and of those of the context `hostVpcs`.
        self.named_subnets = ["subnet-0named", *(f"subnet-of-{vpc}" for vpc in HOST_VPCS)]
        vpcs = [stack.reference("AWS::EC2::VPC", "TestNetworkVpc"), *HOST_VPCS]
        self.account.vpcs |= dict(zip(self.named_subnets, vpcs, strict=True)) | {"subnet-0other": "vpc-0other"}
        for owner, tags in (("own", OWN), ("other", OTHER_STACKS), ("untagged", UNTAGGED)):
            for kind, name in (("instance", f"i-0{owner}"), ("placement-group", owner), ("security-group", owner)):
                self.account.tags[self.account.ec2(kind, name)] = tags
            for kind in ("loadbalancer/net", "targetgroup", "listener/net"):
                self.account.tags[self.elb(kind, f"network-benchmark-{owner}")] = tags
                self.account.tags[self.elb(kind, "payments")] = OWN

    def principal(self, example: Example) -> Principal:
        """The caller of an example: a session of the role, or a service."""
        if "." in example.principal:
            return Principal(example.principal)
        role = example.principal
        is_host = role == self.host_role
        name = f"{STACK_NAME}-{role}"
        arn = f"arn:{self.stack.partition}:sts::{ACCOUNT_ID}:assumed-role/{name}/{HOST if is_host else 'session'}"
        session = {"aws:userid": f"AROAHOST:{HOST}"} if is_host else {}
        return Principal(arn, self.stack.policies_of(role), session=session)

    def example(self, role: str, own: Call, neighbours: dict[str, Call] | None = None, each: bool = False) -> Example:
        """With `each`, every access of a neighbour must be denied that is not one of the example itself."""
        accesses = self.accesses(own)
        found = {}
        for name, call in (neighbours or {}).items():
            theirs = [access for access in self.accesses(call) if access not in accesses]
            assert theirs, f"{own.operation}: the neighbour {name} must differ from the example"
            found |= {f"{name}: {one.action} on {one.resource}": [one] for one in theirs} if each else {name: theirs}
        return Example(role, own.operation, accesses, found)

    def invocations(
        self, role: str, functions: list[str], other: str, versions: tuple[str, ...] = ("",)
    ) -> Iterator[Example]:
        """Of each version: `:3`, or none for the function as it is deployed last."""
        for function in functions:
            for version in versions:
                own, another = (
                    self.call(
                        "lambda",
                        "Invoke",
                        FunctionName=self.stack.arn("AWS::Lambda::Function", f"Functions{name}") + version,
                    )
                    for name in (function, other)
                )
                yield self.example(role, own, {f"the handler {other}": another})

    def looks(self, role: str, *actions: str) -> Iterator[Example]:
        for action in actions:
            yield Example(role, action, [Access(action, "*")])

    def terminate(self, role: str) -> Example:
        return self.on_owned(role, "ec2", "TerminateInstances", lambda owner: {"InstanceIds": [f"i-0{owner}"]})

    def delete_placement_group(self, role: str) -> Example:
        return self.on_owned(role, "ec2", "DeletePlacementGroup", lambda owner: {"GroupName": owner})

    def removes_hosts(self, role: str) -> Iterator[Example]:
        yield from self.looks(role, "ec2:DescribeInstances", "ec2:DescribePlacementGroups")
        yield self.terminate(role)
        yield self.delete_placement_group(role)

    def on_owned(self, role: str, service: str, operation: str, given: Callable[[str], Object]) -> Example:
        own, other, untagged = (self.call(service, operation, **given(owner)) for owner in ("own", "other", "untagged"))
        return self.example(role, own, {"another stack's": other, "without tags": untagged})

    def on_balancing(self, role: str, operation: str, parameter: str, kind: str, **more: object) -> Example:
        def accesses(name: str) -> list[Access]:
            return self.accesses(self.call("elbv2", operation, **{parameter: self.elb(kind, name)}, **more))

        # Only the call itself is denied: whatever it is given, its tags may be given with it.
        names = {"another stack's": "network-benchmark-other", "without tags": "network-benchmark-untagged"}
        neighbours = {what: accesses(name)[:1] for what, name in (names | {"another name": "payments"}).items()}
        return Example(role, operation, accesses("network-benchmark-own"), neighbours)

    def created(self, role: str, operation: str, **given: object) -> Example:
        kind = {"CreatePlacementGroup": "placement-group", "CreateSecurityGroup": "security-group"}[operation]

        def call(tags: dict[str, str]) -> Call:
            specified = [{"ResourceType": kind, "Tags": listed(tags)}]
            return self.call("ec2", operation, TagSpecifications=specified, **given)

        # Only the creation itself is denied: whatever it is given, its tags may be given with it.
        def creation(tags: dict[str, str]) -> list[Access]:
            return [access for access in self.accesses(call(tags)) if access.action != "ec2:CreateTags"][:1]

        neighbours = {"another stack's tag": creation(OTHER_STACKS), "no tag": creation(UNTAGGED)}
        return Example(role, operation, self.accesses(call(OWN)), neighbours)

    def creates_security_groups(self, role: str, *more_vpcs: str) -> Iterator[Example]:
        for vpc in (self.stack.reference("AWS::EC2::VPC", "TestNetworkVpc"), *more_vpcs):
            example = self.created(role, "CreateSecurityGroup", GroupName="network-benchmark-new", VpcId=vpc)
            other = self.account.ec2("vpc", "vpc-0other")
            example.neighbours["another network"] = [Access("ec2:CreateSecurityGroup", other)]
            yield example
        yield self.tagging_later(role, "ec2:CreateTags", ["security-group"], "CreateSecurityGroup")
        yield from self.looks(role, "ec2:DescribeSecurityGroups")

    def tagging_later(self, role: str, action: str, kinds: list[str], creating: str = "RunInstances") -> Example:
        arns = [self.account.ec2(kind, "untagged") for kind in kinds]
        own = [Access(action, arn, {"ec2:CreateAction": creating}) for arn in arns]
        neighbours = {f"{arn} later": [Access(action, arn)] for arn in arns}
        neighbours |= {f"{arn}, new": [Access(action, arn, {"ec2:CreateAction": "CreateVolume"})] for arn in arns}
        return Example(role, action, own, neighbours)

    def on_execution(self, role: str, operation: str, machine: str, other: str | None) -> Example:
        def call(arn: str) -> Call:
            execution = f"{arn.replace(':stateMachine:', ':execution:')}:run"
            return self.call("stepfunctions", operation, executionArn=execution)

        neighbours = {"another stack's": call(self.machine(machine).replace(STACK_NAME, "AnotherStack"))}
        if other is not None:
            neighbours["the other machine's"] = call(self.machine(other))
        return self.example(role, call(self.machine(machine)), neighbours)

    def on_machine(self, role: str, operation: str, machine: str, other: str) -> Example:
        own, another = (
            self.call("stepfunctions", operation, stateMachineArn=self.machine(name)) for name in (machine, other)
        )
        return self.example(role, own, {"the other machine's": another})

    def reads_pair(self, role: str) -> Iterator[Example]:
        yield self.gets(role, f"{RUN}/plan.json", ["raw/x", f"{RUN}/summary.json"])
        yield self.gets(role, f"{RUN}/pairs/p0001.json", [f"{SAMPLES}/x"])

    def gets(self, role: str, key: str, others: list[str]) -> Example:
        return self.on_objects(role, "GetObject", key, others)

    def puts(self, role: str, key: str, others: list[str]) -> Example:
        return self.on_objects(role, "PutObject", key, others)

    def on_objects(self, role: str, operation: str, key: str, others: list[str]) -> Example:
        neighbours = {other: self.call("s3", operation, Bucket=self.bucket, Key=other) for other in others}
        neighbours["another bucket"] = self.call("s3", operation, Bucket="another", Key=key)
        return self.example(role, self.call("s3", operation, Bucket=self.bucket, Key=key), neighbours)

    def lists(self, role: str, prefix: str, others: list[str]) -> Example:
        neighbours = {
            f"prefix {one!r}": self.call("s3", "ListObjectsV2", Bucket=self.bucket, Prefix=one) for one in others
        }
        neighbours["another bucket"] = self.call("s3", "ListObjectsV2", Bucket="another", Prefix=prefix)
        own = self.call("s3", "ListObjectsV2", Bucket=self.bucket, Prefix=prefix)
        return self.example(role, own, neighbours)

    def query(self, role: str, table: str, other: str) -> Example:
        group = self.stack.reference("AWS::Athena::WorkGroup", "")

        def call(of: str, workgroup: str) -> Call:
            return self.call("athena", "StartQueryExecution", QueryString=f"SELECT 1 FROM {of}", WorkGroup=workgroup)

        example = self.example(role, call(table, group), {"another workgroup": call(table, "primary")}, each=True)
        rows = self.object(self.bucket, f"{other}/day=2026-11-22/row.ndjson")
        tables = [self.account.arn("glue", f"table/another/{table}"), self.account.arn("glue", "database/another")]
        foreign = [Access(f"glue:{name}", arn) for name in ("GetTable", "GetPartitions") for arn in tables]
        foreign += [Access("glue:GetDatabase", tables[1]), Access("s3:GetObject", rows)]
        foreign += [Access("s3:AbortMultipartUpload", rows)]
        foreign += [Access("glue:GetTable", self.account.arn("glue", "database/default"))]
        foreign += [Access("s3:GetBucketLocation", f"arn:{self.stack.partition}:s3:::another")]
        example.neighbours.update({f"{one.action} on {one.resource}": [one] for one in foreign})
        return example

    def launch(
        self,
        subnet: str | None = None,
        groups: list[str] | None = None,
        template: str | None = None,
        placement_group: str | None = None,
        tags: dict[str, dict[str, str]] | None = None,
    ) -> Call:
        own_subnet = self.stack.reference("AWS::EC2::Subnet", "TestNetworkVpcHostsSubnet1")
        kinds = ("instance", "volume", "network-interface")
        return self.call(
            "ec2",
            "RunInstances",
            ImageId="ami-0ubuntu",
            NetworkInterfaces=[{"SubnetId": subnet or own_subnet, "Groups": groups or [self.sg("TestNetworkHost")]}],
            LaunchTemplate={
                "LaunchTemplateId": template or self.stack.reference("AWS::EC2::LaunchTemplate", "TestHosts")
            },
            Placement={} if placement_group is None else {"GroupName": placement_group},
            TagSpecifications=[{"ResourceType": kind, "Tags": listed((tags or {}).get(kind, OWN))} for kind in kinds],
        )

    def elb_created(self, operation: str, name: str, tags: dict[str, str]) -> list[Access]:
        return self.accesses(self.call("elbv2", operation, Name=name, Tags=listed(tags)))

    def accesses(self, call: Call) -> list[Access]:
        return accesses_of(call, self.account)

    def call(self, service: str, operation: str, **parameters: object) -> Call:
        return Call(Caller("example", ""), service, operation, parameters, {})

    def elb(self, kind: str, name: str) -> str:
        listener = "/0123456789abcdef" if kind.startswith("listener") else ""
        return self.account.arn("elasticloadbalancing", f"{kind}/{name}/0123456789abcdef{listener}")

    def object(self, bucket: str, key: str) -> str:
        return f"arn:{self.stack.partition}:s3:::{bucket}/{key}"

    def sg(self, prefix: str) -> str:
        logical_id = self.stack.logical_id("AWS::EC2::SecurityGroup", prefix)
        return self.stack.resolved({"Fn::GetAtt": [logical_id, "GroupId"]})

    def machine(self, name: str) -> str:
        return self.stack.arn("AWS::StepFunctions::StateMachine", f"{name}StateMachine")

    def machine_role(self, name: str) -> str:
        return self.stack.role_of("AWS::StepFunctions::StateMachine", f"{name}StateMachine")

    def function_role(self, name: str) -> str:
        return self.stack.role_of("AWS::Lambda::Function", f"Functions{name}")


def listed(tags: dict[str, str]) -> list[dict[str, str]]:
    return [{"Key": name, "Value": value} for name, value in tags.items()]


def with_facts(access: Access, context: dict[str, str | list[str]]) -> Access:
    return Access(access.action, access.resource, {**access.context, **context}, access.resource_policy)
