"""CloudTrail's LookupEvents: the starts of executions. MiniStack's own trail does not keep the answers of
calls, so that nobody finds an execution in it. AWS has an event after minutes, the lab at once.
"""

import json
import time
import uuid
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from lab.aws import embedded
from lab.aws.router import Action, Service
from lab.aws.settings import ACCOUNT_ID
from lab.aws.wire import AwsError, HttpRequest, Json, Request, Response

START = "StartExecution"
KEPT_EVENTS = 10_000
Event = dict[str, Any]


class CloudTrail:
    def __init__(self) -> None:
        self._events: deque[Event] = deque(maxlen=KEPT_EVENTS)

    def service(self) -> Service:
        known = frozenset({"LookupAttributes", "StartTime", "EndTime", "MaxResults", "NextToken"})
        return Service("cloudtrail", {"LookupEvents": Action(self._lookup, known)}, page_size=50, passes_on=False)

    def install(self) -> None:
        embedded.put_in_front("stepfunctions", self._record)

    async def _record(self, request: HttpRequest, pass_on: Callable[[], Awaitable[Response]]) -> Response:
        response = await pass_on()
        _, _, credential = request.header("authorization").partition("Credential=")
        user = credential.split("/")[0]
        # Calls of state machines, which start pairs, have the temporary key of a role or none.
        is_of_user = user != "" and not user.startswith("ASIA")
        if request.header("x-amz-target").endswith(f".{START}") and response[0] == 200 and is_of_user:
            self._events.appendleft(_event(user, Json.parse(request.body), json.loads(response[2])))
        return response

    def _lookup(self, request: Request) -> dict[str, Any]:
        asked = [(each["AttributeKey"], each["AttributeValue"]) for each in request.get("LookupAttributes", [])]
        if asked != [("EventName", START)]:
            raise AwsError("InvalidLookupAttributesException", f"The lab looks up EventName {START} only, got {asked}")
        start, end = request.get("StartTime", 0), request.get("EndTime", float("inf"))
        return {"Events": [event for event in self._events if start <= event["EventTime"] <= end]}


def _event(user: str, request: Request, answer: dict[str, Any]) -> Event:
    content = {
        "eventName": START,
        "userIdentity": {"type": "IAMUser", "arn": f"arn:aws:iam::{ACCOUNT_ID}:user/{user}", "userName": user},
        "requestParameters": {name: request.get(name) for name in ("stateMachineArn", "name")},
        "responseElements": {"executionArn": answer["executionArn"]},
    }
    return {
        "EventId": str(uuid.uuid4()),
        "EventName": START,
        "EventTime": time.time(),
        "Username": user,
        "CloudTrailEvent": json.dumps(content),
    }
