"""The lab's CloudFormation creates the types of resources that MiniStack lacks."""

from deployed import ref, resource


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


def test_an_invalid_document_fails_the_stack(aws):
    document = {"schemaVersion": "2.2", "mainSteps": []}
    aws.deploy("Broken", {"Bad": resource("SSM::Document", Content=document, DocumentType="Command")})
    assert "mainSteps: must have a step" in aws.reasons("Broken")


def test_the_account_is_bootstrapped(aws):
    parameter = aws.client("ssm").get_parameter(Name="/cdk-bootstrap/hnb659fds/version")["Parameter"]
    assert int(parameter["Value"]) >= 30
    aws.client("s3").head_bucket(Bucket="cdk-hnb659fds-assets-000000000000-us-east-1")


def test_a_bucket_with_an_object_fails_the_deletion_of_its_stack_until_it_is_empty(aws):
    cloudformation, s3 = aws.client("cloudformation"), aws.client("s3")
    stack = aws.deploy("Full", {"Bucket": resource("S3::Bucket", BucketName="full")})
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    s3.put_object(Bucket="full", Key="row", Body=b"1")

    def delete():
        cloudformation.delete_stack(StackName="Full")
        return aws.ended_stack(stack["StackId"])["StackStatus"]

    assert delete() == "DELETE_FAILED"
    assert "BucketNotEmpty" in aws.reasons("Full")
    assert s3.get_object(Bucket="full", Key="row")["Body"].read() == b"1"

    s3.delete_object(Bucket="full", Key="row")
    assert delete() == "DELETE_COMPLETE"
    assert "full" not in [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]]


def test_a_bucket_has_the_tags_of_its_template_until_an_update_takes_them(aws, code_of):
    s3, tag = aws.client("s3"), {"Key": "emptied", "Value": "true"}
    aws.deploy("Tagged", {"Bucket": resource("S3::Bucket", BucketName="tagged", Tags=[tag])})
    assert s3.get_bucket_tagging(Bucket="tagged")["TagSet"] == [tag]
    updated = aws.deploy("Tagged", {"Bucket": resource("S3::Bucket", BucketName="tagged")})
    assert updated["StackStatus"] == "UPDATE_COMPLETE"
    assert code_of(s3.get_bucket_tagging, Bucket="tagged") == "NoSuchTagSet"


def subnet(zone, depends_on=None):
    place = {"VpcId": ref("Vpc"), "CidrBlock": "10.30.0.0/24", "AvailabilityZone": zone}
    return resource("EC2::Subnet", depends_on, **place)


VPC = {"Vpc": resource("EC2::VPC", CidrBlock="10.30.0.0/16")}


def test_a_subnet_in_an_unknown_zone_or_with_the_addresses_of_another_fails_its_stack(aws):
    far = aws.deploy("Far", VPC | {"Subnet": subnet("us-east-1q")})
    double = aws.deploy("Double", VPC | {"One": subnet("us-east-1a"), "Two": subnet("us-east-1b", "One")})

    assert (far["StackStatus"], double["StackStatus"]) == ("ROLLBACK_COMPLETE", "ROLLBACK_COMPLETE")
    assert "Value (us-east-1q) for parameter availabilityZone is invalid" in aws.reasons("Far")
    assert "The CIDR '10.30.0.0/24' conflicts with another subnet" in aws.reasons("Double")


def test_only_zones_with_a_default_subnet_are_listed_unless_none_has_one(aws):
    ec2 = aws.client("ec2")

    def listed(name):
        outputs = {"Zones": {"Value": {"Fn::Join": [",", {"Fn::GetAZs": ""}]}}}
        return aws.deploy(name, {"Queue": resource("SQS::Queue")}, outputs)["Values"]["Zones"]

    assert listed("Three") == "us-east-1a,us-east-1b,us-east-1c"
    default = [{"Name": "default-for-az", "Values": ["true"]}]
    of_zone = {one["AvailabilityZone"]: one["SubnetId"] for one in ec2.describe_subnets(Filters=default)["Subnets"]}
    ec2.delete_subnet(SubnetId=of_zone["us-east-1b"])
    assert listed("Two") == "us-east-1a,us-east-1c"
    third = aws.deploy("Third", VPC | {"Subnet": subnet({"Fn::Select": [2, {"Fn::GetAZs": ""}]})})
    assert "Fn::Select cannot select nonexistent value at index 2" in aws.reasons("Third") + str(third)
    for zone in ("us-east-1a", "us-east-1c"):
        ec2.delete_subnet(SubnetId=of_zone[zone])
    assert listed("All") == "us-east-1a,us-east-1b,us-east-1c"


def test_every_answer_gives_a_zone_the_same_id_and_names_are_in_another_order_than_ids(aws, network):
    ec2 = aws.client("ec2")

    zones = {zone["ZoneName"]: zone["ZoneId"] for zone in ec2.describe_availability_zones()["AvailabilityZones"]}
    subnets = ec2.describe_subnets()["Subnets"]

    assert zones == {"us-east-1a": "use1-az4", "us-east-1b": "use1-az6", "us-east-1c": "use1-az1"}
    assert {subnet["VpcId"] for subnet in subnets} > {network["vpc"]}
    assert all(subnet["AvailabilityZoneId"] == zones[subnet["AvailabilityZone"]] for subnet in subnets)


def test_a_subnet_that_is_created_by_the_id_of_a_zone_is_in_that_zone(aws, network):
    ec2 = aws.client("ec2")
    in_zone = {"VpcId": network["vpc"], "CidrBlock": "10.9.77.0/24", "AvailabilityZoneId": "use1-az1"}

    subnet = ec2.create_subnet(**in_zone)["Subnet"]
    ec2.delete_subnet(SubnetId=subnet["SubnetId"])

    assert (subnet["AvailabilityZone"], subnet["AvailabilityZoneId"]) == ("us-east-1c", "use1-az1")
