"""What the account has beside the stack: networks and images of the user's own, and launches into and from them."""

import json

import pytest
from conftest import REPOSITORY, main_table

ACCOUNT = json.loads((REPOSITORY / "lab" / "user-account.json").read_text())
APPLICATIONS, DATABASES, OFFICE = (vpc["vpcId"] for vpc in ACCOUNT["vpcs"])
PRIVATE, OTHER_ZONE, FULL, NAT, PUBLIC = (subnet["subnetId"] for subnet in ACCOUNT["vpcs"][0]["subnets"])
DATABASES_A = ACCOUNT["vpcs"][1]["subnets"][0]["subnetId"]
OFFICE_A = ACCOUNT["vpcs"][2]["subnets"][0]["subnetId"]
WITH_TOOLS, WITHOUT_TOOLS, ARM64 = (image["imageId"] for image in ACCOUNT["images"])


@pytest.fixture(scope="module")
def groups(aws):
    """A security group without rules in each of the user's VPCs."""
    ec2 = aws.client("ec2")
    made = {
        vpc: ec2.create_security_group(GroupName="own", Description="d", VpcId=vpc)["GroupId"]
        for vpc in (APPLICATIONS, DATABASES, OFFICE)
    }
    yield made
    for group in made.values():
        ec2.delete_security_group(GroupId=group)


@pytest.fixture
def launch_in(aws, launch, groups, state_of, wait_until):
    """Launches into a subnet of the user's, without a public address; waits at the end until all have ended."""
    launched = []

    def run(subnet, public=False, **more):
        vpc = aws.client("ec2").describe_subnets(SubnetIds=[subnet])["Subnets"][0]["VpcId"]
        interface = {"SubnetId": subnet, "Groups": [groups[vpc]], "AssociatePublicIpAddress": public}
        instance = launch(interface=interface | more.pop("interface", {}), **more)
        launched.append(instance["InstanceId"])
        return instance

    yield run
    if launched:
        aws.client("ec2").terminate_instances(InstanceIds=launched)
    assert wait_until(lambda: all(state_of(one) == "terminated" for one in launched))


def test_the_user_s_networks_are_there_under_their_ids(aws):
    ec2 = aws.client("ec2")
    vpcs = ec2.describe_vpcs(VpcIds=[APPLICATIONS, DATABASES, OFFICE])["Vpcs"]
    assert {vpc["CidrBlock"] for vpc in vpcs} == {"10.80.0.0/16", "10.81.0.0/16", "10.82.0.0/16"}
    found = {
        one["SubnetId"]: (one["VpcId"], one["AvailabilityZone"], one["AvailabilityZoneId"], one["State"])
        for one in ec2.describe_subnets(SubnetIds=[PRIVATE, OTHER_ZONE, OFFICE_A])["Subnets"]
    }
    assert found == {
        PRIVATE: (APPLICATIONS, "us-east-1a", "use1-az4", "available"),
        OTHER_ZONE: (APPLICATIONS, "us-east-1b", "use1-az6", "available"),
        OFFICE_A: (OFFICE, "us-east-1a", "use1-az4", "available"),
    }


def test_networks_are_connected_by_their_routes_alone(aws):
    connected = {tuple(line["networks"]) for line in aws.journal("connect")}
    assert (PRIVATE, OTHER_ZONE) in connected
    assert {(subnet, DATABASES_A) for subnet in (PRIVATE, OTHER_ZONE, FULL, NAT, PUBLIC)} <= connected
    assert not [pair for pair in connected if OFFICE_A in pair]


