"""The lab's files: one folder in the checkout, most of which the next run deletes."""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


class LabPaths:
    """Files and folders under `.lab/`."""

    def __init__(self, root: Path = REPOSITORY / ".lab") -> None:
        self.root = root
        self.lock = root / "lock"
        self.aws_state = root / "state"
        self.home = root / "home"
        self.hosts = root / "hosts"
        self.logs = root / "logs"
        self.reports = root / "reports"
        self.cloud_assembly = root / "cdk.out"

    def make(self) -> None:
        for folder in (self.aws_state, self.home, self.hosts, self.logs, self.reports):
            folder.mkdir(parents=True, exist_ok=True)
