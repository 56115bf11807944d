"""A template, as Python, with every kind of resource that the embedded AWS creates for the product."""

import io
import json
import zipfile

HANDLER = """
export const handler = async (given, context) => {
  const event = given.Records ? JSON.parse(given.Records[0].body) : given;
  console.log('a line of the log');
  for (const line of event.log ?? []) console.log(line);
  let written;
  if (event.wait) await new Promise((resolve) => setTimeout(resolve, event.wait));
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


def machine(states: dict, start: str, **more) -> dict:
    definition = json.dumps({"QueryLanguage": "JSONata", "StartAt": start, "States": states, **more})
    return {
        "Type": "AWS::StepFunctions::StateMachine",
        "Properties": {"RoleArn": {"Fn::GetAtt": ["Role", "Arn"]}, "DefinitionString": definition},
    }


def assume(service: str) -> dict:
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    return {"Version": "2012-10-17", "Statement": [statement]}


def template(code_bucket: str) -> dict:
    return {
        "Resources": {
            "Role": {
                "Type": "AWS::IAM::Role",
                "Properties": {"AssumeRolePolicyDocument": assume("lambda.amazonaws.com")},
            },
            "Function": {
                "Type": "AWS::Lambda::Function",
                "Properties": {
                    "Runtime": "nodejs22.x",
                    "Architectures": ["arm64"],
                    "Handler": "index.handler",
                    "Role": {"Fn::GetAtt": ["Role", "Arn"]},
                    "Code": {"S3Bucket": code_bucket, "S3Key": "code.zip"},
                    "Timeout": 60,
                    "Environment": {"Variables": {"HOST_ROLE_ID": {"Fn::GetAtt": ["Role", "RoleId"]}}},
                },
            },
            "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.20.0.0/16"}},
            "Subnet": {
                "Type": "AWS::EC2::Subnet",
                "Properties": {
                    "VpcId": {"Ref": "Vpc"},
                    "CidrBlock": "10.20.1.0/24",
                    "AvailabilityZone": {"Fn::Select": [1, {"Fn::GetAZs": ""}]},
                },
            },
            "Group": {
                "Type": "AWS::EC2::SecurityGroup",
                "Properties": {"VpcId": {"Ref": "Vpc"}, "GroupDescription": "hosts"},
            },
            "GroupMembers": {
                "Type": "AWS::EC2::SecurityGroupIngress",
                "Properties": {
                    "GroupId": {"Fn::GetAtt": ["Group", "GroupId"]},
                    "IpProtocol": "-1",
                    "SourceSecurityGroupId": {"Fn::GetAtt": ["Group", "GroupId"]},
                },
            },
            "Document": {
                "Type": "AWS::SSM::Document",
                "Properties": {
                    "DocumentType": "Command",
                    "Content": {
                        "schemaVersion": "2.2",
                        "mainSteps": [
                            {"action": "aws:runShellScript", "name": "work", "inputs": {"runCommand": ["true"]}}
                        ],
                    },
                },
            },
            "Bucket": {"Type": "AWS::S3::Bucket"},
            "Database": {
                "Type": "AWS::Glue::Database",
                "Properties": {"CatalogId": {"Ref": "AWS::AccountId"}, "DatabaseInput": {"Name": "bench"}},
            },
            "Samples": glue_table("samples"),
            "Days": glue_table("days", day_type="date"),
            "Empty": glue_table("empty"),
            "Workgroup": {
                "Type": "AWS::Athena::WorkGroup",
                "Properties": {
                    "Name": "bench",
                    "WorkGroupConfiguration": {
                        "EnforceWorkGroupConfiguration": True,
                        "ResultConfiguration": {"OutputLocation": {"Fn::Sub": "s3://${Bucket}/athena-results/"}},
                    },
                },
            },
            "Query": {
                "Type": "AWS::Athena::NamedQuery",
                "DependsOn": "Workgroup",
                "Properties": {
                    "Name": "everything",
                    "Database": "bench",
                    "WorkGroup": "bench",
                    "QueryString": "SELECT 1",
                },
            },
            "Slow": machine(
                {"Wait": {"Type": "Wait", "Seconds": 60, "Next": "End"}, "End": {"Type": "Succeed"}}, "Wait"
            ),
            "Limited": machine({"Wait": {"Type": "Wait", "Seconds": 60, "End": True}}, "Wait", TimeoutSeconds=1),
            "Late": {"Type": "AWS::SQS::Queue", "Properties": {"DelaySeconds": 2}},
            "OnEnd": {
                "Type": "AWS::Events::Rule",
                "Properties": {
                    "EventPattern": {
                        "source": ["aws.states"],
                        "detail-type": ["Step Functions Execution Status Change"],
                        "detail": {"status": ["ABORTED", "FAILED", "TIMED_OUT"]},
                    },
                    "Targets": [{"Id": "late", "Arn": {"Fn::GetAtt": ["Late", "Arn"]}}],
                },
            },
        },
        "Outputs": {
            name: {"Value": value}
            for name, value in {
                "FunctionName": {"Ref": "Function"},
                "RoleArn": {"Fn::GetAtt": ["Role", "Arn"]},
                "RoleId": {"Fn::GetAtt": ["Role", "RoleId"]},
                "SubnetId": {"Ref": "Subnet"},
                "GroupId": {"Fn::GetAtt": ["Group", "GroupId"]},
                "DocumentName": {"Ref": "Document"},
                "BucketName": {"Ref": "Bucket"},
                "SlowMachine": {"Ref": "Slow"},
                "LimitedMachine": {"Ref": "Limited"},
                "LateQueue": {"Ref": "Late"},
            }.items()
        },
    }


def glue_table(name: str, day_type: str = "string") -> dict:
    location = {"Fn::Sub": f"s3://${{Bucket}}/{name}/"}
    return {
        "Type": "AWS::Glue::Table",
        "DependsOn": "Database",
        "Properties": {
            "CatalogId": {"Ref": "AWS::AccountId"},
            "DatabaseName": "bench",
            "TableInput": {
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
                    "Location": location,
                    "Columns": [
                        {"Name": "run_id", "Type": "string"},
                        {"Name": "bits_per_second", "Type": "double"},
                        {"Name": "stream", "Type": "bigint"},
                        {"Name": "witnesses", "Type": "array<string>"},
                        {"Name": "host", "Type": "struct<type:string,zones:array<string>>"},
                    ],
                    "SerdeInfo": {"SerializationLibrary": "org.openx.data.jsonserde.JsonSerDe"},
                },
            },
        },
    }