def test_a_subnet_s_own_table_and_its_most_specific_route_decide(aws):
    ec2 = aws.client("ec2")

    def make(number, *zones):
        vpc = ec2.create_vpc(CidrBlock=f"10.{number}.0.0/16")["Vpc"]["VpcId"]
        places = [{"CidrBlock": f"10.{number}.{at}.0/24", "AvailabilityZone": zone} for at, zone in enumerate(zones)]
        return vpc, [ec2.create_subnet(VpcId=vpc, **place)["Subnet"]["SubnetId"] for place in places]

    near, (first, second) = make(84, "us-east-1a", "us-east-1b")
    far, (other,) = make(85, "us-east-1a")
    asked = ec2.create_vpc_peering_connection(VpcId=near, PeerVpcId=far)["VpcPeeringConnection"]
    peering = {"VpcPeeringConnectionId": asked["VpcPeeringConnectionId"]}
    ec2.accept_vpc_peering_connection(**peering)

    def changes(what, subnet):
        return len(aws.journal(what, networks=sorted([subnet, other])))

    def ups_and_downs():
        return [(changes("connect", subnet), changes("disconnect", subnet)) for subnet in (first, second)]

    ec2.create_route(RouteTableId=main_table(ec2, near), DestinationCidrBlock="10.85.0.0/16", **peering)
    assert ups_and_downs() == [(0, 0), (0, 0)]  # there is no way back yet
    ec2.create_route(RouteTableId=main_table(ec2, far), DestinationCidrBlock="10.84.0.0/15", **peering)
    assert ups_and_downs() == [(1, 0), (1, 0)]
    own = ec2.create_route_table(VpcId=near)["RouteTable"]["RouteTableId"]
    ec2.associate_route_table(RouteTableId=own, SubnetId=second)
    assert ups_and_downs() == [(1, 0), (1, 1)]
    elsewhere = {"DestinationCidrBlock": "10.85.0.0/24", "TransitGatewayId": "tgw-0a1b2c3d4e5f60001"}
    ec2.create_route(RouteTableId=main_table(ec2, near), **elsewhere)
    assert ups_and_downs() == [(1, 1), (1, 1)]
    ec2.delete_vpc_peering_connection(**peering)


def test_subnets_that_do_not_exist_and_those_of_another_region_are_refused(aws, launch_in, code_of):
    ec2 = aws.client("ec2")
    gone = "subnet-0a1b2c3d4e5f79999"
    assert code_of(ec2.describe_subnets, SubnetIds=[PRIVATE, gone]) == "InvalidSubnetID.NotFound"
    assert code_of(launch_in, PRIVATE, interface={"SubnetId": gone}) == "InvalidSubnetID.NotFound"


def test_free_addresses_fall_with_hosts_and_a_subnet_can_be_full(aws, launch_in, state_of, wait_until, code_of):
    ec2 = aws.client("ec2")

    def free(subnet):
        return ec2.describe_subnets(SubnetIds=[subnet])["Subnets"][0]["AvailableIpAddressCount"]

    assert (free(PRIVATE), free(FULL)) == (251, 0)
    instance = launch_in(PRIVATE)
    assert instance["PrivateIpAddress"].startswith("10.80.1.")
    assert free(PRIVATE) == 250
    ec2.terminate_instances(InstanceIds=[instance["InstanceId"]])
    assert wait_until(lambda: state_of(instance["InstanceId"]) == "terminated")
    assert free(PRIVATE) == 251
    assert code_of(launch_in, FULL) == "InsufficientFreeAddressesInSubnet"


def new_network(aws, number):
    """A VPC, and the place of a host's interface in it."""
    ec2 = aws.client("ec2")
    vpc = ec2.create_vpc(CidrBlock=f"10.{number}.0.0/16")["Vpc"]["VpcId"]
    block = {"VpcId": vpc, "CidrBlock": f"10.{number}.1.0/24", "AvailabilityZone": "us-east-1a"}
    group = ec2.create_security_group(GroupName="hosts", Description="d", VpcId=vpc)["GroupId"]
    return vpc, {"SubnetId": ec2.create_subnet(**block)["Subnet"]["SubnetId"], "Groups": [group]}


def test_networks_with_overlapping_addresses_never_share_one(aws, launch_in):
    vpc, place = new_network(aws, 80)
    hosts = [launch_in(PRIVATE), launch_in(PRIVATE, interface=place)]
    assert len({host["PrivateIpAddress"] for host in hosts}) == 2
    assert [host["VpcId"] for host in hosts] == [APPLICATIONS, vpc]
    assert not [line for line in aws.journal("connect") if place["SubnetId"] in line["networks"]]


