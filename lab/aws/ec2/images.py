"""Images: Canonical's, which public SSM parameters name, and the user's own."""

import re
from dataclasses import dataclass
from typing import Any

from lab.aws.described_account import ACCOUNT
from lab.aws.settings import ACCOUNT_ID
from lab.aws.wire import AwsError

IMAGE_ID = re.compile("ami-[0-9a-f]{8}(?:[0-9a-f]{9})?")
CANONICAL_ID = "099720109477"
PUBLIC_PARAMETER = "/aws/service/canonical/ubuntu/server/24.04/stable/current/{}/hvm/ebs-gp3/ami-id"


@dataclass(frozen=True)
class Image:
    image_id: str
    name: str
    architecture: str
    root_device_name: str
    has_tools: bool
    """Whether it contains what the documents need. Otherwise user data installs it, which needs a way out."""
    owner_id: str = ACCOUNT_ID
    volume_gibibytes: int = 8

    @property
    def snapshot_id(self) -> str:
        """Returns the id of the root volume's snapshot."""
        return self.image_id.replace("ami-", "snap-")


def _canonical_s(image_id: str, debian_architecture: str, architecture: str) -> Image:
    name = f"ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-{debian_architecture}-server-20261101"
    return Image(image_id, name, architecture, "/dev/sda1", False, CANONICAL_ID)


_BY_PARAMETER = {
    "amd64": _canonical_s("ami-0a1b2c3d4e5f60001", "amd64", "x86_64"),
    "arm64": _canonical_s("ami-0a1b2c3d4e5f60002", "arm64", "arm64"),
}
PUBLIC_PARAMETERS = {PUBLIC_PARAMETER.format(name): image.image_id for name, image in _BY_PARAMETER.items()}
_OWN = [
    Image(one["imageId"], one["name"], one["architecture"], one["rootDeviceName"], one["hasTools"])
    for one in ACCOUNT["images"]
]
IMAGES = {image.image_id: image for image in [*_BY_PARAMETER.values(), *_OWN]}


def image_of(image_id: str) -> Image:
    """Returns the image; raises AwsError InvalidAMIID.Malformed or InvalidAMIID.NotFound."""
    if not IMAGE_ID.fullmatch(image_id):
        raise AwsError("InvalidAMIID.Malformed", f'Invalid id: "{image_id}" (expecting "ami-...")')
    if image_id not in IMAGES:
        raise AwsError("InvalidAMIID.NotFound", f"The image id '[{image_id}]' does not exist")
    return IMAGES[image_id]


def image_view(image: Image) -> dict[str, Any]:
    volume = {"SnapshotId": image.snapshot_id, "VolumeSize": image.volume_gibibytes, "VolumeType": "gp3"}
    return {
        "ImageId": image.image_id,
        "State": "available",
        "OwnerId": image.owner_id,
        "Public": image.owner_id != ACCOUNT_ID,
        "Architecture": image.architecture,
        "Name": image.name,
        "RootDeviceName": image.root_device_name,
        "BlockDeviceMappings": [{"DeviceName": image.root_device_name, "Ebs": volume}],
        "Hypervisor": "xen",
    }
