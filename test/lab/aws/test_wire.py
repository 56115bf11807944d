"""Requests get the names and types of the API, results the names of the wire, both by botocore's models."""

import datetime

import pytest

from lab.aws.wire import AwsError, page, protocol_of

EC2, ELB = protocol_of("ec2"), protocol_of("elbv2")


@pytest.mark.parametrize(
    ("protocol", "action", "form", "request_read"),
    [
        (
            EC2,
            "RunInstances",
            "Action=RunInstances&Version=2016-11-15&MinCount=1&MaxCount=2&NetworkInterface.1.SecurityGroupId.1=sg-1"
            "&NetworkInterface.1.AssociatePublicIpAddress=false",
            {
                "MinCount": 1,
                "MaxCount": 2,
                "NetworkInterfaces": [{"Groups": ["sg-1"], "AssociatePublicIpAddress": False}],
            },
        ),
        (
            ELB,
            "CreateTargetGroup",
            "Action=CreateTargetGroup&Name=a&Port=5201&Tags.member.1.Key=k&Tags.member.1.Value=",
            {"Name": "a", "Port": 5201, "Tags": [{"Key": "k", "Value": ""}]},
        ),
        (ELB, "CreateLoadBalancer", "Name=a&SecurityGroups=", {"Name": "a", "SecurityGroups": []}),
    ],
)
def test_a_request_is_read_into_the_names_and_types_of_the_api(protocol, action, form, request_read):
    assert protocol.read(action, form, {}) == request_read


@pytest.mark.parametrize(
    ("protocol", "action", "form", "code", "sentence"),
    [
        (EC2, "CreateSecurityGroup", "GroupName=g&GroupDescription=d&Colour=red", "UnknownParameter", "Colour"),
        (EC2, "CreateSecurityGroup", "GroupName=g", "MissingParameter", "Description"),
        (EC2, "DescribeInstances", "Filter=x&Filter.1.Name=y", "InvalidParameterCombination", "Filter.1.Name"),
        (ELB, "CreateTargetGroup", "Name=a&Colour=red", "ValidationError", "Colour"),
        (ELB, "DeleteListener", "", "ValidationError", "ListenerArn"),
        (protocol_of("ssm"), "SendCommand", "{}", "ValidationException", "DocumentName"),
    ],
)
def test_a_request_that_the_model_does_not_allow_is_refused(protocol, action, form, code, sentence):
    with pytest.raises(AwsError, match=sentence) as caught:
        protocol.read(action, form, {})
    assert caught.value.code == code


def test_a_result_is_written_with_the_names_of_the_wire_and_without_what_is_absent():
    launched = datetime.datetime(2026, 11, 22, tzinfo=datetime.UTC)
    instance = {"InstanceId": "i-1", "PublicIpAddress": None, "LaunchTime": launched, "EbsOptimized": False}
    body = EC2.write("DescribeInstances", {"Reservations": [{"Instances": [instance]}]})[2].decode()
    assert body.endswith(
        "<reservationSet><item><instancesSet><item><instanceId>i-1</instanceId>"
        "<launchTime>2026-11-22T00:00:00.000Z</launchTime><ebsOptimized>false</ebsOptimized>"
        "</item></instancesSet></item></reservationSet></DescribeInstancesResponse>"
    )


def test_a_result_with_a_name_that_the_model_does_not_have_is_an_error():
    with pytest.raises(KeyError, match="Colour"):
        EC2.write("DescribeInstances", {"Reservations": [{"Colour": "red"}]})


def test_only_actions_with_pages_are_answered_page_by_page():
    def result():
        return {"ResultSet": {"Rows": [1, 2, 3]}}

    first = page("athena", "GetQueryResults", {"MaxResults": 2}, result(), 1000)
    assert first == {"ResultSet": {"Rows": [1, 2]}, "NextToken": "2"}
    assert page("athena", "GetQueryResults", {"NextToken": "2"}, result(), 1000) == {"ResultSet": {"Rows": [3]}}
    assert page("ec2", "DescribePlacementGroups", {}, {"PlacementGroups": [1, 2]}, 1) == {"PlacementGroups": [1, 2]}
