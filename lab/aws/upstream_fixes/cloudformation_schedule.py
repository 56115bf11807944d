"""CloudFormation: schedules of EventBridge Scheduler.

MiniStack: AWS::Scheduler::Schedule ignores time zone, start and end date, and accepts what CreateSchedule refuses.
AWS: the type has all properties of CreateSchedule, and a refused schedule fails the stack
(https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-scheduler-schedule.html).
Fix: the provisioner hands all properties to CreateSchedule. MiniStack's scheduler knows UTC only, so that another time
zone fails the stack instead of being ignored.
"""

import secrets

from lab.aws import embedded
from lab.aws.cloudformation import Created, Properties, call_for, delete_if_there, replaced_when_updated

UTC = ("UTC", "Etc/UTC")
MAX_NAME_LENGTH = 64


def install() -> None:
    embedded.CLOUDFORMATION_TYPES.value["AWS::Scheduler::Schedule"] |= replaced_when_updated(_create, _delete)


def _create(logical_id: str, properties: Properties, stack_name: str) -> Created:
    time_zone = properties.get("ScheduleExpressionTimezone", UTC[0])
    if time_zone not in UTC:
        raise ValueError(f"{logical_id}: ScheduleExpressionTimezone must be one of {UTC} in the lab, got {time_zone}")
    ending = f"-{secrets.token_hex(6).upper()}"
    name = properties.get("Name") or f"{stack_name}-{logical_id}"[: MAX_NAME_LENGTH - len(ending)] + ending
    created = call_for(logical_id, "scheduler", "CreateSchedule", **(properties | {"Name": name}))
    return name, {"Arn": created["ScheduleArn"]}


def _delete(name: str, properties: Properties) -> None:
    delete_if_there("scheduler", "DeleteSchedule", Name=name, GroupName=properties.get("GroupName", "default"))
