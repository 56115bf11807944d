"""The lab's CloudFormation creates the types of resources that MiniStack lacks."""

import json


def test_the_types_that_ministack_lacks(aws, outputs):
    ec2 = aws.client("ec2")
    assert aws.client("ssm").describe_document(Name=outputs["DocumentName"])["Document"]["Status"] == "Active"
    rules = ec2.describe_security_groups(GroupIds=[outputs["GroupId"]])["SecurityGroups"][0]["IpPermissions"]
    assert [pair["GroupId"] for pair in rules[0]["UserIdGroupPairs"]] == [outputs["GroupId"]]
    athena = aws.client("athena")
    names = [
        athena.get_named_query(NamedQueryId=query)["NamedQuery"]["Name"]
        for query in athena.list_named_queries(WorkGroup="bench")["NamedQueryIds"]
    ]
    assert names == ["everything"]


def test_attributes_that_the_stack_relies_on(aws, outputs):
    subnet = aws.client("ec2").describe_subnets(SubnetIds=[outputs["SubnetId"]])["Subnets"][0]
    assert subnet["AvailabilityZone"] == "us-east-1b"
    role = aws.client("iam").get_role(RoleName=outputs["RoleArn"].rsplit("/", 1)[1])["Role"]
    assert role["RoleId"] == outputs["RoleId"]


def test_an_invalid_document_fails_the_stack(aws, wait_until):
    cloudformation = aws.client("cloudformation")
    document = {"schemaVersion": "2.2", "mainSteps": []}
    resource = {"Type": "AWS::SSM::Document", "Properties": {"Content": document, "DocumentType": "Command"}}
    cloudformation.create_stack(StackName="Broken", TemplateBody=json.dumps({"Resources": {"Bad": resource}}))

    def reasons():
        events = cloudformation.describe_stack_events(StackName="Broken")["StackEvents"]
        return [event.get("ResourceStatusReason", "") for event in events if event["ResourceStatus"] == "CREATE_FAILED"]

    assert any("mainSteps: must have a step" in reason for reason in wait_until(reasons))


def test_the_account_is_bootstrapped(aws):
    parameter = aws.client("ssm").get_parameter(Name="/cdk-bootstrap/hnb659fds/version")["Parameter"]
    assert int(parameter["Value"]) >= 30
    aws.client("s3").head_bucket(Bucket="cdk-hnb659fds-assets-000000000000-us-east-1")
