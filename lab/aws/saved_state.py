"""Saved state of the embedded AWS: every service's except S3's objects, which are on disk at once.

A marker file exists only while the state is written, so it tells a state whose writing was interrupted. Old executions
are not saved, because their histories would slow down every start and end.
"""

from collections.abc import Callable
from typing import Any

from lab.aws import embedded
from lab.aws.settings import BEING_WRITTEN, Options

# These are about twenty usual runs. AWS keeps executions for 90 days.
KEPT_EXECUTIONS = 100


def install(options: Options) -> None:
    mark = options.state_dir / BEING_WRITTEN

    def save_all(original: Callable[..., None], services: dict[str, Any]) -> None:
        if not options.saves_state:
            return
        with embedded.lab_scope():
            _drop_old_executions()
        mark.touch()
        original(services)
        mark.unlink()

    embedded.SAVE_ALL.wrap(save_all)


def _drop_old_executions() -> None:
    executions: dict[str, dict[str, Any]] = embedded.STATES_EXECUTIONS.value
    over = [arn for arn, execution in list(executions.items()) if execution["status"] != "RUNNING"]
    newest_first = sorted(over, key=lambda arn: str(executions[arn]["startDate"]), reverse=True)
    for arn in newest_first[KEPT_EXECUTIONS:]:
        del executions[arn]
