"""Zones have a name of the account and an id that is the same everywhere, and the lab's account mixes their orders."""


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
