"""CloudFormation's schedules, whole: MiniStack's leaves out time zone, dates and every refusal."""

from __future__ import annotations

from typing import Any

from ministack.services import scheduler
from ministack.services.cloudformation import provisioners

Properties = dict[str, Any]
UTC = ("UTC", "Etc/UTC")


def create_schedule(logical_id: str, properties: Properties, stack_name: str) -> tuple[str, Properties]:
    time_zone = properties.get("ScheduleExpressionTimezone", UTC[0])
    if time_zone not in UTC:
        raise ValueError(f"{logical_id}: ScheduleExpressionTimezone must be one of {UTC} in the lab, got {time_zone}")
    name = properties.get("Name") or provisioners._physical_name(stack_name, logical_id, max_len=64)
    status, _, body = scheduler._create_schedule(name, {key: properties[key] for key in properties if key != "Name"})
    if status >= 300:
        raise ValueError(f"{logical_id}: {body.decode() if isinstance(body, bytes) else body}")
    return name, {"Arn": scheduler._schedule_arn(properties.get("GroupName", "default"), name)}


def delete_schedule(name: str, properties: Properties) -> None:
    scheduler._delete_schedule(name, {"groupName": properties.get("GroupName", "default")})
