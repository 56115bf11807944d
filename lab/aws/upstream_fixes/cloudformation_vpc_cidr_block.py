"""CloudFormation: `Fn::GetAtt` of a VPC's CidrBlock.

MiniStack: the resource AWS::EC2::VPC returns no attribute CidrBlock, so that a template which reads it fails.
AWS: CidrBlock is a return value of the type
(https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-vpc.html).
Fix: the provisioner adds the attribute.
"""

from collections.abc import Callable
from typing import Any

from lab.aws import embedded


def install() -> None:
    handlers = embedded.CLOUDFORMATION_TYPES.value
    vpc = handlers["AWS::EC2::VPC"]
    handlers["AWS::EC2::VPC"] = vpc | {verb: _with_cidr_block(vpc[verb]) for verb in ("create", "update")}


def _with_cidr_block(original: Callable[..., Any]) -> Callable[..., Any]:
    def handle(*arguments: Any) -> Any:
        vpc_id, attributes = original(*arguments)
        vpc = embedded.call("ec2", "DescribeVpcs", VpcIds=[vpc_id])["Vpcs"][0]
        return vpc_id, attributes | {"CidrBlock": vpc["CidrBlock"]}

    return handle
