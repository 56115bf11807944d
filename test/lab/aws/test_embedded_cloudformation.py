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


def test_a_bucket_with_an_object_fails_the_deletion_of_its_stack_until_it_is_empty(aws, wait_until):
    cloudformation, s3 = aws.client("cloudformation"), aws.client("s3")
    resources = {"Bucket": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "full"}}}
    assert deployed(cloudformation, wait_until, "Full", resources)["StackStatus"] == "CREATE_COMPLETE"
    s3.put_object(Bucket="full", Key="row", Body=b"1")

    def delete():
        stack_id = cloudformation.describe_stacks(StackName="Full")["Stacks"][0]["StackId"]
        cloudformation.delete_stack(StackName="Full")
        return wait_until(lambda: settled(cloudformation, stack_id))["StackStatus"]

    assert delete() == "DELETE_FAILED"
    events = cloudformation.describe_stack_events(StackName="Full")["StackEvents"]
    assert any("BucketNotEmpty" in event.get("ResourceStatusReason", "") for event in events)
    assert s3.get_object(Bucket="full", Key="row")["Body"].read() == b"1"

    s3.delete_object(Bucket="full", Key="row")
    assert delete() == "DELETE_COMPLETE"
    assert "full" not in [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]]


def test_a_bucket_has_the_tags_of_its_template_until_an_update_takes_them(aws, wait_until, code_of):
    cloudformation, s3 = aws.client("cloudformation"), aws.client("s3")
    tag = {"Key": "emptied", "Value": "true"}
    resource = {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "tagged", "Tags": [tag]}}
    deployed(cloudformation, wait_until, "Tagged", {"Bucket": resource})
    assert s3.get_bucket_tagging(Bucket="tagged")["TagSet"] == [tag]

    del resource["Properties"]["Tags"]
    body = json.dumps({"Resources": {"Bucket": resource}})
    stack_id = cloudformation.update_stack(StackName="Tagged", TemplateBody=body)["StackId"]
    assert wait_until(lambda: settled(cloudformation, stack_id))["StackStatus"] == "UPDATE_COMPLETE"
    assert code_of(s3.get_bucket_tagging, Bucket="tagged") == "NoSuchTagSet"


def zone_listed_at(index):
    return {"Fn::Select": [index, {"Fn::GetAZs": ""}]}


def subnet(third_byte, zone):
    block = f"10.30.{third_byte}.0/24"
    properties = {"VpcId": {"Ref": "Vpc"}, "CidrBlock": block, "AvailabilityZone": zone}
    return {"Type": "AWS::EC2::Subnet", "Properties": properties}


VPC = {"Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.30.0.0/16"}}}


def test_a_subnet_in_an_unknown_zone_or_with_the_addresses_of_another_fails_its_stack(aws, wait_until):
    cloudformation = aws.client("cloudformation")
    far = deployed(cloudformation, wait_until, "Far", VPC | {"Subnet": subnet(0, "us-east-1q")})
    overlapping = VPC | {"One": subnet(0, "us-east-1a"), "Two": subnet(0, "us-east-1b") | {"DependsOn": "One"}}
    double = deployed(cloudformation, wait_until, "Double", overlapping)

    assert (far["StackStatus"], double["StackStatus"]) == ("ROLLBACK_COMPLETE", "ROLLBACK_COMPLETE")
    assert "Value (us-east-1q) for parameter availabilityZone is invalid" in reasons(cloudformation, "Far")
    assert "The CIDR '10.30.0.0/24' conflicts with another subnet" in reasons(cloudformation, "Double")


def test_only_zones_with_a_default_subnet_are_listed_unless_none_has_one(aws, wait_until):
    cloudformation, ec2 = aws.client("cloudformation"), aws.client("ec2")

    def listed(name):
        resources = {"Queue": {"Type": "AWS::SQS::Queue"}}
        outputs = {"Zones": {"Value": {"Fn::Join": [",", {"Fn::GetAZs": ""}]}}}
        stack = deployed(cloudformation, wait_until, name, resources, outputs)
        return stack["Outputs"][0]["OutputValue"]

    assert listed("Three") == "us-east-1a,us-east-1b,us-east-1c"
    default = [{"Name": "default-for-az", "Values": ["true"]}]
    of_zone = {one["AvailabilityZone"]: one["SubnetId"] for one in ec2.describe_subnets(Filters=default)["Subnets"]}
    ec2.delete_subnet(SubnetId=of_zone["us-east-1b"])
    assert listed("Two") == "us-east-1a,us-east-1c"
    third = deployed(cloudformation, wait_until, "Third", VPC | {"Subnet": subnet(0, zone_listed_at(2))})
    assert "Fn::Select cannot select nonexistent value at index 2" in reasons(cloudformation, "Third") + str(third)
    for zone in ("us-east-1a", "us-east-1c"):
        ec2.delete_subnet(SubnetId=of_zone[zone])
    assert listed("All") == "us-east-1a,us-east-1b,us-east-1c"


def deployed(cloudformation, wait_until, name, resources, outputs=None):
    body = json.dumps({"Resources": resources, "Outputs": outputs or {}})
    stack_id = cloudformation.create_stack(StackName=name, TemplateBody=body)["StackId"]
    return wait_until(lambda: settled(cloudformation, stack_id))


def settled(cloudformation, stack_id):
    stack = cloudformation.describe_stacks(StackName=stack_id)["Stacks"][0]
    return None if stack["StackStatus"].endswith("IN_PROGRESS") else stack


def reasons(cloudformation, name):
    events = cloudformation.describe_stack_events(StackName=name)["StackEvents"]
    return "\n".join(event.get("ResourceStatusReason", "") for event in events)
