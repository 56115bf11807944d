"""The lab's files: one folder in the checkout."""

import shutil
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
        self.aws_log = self.logs / "aws.log"
        self.deploy_log = self.logs / "deploy.log"
        self.deployment = self.aws_state / "deployment.json"
        self.reports = root / "reports"
        self.cloud_assembly = root / "cdk.out"

    def renew(self) -> None:
        """Deletes what the last run left, except its reports, and makes the folders."""
        shutil.rmtree(self.cloud_assembly, ignore_errors=True)
        for folder in (self.aws_state, self.home, self.hosts, self.logs):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True, exist_ok=True)
