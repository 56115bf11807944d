"""What AWS checks when a call is made: one or more actions, each on a resource, with the facts that conditions see.

From the Service Authorization Reference; test_accesses.py compares the types of resources with its machine-readable
form. Calls that AWS makes with the permissions of the caller belong to the call.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .calls import Call, Object
from .simulator import Access, Context

# botocore's name of a service to IAM's, where they differ.
IAM_PREFIXES = {"stepfunctions": "states", "service-quotas": "servicequotas", "elbv2": "elasticloadbalancing"}
# Elastic Load Balancing looks at the network with the permissions of its caller.
NETWORK_LOOKS = [
    *("DescribeAccountAttributes", "DescribeAddresses", "DescribeInternetGateways", "DescribeSubnets"),
    *("DescribeVpcs", "GetSecurityGroupsForVpc"),
]
Tags = Mapping[str, str]


@dataclass
class Account:
    """Where the calls are made, and what earlier calls created there."""

    partition: str
    region: str
    account_id: str
    host_role_arn: str
    """The role that the launch template gives to a host."""
    database: str = ""
    bucket: str = ""
    tags: dict[str, Tags] = field(default_factory=dict)
    """Tags of resources, by ARN."""
    vpcs: dict[str, str] = field(default_factory=dict)
    """The network of each subnet, by the subnet's id."""

    @property
    def dns_suffix(self) -> str:
        return "amazonaws.com.cn" if self.partition == "aws-cn" else "amazonaws.com"

    def arn(self, service: str, resource: str) -> str:
        return f"arn:{self.partition}:{service}:{self.region}:{self.account_id}:{resource}"

    def ec2(self, kind: str, name: str) -> str:
        return self.arn("ec2", f"{kind}/{name}")

    def on_tagged(self, action: str, arn: str, key: str = "aws:ResourceTag", more: Context | None = None) -> Access:
        tags = {f"{key}/{name}": value for name, value in self.tags.get(arn, {}).items()}
        return Access(action, arn, {**tags, **(more or {})})

    def learn(self, call: Call) -> None:
        """Remembers the tags of what the call created or found."""
        result, given = call.result, call.parameters
        if call.operation == "CreatePlacementGroup":
            self.tags[self.ec2("placement-group", given["GroupName"])] = _specified(given, "placement-group")
        if not result:
            return
        match call.operation:
            case "RunInstances":
                for instance in result["Instances"]:
                    self.tags[self.ec2("instance", instance["InstanceId"])] = _specified(given, "instance")
            case "CreateSecurityGroup":
                self.tags[self.ec2("security-group", result["GroupId"])] = _specified(given, "security-group")
            case "DescribeSecurityGroups":
                for group in result["SecurityGroups"]:
                    self.tags.setdefault(self.ec2("security-group", group["GroupId"]), _tags(group.get("Tags", [])))
            case "CreateLoadBalancer":
                self.tags[result["LoadBalancers"][0]["LoadBalancerArn"]] = _tags(given["Tags"])
            case "CreateTargetGroup":
                self.tags[result["TargetGroups"][0]["TargetGroupArn"]] = _tags(given["Tags"])
            case "CreateListener":
                self.tags[result["Listeners"][0]["ListenerArn"]] = _tags(given["Tags"])


def accesses_of(call: Call, account: Account) -> list[Access]:
    """Returns everything that must be allowed for the call to succeed."""
    action = f"{IAM_PREFIXES.get(call.service, call.service)}:{call.operation}"
    build = BUILDERS.get(action)
    if build is not None:
        return build(account, action, call.parameters)
    if call.service in ("ec2", "elbv2", "ssm") and call.operation.startswith(("Describe", "List", "Cancel")):
        return [Access(action, "*")]
    raise LookupError(f"{action}: must be one of {sorted(BUILDERS)}, or look at everything")


