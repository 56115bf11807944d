"""What each part of the stack does, by an example, beside neighbours that it must not do.

A neighbour differs from the example in one thing: somebody else's host, a tag that is missing, another prefix. The
examples are the smallest set that uses every statement of every policy; the lab's recorded calls are compared with the
policies in test/end_to_end/test_permissions.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .builders import (
    HOST,
    HOST_VPCS,
    OTHER_STACKS,
    OWN,
    RUN,
    SAMPLES,
    UNTAGGED,
    Example,
    ExampleBuilder,
    listed,
    with_facts,
)
from .calls import Call
from .deployed import ACCOUNT_ID, STACK_NAME
from .simulator import Access

# A definition calls the version that was deployed with it; that of a stack of 0.3.0 calls what is deployed last.
EACH_VERSION = ("", ":3")


class Examples(ExampleBuilder):
    """All examples, in one partition."""

    def all(self) -> list[Example]:
        groups: list[Callable[[], Iterator[Example]]] = [
            *(self._run_machine, self._pair_machine, self._plan_run, self._launch_pair, self._connect_pair),
            *(self._ingest_chunk, self._analyse_measurement, self._summarise_run, self._publish_run, self._removal),
            *(self._reap_run, self._sweep_orphans, self._empty_buckets, self._host, self._logs, self._canary),
            *(self._later_looks, self._documents, self._close_months),
            self._services,
        ]
        return [example for group in groups for example in group()]

    # The state machines

    def _run_machine(self) -> Iterator[Example]:
        role = self.machine_role("NetworkBenchmark")
        pair, other = self.machine("PairBenchmark"), self.machine("PairBenchmark").replace(STACK_NAME, "AnotherStack")
        for version in EACH_VERSION:
            own, others, run = (
                self.call("stepfunctions", "StartExecution", StateMachineArn=machine + version, Name="run-p0001")
                for machine in (pair, other, self.machine("NetworkBenchmark"))
            )
            yield self.example(role, own, {"another stack's pairs": others, "a run of its own": run}, each=True)
        for name in ("PutTargets", "PutRule", "DescribeRule"):
            own, other = (
                Access(f"events:{name}", self.account.arn("events", f"rule/{rule}"))
                for rule in ("StepFunctionsGetEventsForStepFunctionsExecutionRule", "payments")
            )
            yield Example(role, f"events:{name}", [own], {"another rule": [other]})
        yield from self.invocations(role, ["PlanRun", "SummariseRun"], "SweepOrphans", EACH_VERSION)
        yield from self._log_delivery(role)

    def _pair_machine(self) -> Iterator[Example]:
        role = self.machine_role("PairBenchmark")
        yield from self.invocations(
            role, ["LaunchPair", "ConnectPair", "AnalyseMeasurement", "DisconnectPair"], "ReapRun", EACH_VERSION
        )
        yield from self._log_delivery(role)
        yield from self.looks(
            role,
            *("ssm:ListCommandInvocations", "ssm:CancelCommand", "ssm:DescribeInstanceInformation"),
            *("ec2:DescribeInstances", "ec2:DescribePlacementGroups"),
        )
        yield self.terminate(role)
        yield self.delete_placement_group(role)
        documents = [name for name, one in self.stack.resources.items() if one["Type"] == "AWS::SSM::Document"]
        for document in documents:
            name = self.stack.resolved(self.stack.resources[document]["Properties"]["Name"])
            yield self.example(
                role,
                self._send(name, "i-0own"),
                {
                    "another stack's host": self._send(name, "i-0other"),
                    "a host without tags": self._send(name, "i-0untagged"),
                    "AWS's own shell": self._send("AWS-RunShellScript", "i-0own"),
                },
            )

    def _send(self, document: str, host: str) -> Call:
        return self.call("ssm", "SendCommand", DocumentName=document, InstanceIds=[host])

    def _log_delivery(self, role: str) -> Iterator[Example]:
        names = ["CreateLogDelivery", "GetLogDelivery", "UpdateLogDelivery", "DeleteLogDelivery", "ListLogDeliveries"]
        names += ["PutResourcePolicy", "DescribeResourcePolicies", "DescribeLogGroups"]
        yield from self.looks(role, *(f"logs:{name}" for name in names))

    # The handlers

    def _plan_run(self) -> Iterator[Example]:
        role = self.function_role("PlanRun")
        yield self.puts(role, f"{RUN}/plan.json", [f"{RUN}/summary.json", "runs/day=2026-11-22/run.ndjson"])
        yield self.puts(role, f"{RUN}/forecast.json", [f"{RUN}/report.html"])
        yield self.puts(role, f"{RUN}/execution.json", [f"{RUN}/published.json"])
        for name in ("execution", "plan", "summary"):
            yield self.gets(role, f"{RUN}/{name}.json", [f"{RUN}/cost.json", "raw/x"])
        for prefix in (f"{RUN}/plan.json", "parts/run/", "measurement_samples/run_id=run/"):
            yield self.lists(role, prefix, ["raw/", ""])
        yield self.query(role, "measurements", "samples")
        yield self.query(role, "runs", "live_samples")
        yield self.example(
            role,
            self.call("service-quotas", "GetServiceQuota", ServiceCode="ec2", QuotaCode="L-1216C47A"),
            {"s3": self.call("service-quotas", "GetServiceQuota", ServiceCode="s3", QuotaCode="L-DC2B2D3D")},
        )
        ubuntu = "/aws/service/canonical/ubuntu/server/24.04/stable/current/amd64/hvm/ebs-gp3/ami-id"
        for image in (ubuntu, "/network-benchmark/images/x86_64"):
            yield self.example(
                role,
                self.call("ssm", "GetParameter", Name=image),
                {
                    "another parameter": self.call("ssm", "GetParameter", Name="/password"),
                    "a neighbouring prefix": self.call("ssm", "GetParameter", Name="/network-benchmark/passwords/one"),
                    "another public one": self.call("ssm", "GetParameter", Name="/aws/another/one"),
                },
            )
        yield from self.looks(
            role,
            *("ec2:DescribeInstanceTypes", "ec2:DescribeInstanceTypeOfferings", "ec2:DescribeSubnets"),
            *("ec2:DescribeImages", "ec2:DescribeInstances", "ec2:DescribeRouteTables", "freetier:GetAccountPlanState"),
        )

    def _launch_pair(self) -> Iterator[Example]:
        role = self.function_role("LaunchPair")
        yield from self.reads_pair(role)
        yield self.puts(role, f"{RUN}/pairs/p0001.json", [f"{RUN}/plan.json", f"{RUN}/summary.json"])
        kinds = ("instance", "volume", "network-interface")
        neighbours = {f"a {kind} with another stack's tag": self.launch(tags={kind: OTHER_STACKS}) for kind in kinds}
        neighbours |= {f"a {kind} without tags": self.launch(tags={kind: UNTAGGED}) for kind in kinds}
        yield self.example(
            role,
            self.launch(groups=[self.sg("TestNetworkHost"), "own"], placement_group="own"),
            neighbours
            | {
                "a subnet of another network": self.launch(subnet="subnet-0other"),
                "another stack's security group": self.launch(groups=["other"]),
                "a security group without tags": self.launch(groups=["untagged"]),
                "another launch template": self.launch(template="lt-0other"),
                "another stack's placement group": self.launch(placement_group="other"),
                "a placement group without tags": self.launch(placement_group="untagged"),
            },
        )
        for name, one in self.stack.resources.items():
            if one["Type"] == "AWS::EC2::Subnet":
                yield self.example(role, self.launch(subnet=self.stack.resolved({"Ref": name})))
        for subnet in self.named_subnets:
            yield self.example(role, self.launch(subnet=subnet, groups=["own"]))
        yield self.example(role, self.launch(groups=[self.sg("TestNetworkPeered")]))
        service = f"ec2.{self.account.dns_suffix}"
        host, pass_role = self.account.host_role_arn, "iam:PassRole"
        admin = f"arn:{self.stack.partition}:iam::{ACCOUNT_ID}:role/Admin"
        yield Example(
            role,
            pass_role,
            [Access(pass_role, host, {"iam:PassedToService": service})],
            {
                "another role": [Access(pass_role, admin, {"iam:PassedToService": service})],
                "to another service": [Access(pass_role, host, {"iam:PassedToService": "lambda.amazonaws.com"})],
            },
        )
        yield self.created(role, "CreatePlacementGroup", GroupName="network-benchmark-new", Strategy="cluster")
        yield self.tagging_later(role, "ec2:CreateTags", ["instance", "volume", "network-interface"])
        yield self.tagging_later(role, "ec2:CreateTags", ["placement-group"], "CreatePlacementGroup")
        yield from self.creates_security_groups(role, *HOST_VPCS)
        yield self.on_owned(role, "ec2", "AuthorizeSecurityGroupIngress", lambda owner: {"GroupId": owner})
        yield self.terminate(role)

    def _connect_pair(self) -> Iterator[Example]:
        role = self.function_role("ConnectPair")
        yield from self.reads_pair(role)
        yield self.puts(role, f"{RUN}/pairs/p0001-path.json", [f"{RUN}/plan.json", f"{RUN}/pairs/p0001.json"])
        yield from self.creates_security_groups(role)
        yield self.on_owned(role, "ec2", "AuthorizeSecurityGroupIngress", lambda owner: {"GroupId": owner})
        yield from self.looks(
            role,
            *("ec2:DescribeInstances", "ec2:DescribeNetworkInterfaces", "ec2:DescribeAccountAttributes"),
            *("ec2:DescribeAddresses", "ec2:DescribeInternetGateways", "ec2:DescribeSubnets", "ec2:DescribeVpcs"),
            *("elasticloadbalancing:DescribeListeners", "elasticloadbalancing:DescribeLoadBalancers"),
            *("elasticloadbalancing:DescribeTargetGroups", "elasticloadbalancing:DescribeTargetHealth"),
            "elasticloadbalancing:DescribeTags",
        )
        for operation in ("CreateLoadBalancer", "CreateTargetGroup"):
            neighbours = {"another stack's tag": OTHER_STACKS, "no tag": UNTAGGED}
            creations = {
                what: self.elb_created(operation, "network-benchmark-new", tags)[:1]
                for what, tags in neighbours.items()
            }
            creations["another name"] = self.elb_created(operation, "payments", OWN)[:1]
            yield Example(role, operation, self.elb_created(operation, "network-benchmark-new", OWN), creations)
        yield self.on_balancing(role, "CreateListener", "LoadBalancerArn", "loadbalancer/net", Tags=listed(OWN))
        yield self.on_balancing(role, "ModifyListenerAttributes", "ListenerArn", "listener/net")
        yield self.on_balancing(role, "RegisterTargets", "TargetGroupArn", "targetgroup")
        for kind, operation in (
            ("loadbalancer/net", "CreateLoadBalancer"),
            ("targetgroup", "CreateTargetGroup"),
            ("listener/net", "CreateListener"),
        ):
            adding, context = "elasticloadbalancing:AddTags", {"elasticloadbalancing:CreateAction": operation}
            named, foreign = self.elb(kind, "network-benchmark-own"), self.elb(kind, "payments")
            yield Example(
                role,
                f"{adding} on {kind}",
                [Access(adding, named, context)],
                {"later": [Access(adding, named)], "another name": [Access(adding, foreign, context)]},
            )
        linked = f"arn:{self.stack.partition}:iam::{ACCOUNT_ID}:role/aws-service-role"
        creating, balancing = "iam:CreateServiceLinkedRole", "elasticloadbalancing.amazonaws.com"
        own = f"{linked}/{balancing}/AWSServiceRoleForElasticLoadBalancing"
        spot = f"{linked}/spot.amazonaws.com/AWSServiceRoleForEC2Spot"
        yield Example(
            role,
            creating,
            [Access(creating, own, {"iam:AWSServiceName": balancing})],
            {
                "another service's role": [Access(creating, spot, {"iam:AWSServiceName": balancing})],
                "for another service": [Access(creating, own, {"iam:AWSServiceName": "spot.amazonaws.com"})],
            },
        )

    def _ingest_chunk(self) -> Iterator[Example]:
        role = self.function_role("IngestChunk")
        yield self.gets(role, "raw/AROAHOST:i-0own/run/p0001-m01/client/000000.ndjson.gz", [f"{RUN}/plan.json"])
        yield self.gets(role, f"{RUN}/pairs/p0001.json", [f"{SAMPLES}/run.0000.ndjson.gz"])
        yield self.puts(role, "live_samples/day=2026-11-22/x.ndjson.gz", [f"{SAMPLES}/x.ndjson.gz", "parts/x", "raw/x"])

    def _analyse_measurement(self) -> Iterator[Example]:
        role = self.function_role("AnalyseMeasurement")
        yield self.gets(
            role, "raw/AROAHOST:i-0own/run/p0001-m01/client/000000.ndjson.gz", ["runs/day=2026-11-22/run.ndjson"]
        )
        yield self.gets(role, f"{RUN}/plan.json", ["athena-results/x.csv"])
        yield self.lists(role, "raw/AROAHOST:i-0own/run/p0001-m01/client/", ["live_samples/", ""])
        yield self.lists(role, f"{RUN}/summary.json", ["live_samples/", ""])
        yield self.puts(role, f"{RUN}/measurements/p0001-m01.json", [f"{RUN}/plan.json", f"{RUN}/summary.json"])
        yield self.puts(role, f"{RUN}/series/p0001-m01.csv.gz", [f"{RUN}/cost.json", f"{RUN}/report.html"])
        unfinished = "unfinished/run/p0001-m01.1764072000000.call"
        yield self.puts(role, unfinished, ["history/runs.json.gz"])
        own, result = (self.object(self.bucket, key) for key in (unfinished, f"{RUN}/measurements/p0001-m01.json"))
        delete = "s3:DeleteObject"
        yield Example(role, delete, [Access(delete, own)], {"a result": [Access(delete, result)]})
        yield from self._folding(role)

    def _folding(self, role: str) -> Iterator[Example]:
        """Writes the row and the samples of a measurement, and makes objects of the tables of them."""
        part, live = "parts/run/p0001-m01.ndjson.gz", "live_measurements/day=2026-11-22/run.p0001-m01.ndjson"
        samples = "measurement_samples/run_id=run/measurement_id=p0001-m01/samples.ndjson.gz"
        for key, folder in ((part, "parts/run/"), (samples, "measurement_samples/run_id=run/")):
            yield self.puts(role, key, ["raw/x"])
            yield self.gets(role, key, ["live_samples/day=2026-11-22/x"])
            yield self.lists(role, folder, ["live_samples/", ""])
        yield self.gets(role, f"{SAMPLES}/run.0000.ndjson.gz", ["live_samples/day=x/y"])
        yield self.gets(role, "measurements/day=2026-11-22/run.ndjson.gz", ["live_samples/day=x/y"])
        for table in ("measurements", "pairs", "runs"):
            yield self.lists(role, f"{table}/day=2026-11-22/run.ndjson", ["live_samples/", ""])
        yield self.puts(role, f"{SAMPLES}/run.0000.ndjson.gz", ["live_samples/day=x/y"])
        yield self.lists(role, f"{SAMPLES}/run.0000.ndjson.gz", ["live_samples/", ""])
        yield self.puts(role, "measurements/day=2026-11-22/run.ndjson.gz", ["raw/x"])
        yield self.puts(role, live, ["live_samples/day=2026-11-22/x"])
        folded = [f"{SAMPLES}/run.0000.ndjson.gz", "measurements/day=2026-11-22/run.ndjson.gz"]
        kept = [part, samples, *folded, f"{RUN}/plan.json"]
        delete = "s3:DeleteObject"
        neighbours = {key: [Access(delete, self.object(self.bucket, key))] for key in kept}
        yield Example(role, delete, [Access(delete, self.object(self.bucket, live))], neighbours)

    def _summarise_run(self) -> Iterator[Example]:
        role = self.function_role("SummariseRun")
        yield self.gets(role, f"{RUN}/plan.json", ["raw/AROAHOST:i-0own/run/p0001-m01/client/000000.ndjson.gz"])
        yield self.puts(role, f"{RUN}/summary.json", ["raw/x"])
        yield self.puts(role, "runs/day=2026-11-22/run.ndjson", ["live_samples/day=2026-11-22/x"])
        yield self.puts(role, "pairs/day=2026-11-22/run.ndjson.gz", ["pairs_of_others/x"])
        for key in ("runs/day=2026-11-22/run.ndjson", "pairs/day=2026-11-22/run.ndjson.gz"):
            yield self.gets(role, key, ["live_samples/day=2026-11-22/x"])
        yield self.lists(role, f"{RUN}/", ["raw/", ""])
        yield from self._folding(role)
        yield self.query(role, "measurements", "live_samples")
        yield self.query(role, "runs", "live_samples")
        yield self.on_execution(role, "DescribeExecution", "PairBenchmark", "NetworkBenchmark")
        yield from self.looks(role, "cloudtrail:LookupEvents")

    def _publish_run(self) -> Iterator[Example]:
        role = self.function_role("PublishRun")
        topic, another = (self.stack.arn("AWS::SNS::Topic", "NotificationsTopic"), self.account.arn("sns", "another"))
        own, other = (Access("sns:Publish", arn) for arn in (topic, another))
        yield Example(role, "sns:Publish", [own], {"another topic": [other]})
        yield self.gets(role, f"{RUN}/summary.json", [f"{RUN}/cost.json"])
        yield self.gets(role, f"{RUN}/plan.json", [f"{RUN}/forecast.json"])
        yield self.gets(role, f"{RUN}/published.json", [f"{RUN}/pairs/p0001.json"])
        # Whoever opens a presigned link reads with this role's rights.
        yield self.gets(role, f"{RUN}/report.html", [f"{RUN}/series/p0001-m01.csv.gz", "index.html"])
        yield self.gets(role, "history/runs.json.gz", ["history/another.json.gz"])
        yield self.puts(role, f"{RUN}/published.json", [f"{RUN}/summary.json", f"{RUN}/report.html"])
        yield self.puts(role, "history/runs.json.gz", ["history/another.json.gz"])
        yield self.puts(role, "index.html", ["another.html"])
        yield self.lists(role, "reports/", ["raw/", ""])
        yield self.lists(role, "history/runs.json.gz", ["raw/", ""])

    def _removal(self) -> Iterator[Example]:
        """Removes what carries the tags of a pair; three handlers do so."""
        for handler in ("DisconnectPair", "ReapRun", "SweepOrphans"):
            role = self.function_role(handler)
            yield from self.looks(
                role,
                *("ec2:DescribeSecurityGroups", "elasticloadbalancing:DescribeLoadBalancers"),
                *("elasticloadbalancing:DescribeTargetGroups", "elasticloadbalancing:DescribeTags"),
            )
            for operation in ("RevokeSecurityGroupIngress", "DeleteSecurityGroup"):
                yield self.on_owned(role, "ec2", operation, lambda owner: {"GroupId": owner})
            yield self.on_balancing(role, "DeleteLoadBalancer", "LoadBalancerArn", "loadbalancer/net")
            yield self.on_balancing(role, "DeleteTargetGroup", "TargetGroupArn", "targetgroup")

    def _reap_run(self) -> Iterator[Example]:
        role = self.function_role("ReapRun")
        yield from self.removes_hosts(role)
        yield from self.looks(role, "ssm:ListCommands", "ssm:CancelCommand")
        yield self.on_machine(role, "ListExecutions", "PairBenchmark", "NetworkBenchmark")
        yield self.on_execution(role, "DescribeExecution", "PairBenchmark", None)
        yield self.on_execution(role, "DescribeExecution", "NetworkBenchmark", None)
        yield self.on_execution(role, "StopExecution", "PairBenchmark", "NetworkBenchmark")
        yield self.on_execution(role, "GetExecutionHistory", "NetworkBenchmark", "PairBenchmark")
        yield from self.invocations(role, ["AnalyseMeasurement", "SummariseRun"], "LaunchPair")
        yield self.gets(role, f"{RUN}/plan.json", ["raw/x", "parts/x", f"{SAMPLES}/x"])
        yield self.lists(role, f"{RUN}/", ["raw/", ""])

    def _sweep_orphans(self) -> Iterator[Example]:
        role = self.function_role("SweepOrphans")
        yield from self.removes_hosts(role)
        yield self.on_execution(role, "DescribeExecution", "PairBenchmark", "NetworkBenchmark")
        yield self.on_execution(role, "GetExecutionHistory", "NetworkBenchmark", "PairBenchmark")
        yield self.on_machine(role, "ListExecutions", "NetworkBenchmark", "PairBenchmark")
        yield self.lists(role, f"{RUN}/report.html", ["raw/", ""])
        yield self.lists(role, "unfinished/", ["raw/", ""])
        yield from self.invocations(role, ["AnalyseMeasurement", "ReapRun"], "PlanRun")

    def _close_months(self) -> Iterator[Example]:
        role = self.stack.role_of("AWS::Lambda::Function", "OperationsClosingsCloseMonths")
        generation, months = "closed/runs/month=2026-11/20261201T001500000Z-0a1b2c3d.0000.parquet", "closed_months/"
        open_rows = ("runs/day=2026-11-22/run.ndjson", "measurements/day=2026-11-22/run.ndjson.gz", "pairs/day=x/y")
        delete = "s3:DeleteObject"
        kept = {key: [Access(delete, self.object(self.bucket, key))] for key in (f"{months}months.ndjson", "parts/x")}
        for key in (*open_rows, generation):
            yield self.gets(role, key, [f"{RUN}/plan.json", "parts/x"])
            yield self.lists(role, key, ["raw/", ""])
            yield Example(role, delete, [Access(delete, self.object(self.bucket, key))], kept)
        yield self.gets(role, f"{months}months.ndjson", ["live_samples/day=x/y"])
        yield self.lists(role, months, ["raw/", ""])
        for key in (generation, f"{months}months.ndjson"):
            yield self.puts(role, key, [*open_rows, "raw/x"])
        send, queue = "sqs:SendMessage", self.stack.arn("AWS::SQS::Queue", "OperationsUndeliveredEvents")
        another = [Access(send, self.account.arn("sqs", "another"))]
        yield Example(role, send, [Access(send, queue)], {"another queue": another})

    def _empty_buckets(self) -> Iterator[Example]:
        """Empties the payload's bucket; by default, the one with the results outlives the stack."""
        role = self.stack.role_of("AWS::Lambda::Function", "EmptiedBucketsEmptyBuckets")
        payload, results = (f"arn:{self.stack.partition}:s3:::{name}" for name in (self.payload, self.bucket))
        for action in ("s3:GetBucketTagging", "s3:ListBucket"):
            yield Example(role, action, [Access(action, payload)], {"the results": [Access(action, results)]})
        delete, key = "s3:DeleteObject", f"payload/AROAHOST:{HOST}/p0001-m01-object"
        own, other = (Access(delete, f"{bucket}/{key}") for bucket in (payload, results))
        yield Example(role, delete, [own], {"the results": [other]})
        yield from self._empty_networks(role)

    def _empty_networks(self, role: str) -> Iterator[Example]:
        """Removes what GuardDuty has put into the stack's own networks."""
        yield from self.looks(role, "ec2:DescribeVpcEndpoints", "ec2:DescribeSecurityGroups")
        service, managed = "com.amazonaws.{}.{}", {"aws:ResourceTag/GuardDutyManaged": "true"}
        delete, arn = "ec2:DeleteVpcEndpoints", self.account.ec2("vpc-endpoint", "vpce-0123")
        own, unmanaged, other = (
            Access(delete, arn, {"ec2:VpceServiceName": service.format(self.account.region, name)} | tags)
            for name, tags in (("guardduty-data", managed), ("guardduty-data", {}), ("ssm", managed))
        )
        yield Example(role, delete, [own], {"an endpoint of the user's": [unmanaged], "another service": [other]})
        delete, arn = "ec2:DeleteSecurityGroup", self.account.ec2("security-group", "sg-0123")
        for name in ("TestNetworkVpc", "TestNetworkSecondVpc"):
            vpc = self.stack.reference("AWS::EC2::VPC", name)
            own, unmanaged, other = (
                Access(delete, arn, {"ec2:Vpc": self.account.ec2("vpc", one)} | tags)
                for one, tags in ((vpc, managed), (vpc, {}), ("vpc-0other", managed))
            )
            yield Example(role, delete, [own], {"a group of the user's": [unmanaged], "another network": [other]})

    def _documents(self) -> Iterator[Example]:
        """Finds the version of each document that a deployment has made."""
        role = self.stack.role_of("AWS::Lambda::Function", "MeasurementDocumentsFindDocumentVersions")
        for one in self.stack.resources.values():
            if one["Type"] == "AWS::SSM::Document":
                own, other = (
                    Access("ssm:GetDocument", self.account.arn("ssm", f"document/{name}"))
                    for name in (self.stack.resolved(one["Properties"]["Name"]), "another-document")
                )
                yield Example(role, "ssm:GetDocument", [own], {"another document": [other]})

    # Hosts, logs, and what services do

    def _host(self) -> Iterator[Example]:
        role, own, other = self.host_role, f"AROAHOST:{HOST}", "AROAHOST:i-0other"
        chunk = "run/p0001-m01/client/000000.ndjson.gz"
        everything = [f"raw/{other}/{chunk}", f"raw/{own}.other/{chunk}", f"{RUN}/plan.json", "runs/day=x/y"]
        yield self.puts(role, f"raw/{own}/{chunk}", everything)
        reading = [Access("s3:GetObject", self.object(self.bucket, key)) for key in (f"raw/{own}/{chunk}", *everything)]
        for verb in ("GetObject", "PutObject"):
            access = [Access(f"s3:{verb}", self.object(self.payload, f"payload/{own}/p0001-m01-object"))]
            theirs = [Access(f"s3:{verb}", self.object(self.payload, f"payload/{other}/p0001-m01-object"))]
            yield Example(role, f"s3:{verb} of the payload", access, {"another host's": theirs})
        yield self._over_tls(role, chunk)
        none: list[Access] = []
        listing = [Access("s3:ListBucket", f"arn:{self.stack.partition}:s3:::{self.bucket}", {"s3:prefix": ""})]
        parameter = [Access("ssm:GetParameter", self.account.arn("ssm", "parameter/password"))]
        neighbours = {f"reading {one.resource}": [one] for one in reading}
        neighbours |= {"listing": listing, "a parameter": parameter, "launching": self.accesses(self.launch())}
        yield Example(role, "nothing", none, neighbours)
        yield from self.looks(
            role,
            "ssm:UpdateInstanceInformation",
            *(f"ssmmessages:{verb}{channel}Channel" for verb in ("Create", "Open") for channel in ("Control", "Data")),
            *("ec2messages:AcknowledgeMessage", "ec2messages:DeleteMessage", "ec2messages:FailMessage"),
            *("ec2messages:GetEndpoint", "ec2messages:GetMessages", "ec2messages:SendReply"),
        )

    def _over_tls(self, role: str, chunk: str) -> Example:
        logical_id = self.stack.logical_id("AWS::S3::BucketPolicy", "ResultStore")
        policy = self.stack.resolved(self.stack.resources[logical_id]["Properties"]["PolicyDocument"])
        key = self.object(self.bucket, f"raw/AROAHOST:{HOST}/{chunk}")
        safe, plain = (
            Access("s3:PutObject", key, {"aws:SecureTransport": secure}, policy) for secure in ("true", "false")
        )
        return Example(role, "s3:PutObject over TLS", [safe], {"without TLS": [plain]})

    def _logs(self) -> Iterator[Example]:
        for one in self.stack.resources.values():
            if one["Type"] != "AWS::Lambda::Function":
                continue
            group = self.stack.resolved(one["Properties"]["LoggingConfig"]["LogGroup"])
            for action in ("logs:CreateLogStream", "logs:PutLogEvents"):
                own, other = (self.account.arn("logs", f"log-group:{g}:log-stream:s") for g in (group, "another"))
                role: str = one["Properties"]["Role"]["Fn::GetAtt"][0]
                yield Example(role, action, [Access(action, own)], {"another log": [Access(action, other)]})

    def _canary(self) -> Iterator[Example]:
        role = self.stack.logical_id("AWS::IAM::Role", "OperationsCanaryRole")
        start, send = "states:StartExecution", "sqs:SendMessage"
        yield Example(
            role,
            start,
            [Access(start, self.machine("NetworkBenchmark"))],
            {"a pair without its run": [Access(start, self.machine("PairBenchmark"))]},
        )
        yield Example(
            role,
            send,
            [Access(send, self.stack.arn("AWS::SQS::Queue", "OperationsUndelivered"))],
            {"another queue": [Access(send, self.account.arn("sqs", "another"))]},
        )
        due = self.stack.arn("AWS::SQS::Queue", "OperationsCanaryDue")
        yield Example(role, f"{send} of what is due", [Access(send, due)])
        check = self.stack.role_of("AWS::Lambda::Function", "OperationsCanaryDueCheckSchedule")
        yield self.on_machine(check, "ListExecutions", "NetworkBenchmark", "PairBenchmark")
        for action in ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"):
            other = Access(action, self.stack.arn("AWS::SQS::Queue", "OperationsUndelivered"))
            yield Example(check, action, [Access(action, due)], {"the queue of failures": [other]})

    def _later_looks(self) -> Iterator[Example]:
        machine = self.machine_role("OperationsLaterLooks")
        yield from self.invocations(machine, ["ReapRun"], "LaunchPair")
        yield from self._log_delivery(machine)
        role, start = self.stack.logical_id("AWS::IAM::Role", "OperationsLaterLooksStart"), "states:StartExecution"
        own, other = (Access(start, self.machine(name)) for name in ("OperationsLaterLooks", "NetworkBenchmark"))
        yield Example(role, start, [own], {"a run": [other]})

    def _services(self) -> Iterator[Example]:
        """Trust policies of roles, and what the rules may start."""
        for name, one in self.stack.resources.items():
            if one["Type"] != "AWS::IAM::Role":
                continue
            trust = self.stack.resolved(one["Properties"]["AssumeRolePolicyDocument"])
            service = trust["Statement"][0]["Principal"]["Service"]
            assume = Access("sts:AssumeRole", self.stack.arn("AWS::IAM::Role", name), resource_policy=trust)
            if service == "scheduler.amazonaws.com":
                own = [with_facts(assume, {"aws:SourceAccount": ACCOUNT_ID})]
                stranger = [with_facts(assume, {"aws:SourceAccount": "999999999999"})]
                yield Example(service, f"assumes {name}", own, {"for another account": stranger})
            else:
                yield Example(service, f"assumes {name}", [assume])
            yield Example("glue.amazonaws.com", f"assumes no {name}", [], {"another service": [assume]})
        yield from self._rules()
        yield self._alarms()

    def _alarms(self) -> Example:
        """What an alarm publishes, as the topic's own policy has it."""
        (policy,) = [
            self.stack.resolved(one["Properties"]["PolicyDocument"])
            for one in self.stack.resources.values()
            if one["Type"] == "AWS::SNS::TopicPolicy"
        ]
        topic = self.stack.arn("AWS::SNS::Topic", "NotificationsTopic")
        facts = {"aws:SourceAccount": ACCOUNT_ID, "aws:SecureTransport": "true"}
        own = Access("sns:Publish", topic, facts, resource_policy=policy)
        return Example(
            "cloudwatch.amazonaws.com",
            "publishes an alarm",
            [own],
            {
                "for another account": [with_facts(own, facts | {"aws:SourceAccount": "999999999999"})],
                "without TLS": [with_facts(own, facts | {"aws:SecureTransport": "false"})],
            },
        )

    def _rules(self) -> Iterator[Example]:
        events = "events.amazonaws.com"
        targets = {
            "OperationsChunkArrived": ["FunctionsIngestChunk"],
            "OperationsReportWritten": ["FunctionsPublishRun"],
            "OperationsRunEnded": ["FunctionsPublishRun"],
            "OperationsExecutionEndedBadly": ["FunctionsReapRun"],
            "OperationsSweepSchedule": ["FunctionsSweepOrphans"],
        }
        another = self.account.arn("events", "rule/another")
        for rule, ids in targets.items():
            source = self.stack.arn("AWS::Events::Rule", rule)
            for target in ids:
                access = self._invoked(target) if target.startswith("Functions") else self._queued(target)
                own, other = (with_facts(access, {"aws:SourceArn": arn}) for arn in (source, another))
                plain = with_facts(own, {"aws:SecureTransport": "false"}) if access.action.startswith("sqs") else other
                yield Example(events, f"{rule} → {target}", [own], {"another rule": [other], "without TLS": [plain]})

    def _invoked(self, function: str) -> Access:
        arn = self.stack.arn("AWS::Lambda::Function", function)
        granted = [
            self.stack.resolved(one["Properties"])
            for one in self.stack.resources.values()
            if one["Type"] == "AWS::Lambda::Permission"
        ]
        statements = [
            {
                "Effect": "Allow",
                "Principal": {"Service": permission["Principal"]},
                "Action": permission["Action"],
                "Resource": arn,
                "Condition": {"ArnLike": {"aws:SourceArn": permission["SourceArn"]}},
            }
            for permission in granted
            if permission["FunctionName"] == arn
        ]
        policy = {"Version": "2012-10-17", "Statement": statements}
        return Access("lambda:InvokeFunction", arn, resource_policy=policy)

    def _queued(self, queue: str) -> Access:
        logical_id = self.stack.logical_id("AWS::SQS::Queue", queue)
        (policy,) = [
            self.stack.resolved(one["Properties"]["PolicyDocument"])
            for one in self.stack.resources.values()
            if one["Type"] == "AWS::SQS::QueuePolicy" and one["Properties"]["Queues"] == [{"Ref": logical_id}]
        ]
        arn = self.stack.arn("AWS::SQS::Queue", queue)
        return Access("sqs:SendMessage", arn, {"aws:SecureTransport": "true"}, resource_policy=policy)
