"""Creates what the lab's account has from the start: what `cdk bootstrap` creates, and the user's networks.

The real `cdk deploy` needs the version parameter, the bucket of assets and the roles that it assumes; creating them
here saves 6 to 16 seconds. `lab/user-account.json` describes the user's networks and images, whose ids never change, so
that a plan can name them. Every VPC has endpoints for Systems Manager, STS and S3. A subnet is private unless it has a
`wayOut`: `nat` (through the NAT gateway in the VPC's subnet `internet`) or `internet` (through an internet gateway).
Peered VPCs have routes to each other in every table.
"""

import json

from lab.aws import embedded
from lab.aws.described_account import ACCOUNT, Described
from lab.aws.settings import ACCOUNT_ID, REGION
from lab.aws.wire import AwsError

QUALIFIER = "hnb659fds"
VERSION = "30"
ROLES = ("deploy-role", "file-publishing-role", "image-publishing-role", "lookup-role", "cfn-exec-role")
TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"AWS": ACCOUNT_ID}, "Action": "sts:AssumeRole"}],
}


def bootstrap() -> None:
    """Creates whatever is missing, because the state of an earlier run may have some or all of it."""
    with embedded.lab_scope():
        _create_unless_there("s3", "CreateBucket", Bucket=f"cdk-{QUALIFIER}-assets-{ACCOUNT_ID}-{REGION}")
        parameter = {"Name": f"/cdk-bootstrap/{QUALIFIER}/version", "Type": "String", "Value": VERSION}
        embedded.call("ssm", "PutParameter", **parameter, Overwrite=True)
        for role in ROLES:
            name = f"cdk-{QUALIFIER}-{role}-{ACCOUNT_ID}-{REGION}"
            _create_unless_there("iam", "CreateRole", RoleName=name, AssumeRolePolicyDocument=json.dumps(TRUST))
        _create_networks()
        for name, value in ACCOUNT["parameters"].items():
            embedded.call("ssm", "PutParameter", Name=name, Type="String", Value=value, Overwrite=True)


def _create_unless_there(service: str, operation: str, **parameters: str) -> None:
    try:
        embedded.call(service, operation, **parameters)
    except AwsError as error:
        if error.code not in ("BucketAlreadyOwnedByYou", "EntityAlreadyExists"):
            raise


def _create_networks() -> None:
    """Creates the networks unless the saved state has them. Call it before the server accepts connections."""
    vpcs: list[Described] = ACCOUNT["vpcs"]
    known = {vpc["VpcId"] for vpc in embedded.call("ec2", "DescribeVpcs")["Vpcs"]}
    if vpcs[0]["vpcId"] in known:
        return
    for vpc in vpcs:
        with embedded.next_id("vpc", vpc["vpcId"]):
            embedded.call("ec2", "CreateVpc", CidrBlock=vpc["cidrBlock"], TagSpecifications=_name("vpc", vpc["name"]))
        for subnet in vpc["subnets"]:
            _create_subnet(vpc, subnet)
        for service in ACCOUNT["endpoints"]:
            kind = "Gateway" if service == "s3" else "Interface"
            name = f"com.amazonaws.{REGION}.{service}"
            embedded.call("ec2", "CreateVpcEndpoint", VpcId=vpc["vpcId"], ServiceName=name, VpcEndpointType=kind)
        _create_ways_out(vpc)
    for vpc_ids in ACCOUNT["peerings"]:
        _peer(*(vpc for vpc in vpcs if vpc["vpcId"] in vpc_ids))


def _create_subnet(vpc: Described, subnet: Described) -> None:
    with embedded.next_id("subnet", subnet["subnetId"]):
        place = {"VpcId": vpc["vpcId"], "CidrBlock": subnet["cidrBlock"], "AvailabilityZone": subnet["zone"]}
        embedded.call("ec2", "CreateSubnet", **place, TagSpecifications=_name("subnet", vpc["name"]))


def _create_ways_out(vpc: Described) -> None:
    ways_out = {subnet["wayOut"]: subnet["subnetId"] for subnet in vpc["subnets"] if "wayOut" in subnet}
    if not ways_out:
        return
    gateway_id = embedded.call("ec2", "CreateInternetGateway")["InternetGateway"]["InternetGatewayId"]
    embedded.call("ec2", "AttachInternetGateway", InternetGatewayId=gateway_id, VpcId=vpc["vpcId"])
    nat_gateway = embedded.call("ec2", "CreateNatGateway", SubnetId=ways_out["internet"])["NatGateway"]
    targets = {"internet": {"GatewayId": gateway_id}, "nat": {"NatGatewayId": nat_gateway["NatGatewayId"]}}
    for way_out, subnet_id in ways_out.items():
        table_id = embedded.call("ec2", "CreateRouteTable", VpcId=vpc["vpcId"])["RouteTable"]["RouteTableId"]
        embedded.call("ec2", "AssociateRouteTable", RouteTableId=table_id, SubnetId=subnet_id)
        route = {"DestinationCidrBlock": "0.0.0.0/0", **targets[way_out]}
        embedded.call("ec2", "CreateRoute", RouteTableId=table_id, **route)


def _peer(vpc: Described, other: Described) -> None:
    created = embedded.call("ec2", "CreateVpcPeeringConnection", VpcId=vpc["vpcId"], PeerVpcId=other["vpcId"])
    peering = {"VpcPeeringConnectionId": created["VpcPeeringConnection"]["VpcPeeringConnectionId"]}
    embedded.call("ec2", "AcceptVpcPeeringConnection", **peering)
    for table in embedded.call("ec2", "DescribeRouteTables")["RouteTables"]:
        for near, far in ((vpc, other), (other, vpc)):
            if table["VpcId"] == near["vpcId"]:
                route = {"DestinationCidrBlock": far["cidrBlock"], **peering}
                embedded.call("ec2", "CreateRoute", RouteTableId=table["RouteTableId"], **route)


def _name(resource_type: str, name: str) -> list[Described]:
    return [{"ResourceType": resource_type, "Tags": [{"Key": "Name", "Value": name}]}]
