"""The resources of a template, as Python, with every kind of resource that the embedded AWS creates for the product."""

import io
import json
import zipfile

HANDLER = """
import { existsSync, writeFileSync } from 'node:fs';
const sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis));
export const handler = async (given, context) => {
  const event = given.Records ? JSON.parse(given.Records[0].body) : given;
  console.log('a line of the log');
  for (const line of event.log ?? []) console.log(line);
  let written;
  if (event.wait) await sleep(event.wait);
  if (event.hold) {
    writeFileSync(`${event.hold}/${context.awsRequestId}`, '');
    while (!existsSync(`${event.hold}/go-on`)) await sleep(50);
  }
  if (event.exit) process.exit(1);
  if (event.write) {
    const url = `${process.env.AWS_ENDPOINT_URL}/${event.write}/${context.awsRequestId}`;
    const credential = `Credential=${process.env.AWS_ACCESS_KEY_ID}/20261122/us-east-1/s3/aws4_request`;
    const headers = { authorization: `AWS4-HMAC-SHA256 ${credential}` };
    written = (await fetch(url, { method: 'PUT', body: 'x', headers })).status;
  }
  if (event.fail) { const error = new Error('as asked'); error.name = event.fail; throw error; }
  const { AWS_ENDPOINT_URL: endpointUrl, AWS_REGION: region, HOST_ROLE_ID: hostRoleId } = process.env;
  calls += 1;
  return { pid: process.pid, calls, written, endpointUrl, region, hostRoleId, text: 'x'.repeat(event.length ?? 0) };
};
let calls = 0;
"""


def code_archive() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("index.mjs", HANDLER)
    return buffer.getvalue()


def resource(kind: str, depends_on: str | None = None, **properties: object) -> dict:
    depends = {} if depends_on is None else {"DependsOn": depends_on}
    return {"Type": f"AWS::{kind}", "Properties": properties, **depends}


def ref(name: str) -> dict:
    return {"Ref": name}


def attribute(name: str, attribute: str) -> dict:
    return {"Fn::GetAtt": [name, attribute]}


def machine(states: dict, start: str, **more) -> dict:
    definition = json.dumps({"QueryLanguage": "JSONata", "StartAt": start, "States": states, **more})
    role = attribute("Role", "Arn")
    return resource("StepFunctions::StateMachine", RoleArn=role, DefinitionString=definition)


def assume(service: str) -> dict:
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    return {"Version": "2012-10-17", "Statement": [statement]}


DOCUMENT = {
    "schemaVersion": "2.2",
    "mainSteps": [{"action": "aws:runShellScript", "name": "work", "inputs": {"runCommand": ["true"]}}],
}
WORKGROUP = {
    "EnforceWorkGroupConfiguration": True,
    "ResultConfiguration": {"OutputLocation": {"Fn::Sub": "s3://${Bucket}/athena-results/"}},
}
ENDED_BADLY = {
    "source": ["aws.states"],
    "detail-type": ["Step Functions Execution Status Change"],
    "detail": {"status": ["ABORTED", "FAILED", "TIMED_OUT"]},
}
WAIT = {"Type": "Wait", "Seconds": 60}


def resources(code_bucket: str) -> dict:
    return {
        "Role": resource("IAM::Role", AssumeRolePolicyDocument=assume("lambda.amazonaws.com")),
        "Function": resource(
            "Lambda::Function",
            Runtime="nodejs22.x",
            Architectures=["arm64"],
            Handler="index.handler",
            Role=attribute("Role", "Arn"),
            Code={"S3Bucket": code_bucket, "S3Key": "code.zip"},
            Timeout=60,
            Environment={"Variables": {"HOST_ROLE_ID": attribute("Role", "RoleId")}},
        ),
        "Vpc": resource("EC2::VPC", CidrBlock="10.20.0.0/16"),
        "Subnet": resource(
            "EC2::Subnet",
            VpcId=ref("Vpc"),
            CidrBlock="10.20.1.0/24",
            AvailabilityZone={"Fn::Select": [1, {"Fn::GetAZs": ""}]},
        ),
        "Group": resource("EC2::SecurityGroup", VpcId=ref("Vpc"), GroupDescription="hosts"),
        "GroupMembers": resource(
            "EC2::SecurityGroupIngress",
            GroupId=attribute("Group", "GroupId"),
            IpProtocol="-1",
            SourceSecurityGroupId=attribute("Group", "GroupId"),
        ),
        "Document": resource("SSM::Document", DocumentType="Command", Content=DOCUMENT),
        "Bucket": resource("S3::Bucket"),
        "Database": resource("Glue::Database", CatalogId=ref("AWS::AccountId"), DatabaseInput={"Name": "bench"}),
        "Samples": glue_table("samples"),
        "Days": glue_table("days", day_type="date"),
        "Empty": glue_table("empty"),
        "Workgroup": resource("Athena::WorkGroup", Name="bench", WorkGroupConfiguration=WORKGROUP),
        "Query": resource(
            "Athena::NamedQuery",
            "Workgroup",
            Name="everything",
            Database="bench",
            WorkGroup="bench",
            QueryString="SELECT 1",
        ),
        "Slow": machine({"Wait": {**WAIT, "Next": "End"}, "End": {"Type": "Succeed"}}, "Wait"),
        "Limited": machine({"Wait": {**WAIT, "End": True}}, "Wait", TimeoutSeconds=1),
        "Late": resource("SQS::Queue", DelaySeconds=2),
        "OnEnd": resource(
            "Events::Rule", EventPattern=ENDED_BADLY, Targets=[{"Id": "late", "Arn": attribute("Late", "Arn")}]
        ),
    }


OUTPUTS = {
    name: {"Value": value}
    for name, value in {
        "FunctionName": ref("Function"),
        "RoleArn": attribute("Role", "Arn"),
        "RoleId": attribute("Role", "RoleId"),
        "SubnetId": ref("Subnet"),
        "GroupId": ref("Group"),
        "DocumentName": ref("Document"),
        "BucketName": ref("Bucket"),
        "SlowMachine": ref("Slow"),
        "LimitedMachine": ref("Limited"),
        "LateQueue": ref("Late"),
    }.items()
}


def glue_table(name: str, day_type: str = "string") -> dict:
    columns = {
        "run_id": "string",
        "bits_per_second": "double",
        "stream": "bigint",
        "witnesses": "array<string>",
        "host": "struct<type:string,zones:array<string>>",
    }
    table = {
        "Name": name,
        "TableType": "EXTERNAL_TABLE",
        "PartitionKeys": [{"Name": "day", "Type": day_type}],
        "Parameters": {
            "projection.enabled": "true",
            "projection.day.type": "date",
            "projection.day.format": "yyyy-MM-dd",
            "projection.day.range": "2026-01-01,NOW",
            "storage.location.template": {"Fn::Sub": f"s3://${{Bucket}}/{name}/day=${{!day}}/"},
        },
        "StorageDescriptor": {
            "Location": {"Fn::Sub": f"s3://${{Bucket}}/{name}/"},
            "Columns": [{"Name": column, "Type": kind} for column, kind in columns.items()],
            "SerdeInfo": {"SerializationLibrary": "org.openx.data.jsonserde.JsonSerDe"},
        },
    }
    place = {"CatalogId": ref("AWS::AccountId"), "DatabaseName": "bench"}
    return resource("Glue::Table", "Database", **place, TableInput=table)
