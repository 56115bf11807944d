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
        # The state that the lab is replacing, until its results have been carried over.
        self.replaced_state = root / "replaced-state"
        self.home = root / "home"
        self.hosts = root / "hosts"
        self.logs = root / "logs"
        self.aws_log = self.logs / "aws.log"
        self.deploy_log = self.logs / "deploy.log"
        self.reports = root / "reports"
        # What SNS would have sent by e-mail.
        self.mails = root / "mail"
        # The page over all runs, with links to the reports beside it.
        self.index = root / "index.html"
        self.cloud_assembly = root / "cdk.out"

    @property
    def contents(self) -> dict[str, Path]:
        """Returns everything in the folder but the lock, by what it is."""
        return {
            "store": self.aws_state,
            "replaced store": self.replaced_state,
            "reports": self.reports,
            "mails": self.mails,
            "logs": self.logs,
            "hosts": self.hosts,
            "deployment": self.cloud_assembly,
            "home": self.home,
        }

    def renew(self) -> None:
        """Deletes what the last run left beside its store and the reports, and makes the folders."""
        for folder in (self.cloud_assembly, self.home, self.hosts, self.logs):
            shutil.rmtree(folder, ignore_errors=True)
        for folder in (self.aws_state, self.home, self.hosts, self.logs):
            folder.mkdir(parents=True, exist_ok=True)
