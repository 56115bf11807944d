"""The embedded AWS as the lab's runner starts and ends it."""

from pathlib import Path

import pytest

from lab.runner import LabError, embedded_aws
from lab.runner.paths import LabPaths


def test_an_embedded_aws_that_had_to_be_killed_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded_aws, "STOP_DEADLINE_SECONDS", 0)
    paths = LabPaths(tmp_path)
    paths.renew()
    with (
        pytest.raises(LabError, match="did not end within 0 s and was killed, so that the next lab has its state as"),
        embedded_aws.embedded_aws(paths, with_hosts=False),
    ):
        pass