def _run_instances(account: Account, action: str, given: Object) -> list[Access]:
    (interface,) = given["NetworkInterfaces"]
    subnet = interface["SubnetId"]
    group = given.get("Placement", {}).get("GroupName")
    image = f"arn:{account.partition}:ec2:{account.region}::image/{given['ImageId']}"
    created = [
        *((kind, account.ec2(kind, name)) for kind, name in (("instance", "i-new"), ("volume", "vol-new"))),
        ("network-interface", account.ec2("network-interface", "eni-new")),
    ]
    return [
        *(Access(action, arn, _requested(_specified(given, kind))) for kind, arn in created),
        *(_tagging(action, arn, _specified(given, kind)) for kind, arn in created),
        Access(action, image),
        Access(action, account.ec2("subnet", subnet), {"ec2:Vpc": account.ec2("vpc", account.vpcs[subnet])}),
        *(account.on_tagged(action, account.ec2("security-group", name)) for name in interface["Groups"]),
        Access(action, account.ec2("launch-template", given["LaunchTemplate"]["LaunchTemplateId"])),
        *([] if group is None else [account.on_tagged(action, account.ec2("placement-group", group))]),
        Access("iam:PassRole", account.host_role_arn, {"iam:PassedToService": f"ec2.{account.dns_suffix}"}),
    ]


def _create_in_ec2(kind: str) -> Callable[[Account, str, Object], list[Access]]:
    def build(account: Account, action: str, given: Object) -> list[Access]:
        name = given["GroupName"] if kind == "placement-group" else "sg-new"
        arn, tags = account.ec2(kind, name), _specified(given, kind)
        network = [Access(action, account.ec2("vpc", given["VpcId"]))] if "VpcId" in given else []
        return [Access(action, arn, _requested(tags)), *network, _tagging(action, arn, tags)]

    return build


def _create_in_elb(kind: str) -> Callable[[Account, str, Object], list[Access]]:
    def build(account: Account, action: str, given: Object) -> list[Access]:
        arn, tags = (
            account.arn("elasticloadbalancing", f"{kind}/{given['Name']}/0123456789abcdef"),
            _tags(given["Tags"]),
        )
        return [
            Access(action, arn, _requested(tags)),
            _tagging(action, arn, tags),
            *(_first_load_balancer(account) if kind.startswith("loadbalancer") else []),
        ]

    return build


def _first_load_balancer(account: Account) -> list[Access]:
    """The looks at the network, and the service-linked role that the first load balancer of an account creates."""
    service = "elasticloadbalancing.amazonaws.com"
    role = f"aws-service-role/{service}/AWSServiceRoleForElasticLoadBalancing"
    arn = f"arn:{account.partition}:iam::{account.account_id}:role/{role}"
    looks = [Access(f"ec2:{name}", "*") for name in NETWORK_LOOKS]
    return [*looks, Access("iam:CreateServiceLinkedRole", arn, {"iam:AWSServiceName": service})]


def _create_listener(account: Account, action: str, given: Object) -> list[Access]:
    listener = f"{given['LoadBalancerArn'].replace(':loadbalancer/', ':listener/')}/0123456789abcdef"
    tags = _tags(given["Tags"])
    balancer = account.on_tagged(action, given["LoadBalancerArn"], more=_requested(tags))
    return [balancer, _tagging(action, listener, tags)]


def _on_tagged_in_ec2(kind: str, parameter: str) -> Callable[[Account, str, Object], list[Access]]:
    def build(account: Account, action: str, given: Object) -> list[Access]:
        names = given[parameter] if isinstance(given[parameter], list) else [given[parameter]]
        return [account.on_tagged(action, account.ec2(kind, name)) for name in names]

    return build


def _on_arn(parameter: str) -> Callable[[Account, str, Object], list[Access]]:
    return lambda account, action, given: [account.on_tagged(action, given[parameter])]


def _start_execution(account: Account, action: str, given: Object) -> list[Access]:
    """Starts an execution and waits for it, which takes a rule of Step Functions' own."""
    # An execution of a version has the name of its state machine, without the version.
    machine = ":".join(given["StateMachineArn"].split(":")[:7])
    execution = f"{machine.replace(':stateMachine:', ':execution:')}:{given['Name']}"
    rule = account.arn("events", "rule/StepFunctionsGetEventsForStepFunctionsExecutionRule")
    return [
        Access(action, given["StateMachineArn"]),
        *(Access(f"states:{name}", execution) for name in ("DescribeExecution", "StopExecution")),
        *(Access(f"events:{name}", rule) for name in ("PutTargets", "PutRule", "DescribeRule")),
    ]