def test_images_are_described_and_unknown_ones_are_refused(aws, code_of):
    ec2, ssm = aws.client("ec2"), aws.client("ssm")
    found = {
        one["ImageId"]: (one["Name"], one["Architecture"], one["RootDeviceName"], one["State"])
        for one in ec2.describe_images(Owners=["self"])["Images"]
    }
    assert found == {
        WITH_TOOLS: ("with-tools-x86_64", "x86_64", "/dev/xvda", "available"),
        WITHOUT_TOOLS: ("without-tools-x86_64", "x86_64", "/dev/xvda", "available"),
        ARM64: ("with-tools-arm64", "arm64", "/dev/sda1", "available"),
    }
    for name, architecture in (("amd64", "x86_64"), ("arm64", "arm64")):
        parameter = f"/aws/service/canonical/ubuntu/server/24.04/stable/current/{name}/hvm/ebs-gp3/ami-id"
        image_id = ssm.get_parameter(Name=parameter)["Parameter"]["Value"]
        (image,) = ec2.describe_images(ImageIds=[image_id])["Images"]
        assert (image["Architecture"], image["RootDeviceName"]) == (architecture, "/dev/sda1")
    assert ssm.get_parameter(Name="/network-benchmark/images/x86_64")["Parameter"]["Value"] == WITH_TOOLS
    assert code_of(ssm.get_parameter, Name="/network-benchmark/images/none") == "ParameterNotFound"
    assert code_of(ec2.describe_images, ImageIds=["ami-0a1b2c3d4e5f89999"]) == "InvalidAMIID.NotFound"
    assert code_of(ec2.describe_images, ImageIds=["ami-x"]) == "InvalidAMIID.Malformed"
    arm64 = [{"Name": "architecture", "Values": ["arm64"]}]
    assert [one["ImageId"] for one in ec2.describe_images(Filters=arm64, Owners=["self"])["Images"]] == [ARM64]


def test_an_image_of_another_architecture_or_an_unknown_one_is_not_launched(launch_in, code_of):
    assert code_of(launch_in, PRIVATE, ImageId=ARM64) == "InvalidParameterValue"
    assert code_of(launch_in, PRIVATE, ImageId="ami-0a1b2c3d4e5f89999") == "InvalidAMIID.NotFound"


@pytest.mark.parametrize(
    ("subnet", "public", "image", "has_tools", "is_published"),
    [
        (PRIVATE, False, WITHOUT_TOOLS, False, False),
        (PRIVATE, False, WITH_TOOLS, True, False),
        # A public address is of no use without an internet gateway.
        (PRIVATE, True, WITHOUT_TOOLS, False, False),
        (NAT, False, WITHOUT_TOOLS, True, False),
        (PUBLIC, False, WITHOUT_TOOLS, False, False),
        (PUBLIC, True, WITHOUT_TOOLS, True, True),
    ],
)
def test_a_plain_host_gets_its_tools_where_it_has_a_way_out(
    aws, launch_in, subnet, public, image, has_tools, is_published
):
    instance = launch_in(subnet, public=public, ImageId=image)
    settings = aws.settings(instance)
    assert (settings["has_tools"], settings["public_ip"] is not None) == (has_tools, is_published)
    assert ("PublicIpAddress" in instance) == public


def online(aws):
    found = aws.client("ssm").describe_instance_information()["InstanceInformationList"]
    return {one["InstanceId"] for one in found}


def test_without_endpoints_and_a_way_out_a_host_never_comes_online(aws, launch_in, wait_until, describe):
    vpc, place = new_network(aws, 83)
    cut_off = launch_in(PRIVATE, ImageId=WITH_TOOLS, interface=place)["InstanceId"]
    private = launch_in(PRIVATE, ImageId=WITH_TOOLS)["InstanceId"]

    assert wait_until(lambda: private in online(aws))
    assert describe(cut_off)["State"]["Name"] == "running"
    assert cut_off not in online(aws)
    for service in ("ssm", "ssmmessages"):
        endpoint = {"ServiceName": f"com.amazonaws.us-east-1.{service}", "VpcEndpointType": "Interface"}
        aws.client("ec2").create_vpc_endpoint(VpcId=vpc, **endpoint)
    late = launch_in(PRIVATE, ImageId=WITH_TOOLS, interface=place)["InstanceId"]
    assert wait_until(lambda: late in online(aws))


