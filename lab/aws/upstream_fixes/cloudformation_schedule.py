"""CloudFormation: schedules of EventBridge Scheduler.

MiniStack: AWS::Scheduler::Schedule ignores time zone, start and end date, and accepts what CreateSchedule refuses.
AWS: the type has all properties of CreateSchedule, and a refused schedule fails the stack
(https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-scheduler-schedule.html).
Fix: the provisioner hands all properties to CreateSchedule. MiniStack's scheduler knows UTC only, so that another time
zone fails the stack instead of being ignored.
"""

from __future__ import annotations

import secrets
from typing import Any

from lab.aws import embedded
from lab.aws.wire import AwsError

Properties = dict[str, Any]
UTC = ("UTC", "Etc/UTC")
MAX_NAME_LENGTH = 64


def install() -> None:
    handlers = embedded.CLOUDFORMATION_TYPES.value
    handlers["AWS::Scheduler::Schedule"] = handlers["AWS::Scheduler::Schedule"] | {
        "create": _create,
        "delete": _delete,
        "update": _update,
        "update_with_logical_id": True,
    }


def _create(logical_id: str, properties: Properties, stack_name: str) -> tuple[str, Properties]:
    time_zone = properties.get("ScheduleExpressionTimezone", UTC[0])
    if time_zone not in UTC:
        raise ValueError(f"{logical_id}: ScheduleExpressionTimezone must be one of {UTC} in the lab, got {time_zone}")
    ending = f"-{secrets.token_hex(6).upper()}"
    name = properties.get("Name") or f"{stack_name}-{logical_id}"[: MAX_NAME_LENGTH - len(ending)] + ending
    try:
        created = embedded.call("scheduler", "CreateSchedule", **(properties | {"Name": name}))
    except AwsError as error:
        raise ValueError(f"{logical_id}: {error.code}: {error.message}") from error
    return name, {"Arn": created["ScheduleArn"]}


def _delete(name: str, properties: Properties) -> None:
    try:
        embedded.call("scheduler", "DeleteSchedule", Name=name, GroupName=properties.get("GroupName", "default"))
    except AwsError as error:
        if error.code != "ResourceNotFoundException":
            raise


def _update(
    physical_id: str, old: Properties, new: Properties, stack_name: str, logical_id: str | None = None
) -> tuple[str, Properties]:
    _delete(physical_id, old)
    return _create(logical_id or physical_id, new, stack_name)