def _send_command(account: Account, action: str, given: Object) -> list[Access]:
    instances = [account.ec2("instance", name) for name in given["InstanceIds"]]
    return [
        Access(action, account.arn("ssm", f"document/{given['DocumentName']}")),
        *(account.on_tagged(action, arn, key="ssm:resourceTag") for arn in instances),
    ]


def _invoke(account: Account, _: str, given: Object) -> list[Access]:
    name = given["FunctionName"]
    arn = name if name.startswith("arn:") else account.arn("lambda", f"function:{name}")
    return [Access("lambda:InvokeFunction", arn)]


def _get_parameter(account: Account, action: str, given: Object) -> list[Access]:
    # Only AWS can make parameters whose names begin so; they belong to no account.
    owner = "" if given["Name"].startswith("/aws/") else account.account_id
    return [Access(action, f"arn:{account.partition}:ssm:{account.region}:{owner}:parameter{given['Name']}")]


def _get_service_quota(account: Account, action: str, given: Object) -> list[Access]:
    return [Access(action, account.arn("servicequotas", f"{given['ServiceCode']}/{given['QuotaCode']}"))]


def _object_access(account: Account, action: str, given: Object) -> list[Access]:
    return [Access(action, f"arn:{account.partition}:s3:::{given['Bucket']}/{given['Key']}")]


def _deletions(account: Account, _: str, given: Object) -> list[Access]:
    return [Access("s3:DeleteObject", f"arn:{account.partition}:s3:::{given['Bucket']}/{key}") for key in given["Keys"]]


def _list_objects(account: Account, _: str, given: Object) -> list[Access]:
    return [Access("s3:ListBucket", f"arn:{account.partition}:s3:::{given['Bucket']}", {"s3:prefix": given["Prefix"]})]


def _start_query(account: Account, action: str, given: Object) -> list[Access]:
    """Athena reads the catalogue and the rows, and writes its answer, with the permissions of its caller."""
    group = account.arn("athena", f"workgroup/{given['WorkGroup']}")
    catalogue = [account.arn("glue", "catalog"), account.arn("glue", f"database/{account.database}")]
    bucket = f"arn:{account.partition}:s3:::{account.bucket}"
    tables = sorted(set(re.findall(r"\bFROM (measurements|runs|samples|live_samples)\b", given["QueryString"])))
    accesses = [
        Access("s3:GetBucketLocation", bucket),
        Access("s3:ListBucket", bucket, {"s3:prefix": "athena-results/query"}),
        *(Access(f"s3:{verb}Object", f"{bucket}/athena-results/query.csv") for verb in ("Get", "Put")),
        Access("s3:AbortMultipartUpload", f"{bucket}/athena-results/query.csv"),
    ]
    for table in tables:
        read = {table: f"{table}/day=2026-11-22/"}
        if table in ("measurements", "runs"):
            # A view, which is in the catalogue, too.
            read = {
                f"open_{table}": f"{table}/day=2026-11-22/",
                f"closed_{table}": f"closed/{table}/month=2026-11/",
                "closed_months": "closed_months/",
            }
        for name in {table, *read}:
            arn = account.arn("glue", f"table/{account.database}/{name}")
            accesses += [
                Access(f"glue:{call}", part) for call in ("GetTable", "GetPartitions") for part in (*catalogue, arn)
            ]
        for folder in read.values():
            accesses += [Access("s3:ListBucket", bucket, {"s3:prefix": folder})]
            accesses += [Access("s3:GetObject", f"{bucket}/{folder}row.ndjson")]
    default = account.arn("glue", "database/default")
    database = [Access("glue:GetDatabase", part) for part in (*catalogue, default)]
    # Athena gives no name of the group in the calls for a query that runs; they are checked on the same group.
    following = [f"athena:{name}" for name in ("GetQueryExecution", "GetQueryResults", "StopQueryExecution")]
    return [*(Access(name, group) for name in (action, *following)), *database, *accesses]