def mapping(name, **volume):
    return {"DeviceName": name, "Ebs": {"VolumeType": "gp3", "DeleteOnTermination": True, **volume}}


def test_devices_of_the_template_and_the_launch_are_merged_by_name(aws, launch_in, wait_until, describe, code_of):
    ec2 = aws.client("ec2")
    data = {"BlockDeviceMappings": [mapping("/dev/sda1", VolumeSize=8)]}
    ec2.create_launch_template(LaunchTemplateName="usual root", LaunchTemplateData=data)
    usual = {"LaunchTemplate": {"LaunchTemplateName": "usual root"}}

    def devices(instance):
        found = describe(instance["InstanceId"])
        return found["RootDeviceName"], sorted(one["DeviceName"] for one in found["BlockDeviceMappings"])

    assert devices(launch_in(NAT, **usual)) == ("/dev/sda1", ["/dev/sda1"])
    doubled = launch_in(PRIVATE, ImageId=WITH_TOOLS, **usual)
    assert devices(doubled) == ("/dev/xvda", ["/dev/sda1", "/dev/xvda"])
    omitted = {"DeviceName": "/dev/sda1", "NoDevice": ""}
    maps = {"BlockDeviceMappings": [mapping("/dev/xvda", VolumeSize=8), omitted]}
    booting = launch_in(PRIVATE, ImageId=WITH_TOOLS, **usual, **maps)
    assert devices(booting) == ("/dev/xvda", ["/dev/xvda"])

    assert wait_until(lambda: booting["InstanceId"] in online(aws))
    # An empty volume in the usual place of the root is taken for it.
    assert doubled["InstanceId"] not in online(aws)
    small, without_size = [mapping("/dev/xvda", VolumeSize=4)], [mapping("/dev/sdf")]
    launch = {"ImageId": WITH_TOOLS, "BlockDeviceMappings": small}
    assert code_of(launch_in, PRIVATE, **launch) == "InvalidBlockDeviceMapping"
    assert code_of(launch_in, PRIVATE, **launch | {"BlockDeviceMappings": without_size}) == "MissingParameter"


def test_security_groups_of_the_user_s_vpcs_are_enforced(aws, groups, launch_in, wait_until, code_of):
    ec2 = aws.client("ec2")
    near, far = launch_in(PRIVATE, ImageId=WITH_TOOLS), launch_in(DATABASES_A, ImageId=WITH_TOOLS)
    # Groups without rules admit nothing.
    assert wait_until(lambda: aws.admitted(near) == aws.admitted(far) == set())

    def admit(vpc, **source):
        rule = {"IpProtocol": "tcp", "FromPort": 0, "ToPort": 65535, **source}
        ec2.authorize_security_group_ingress(GroupId=groups[vpc], IpPermissions=[rule])
        return lambda: ec2.revoke_security_group_ingress(GroupId=groups[vpc], IpPermissions=[rule])

    near_block = f"{near['PrivateIpAddress']}/32"
    revoke = admit(DATABASES, IpRanges=[{"CidrIp": near_block}])
    assert wait_until(lambda: aws.admitted(far) == {near_block})
    revoke()
    assert wait_until(lambda: aws.admitted(far) == set())
    # A rule may name a group of a peered VPC, and none of any other VPC.
    revoke = admit(DATABASES, UserIdGroupPairs=[{"GroupId": groups[APPLICATIONS]}])
    assert wait_until(lambda: aws.admitted(far) == {near["PrivateIpAddress"]})
    revoke()
    assert code_of(admit, OFFICE, UserIdGroupPairs=[{"GroupId": groups[APPLICATIONS]}]) == "InvalidGroup.NotFound"
    foreign = {"Groups": [groups[OFFICE]]}
    assert code_of(launch_in, PRIVATE, interface=foreign) == "InvalidParameter"
