"""The quotas on vCPUs of the lab's account, by families of instance types."""

from lab.aws.wire import AwsError

DEFAULT_VCPUS = 256.0
# Name of each quota's families, and the letters that the names of their types begin with; the longest match counts.
FAMILIES = {
    "L-1216C47A": ("Standard (A, C, D, H, I, M, R, T, Z)", ("a", "c", "d", "h", "i", "m", "r", "t", "z")),
    "L-DB2E81BA": ("G and VT", ("g", "vt")),
    "L-417A185B": ("P", ("p",)),
    "L-74FC7D96": ("F", ("f",)),
    "L-7295265B": ("X", ("x",)),
    "L-6E869C2A": ("DL", ("dl",)),
    "L-1945791B": ("Inf", ("inf",)),
    "L-2C3B7624": ("Trn", ("trn",)),
    "L-F7808C92": ("HPC", ("hpc",)),
    "L-43DA4232": ("High Memory", ("u",)),
}


def quota_code(instance_type: str) -> str:
    """The code of the quota that a type counts against."""
    codes = {prefix: code for code, (_, prefixes) in FAMILIES.items() for prefix in prefixes}
    prefix = max((prefix for prefix in codes if instance_type.startswith(prefix)), key=len, default=None)
    if prefix is None:
        raise AwsError("InvalidParameterValue", f"Invalid value '{instance_type}' for InstanceType.")
    return codes[prefix]