def _requested(tags: Tags) -> Context:
    return {**{f"aws:RequestTag/{name}": value for name, value in tags.items()}, "aws:TagKeys": sorted(tags)}


def _tagging(action: str, arn: str, tags: Tags) -> Access:
    """Tags in the call that creates something need a permission of their own."""
    service, name = action.split(":")
    tagging = "ec2:CreateTags" if service == "ec2" else f"{service}:AddTags"
    return Access(tagging, arn, {**_requested(tags), f"{service}:CreateAction": name})


def _specified(given: Object, kind: str) -> Tags:
    """The tags that the call gives to what it creates of this kind."""
    found = [one["Tags"] for one in given.get("TagSpecifications", []) if one["ResourceType"] == kind]
    return _tags([tag for tags in found for tag in tags])


def _tags(tags: list[dict[str, str]]) -> Tags:
    return {tag["Key"]: tag["Value"] for tag in tags}


BUILDERS: dict[str, Callable[[Account, str, Object], list[Access]]] = {
    "ec2:RunInstances": _run_instances,
    "ec2:CreatePlacementGroup": _create_in_ec2("placement-group"),
    "ec2:CreateSecurityGroup": _create_in_ec2("security-group"),
    "ec2:AuthorizeSecurityGroupIngress": _on_tagged_in_ec2("security-group", "GroupId"),
    "ec2:RevokeSecurityGroupIngress": _on_tagged_in_ec2("security-group", "GroupId"),
    "ec2:DeleteSecurityGroup": _on_tagged_in_ec2("security-group", "GroupId"),
    "ec2:DeletePlacementGroup": _on_tagged_in_ec2("placement-group", "GroupName"),
    "ec2:TerminateInstances": _on_tagged_in_ec2("instance", "InstanceIds"),
    "elasticloadbalancing:CreateLoadBalancer": _create_in_elb("loadbalancer/net"),
    "elasticloadbalancing:CreateTargetGroup": _create_in_elb("targetgroup"),
    "elasticloadbalancing:CreateListener": _create_listener,
    "elasticloadbalancing:ModifyListenerAttributes": _on_arn("ListenerArn"),
    "elasticloadbalancing:RegisterTargets": _on_arn("TargetGroupArn"),
    "elasticloadbalancing:DeleteLoadBalancer": _on_arn("LoadBalancerArn"),
    "elasticloadbalancing:DeleteTargetGroup": _on_arn("TargetGroupArn"),
    "states:StartExecution": _start_execution,
    "states:ListExecutions": lambda account, action, given: [Access(action, given["stateMachineArn"])],
    "states:DescribeExecution": lambda account, action, given: [Access(action, given["executionArn"])],
    "states:GetExecutionHistory": lambda account, action, given: [Access(action, given["executionArn"])],
    "states:StopExecution": lambda account, action, given: [Access(action, given["executionArn"])],
    "lambda:Invoke": _invoke,
    "ssm:SendCommand": _send_command,
    "ssm:GetParameter": _get_parameter,
    "sns:Publish": _on_arn("TopicArn"),
    "servicequotas:GetServiceQuota": _get_service_quota,
    # These calls have no resources (service authorization reference).
    "cloudtrail:LookupEvents": lambda account, action, given: [Access(action, "*")],
    "freetier:GetAccountPlanState": lambda account, action, given: [Access(action, "*")],
    "s3:GetObject": _object_access,
    "s3:PutObject": _object_access,
    "s3:DeleteObject": _object_access,
    "s3:DeleteObjects": _deletions,
    "s3:ListObjectsV2": _list_objects,
    "athena:StartQueryExecution": _start_query,
    # Needs no permission (API reference).
    "sts:GetCallerIdentity": lambda *_: [],
    # Part of what a query that was started needs, since these calls name no group.
    "athena:GetQueryExecution": lambda *_: [],
    "athena:GetQueryResults": lambda *_: [],
    "athena:StopQueryExecution": lambda *_: [],
}
