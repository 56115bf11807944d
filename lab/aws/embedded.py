"""The only module of the lab that imports MiniStack. Import this one only after `settings.configure`.

`private` declares every private name of MiniStack that the lab reads or replaces, with the reason, here or in the only
fix that needs it. test/lab/aws/test_embedded_names.py checks that the installed version has each of them.
"""

import contextvars
import functools
import hashlib
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlencode, urlparse

import botocore.parsers
import botocore.serialize
from ministack import app
from ministack.core import lambda_runtime, responses
from ministack.services import cloudwatch, ec2, eventbridge, lambda_svc, s3, sns, sqs, ssm, stepfunctions, sts
from ministack.services.cloudformation import engine, provisioners, stacks

from lab.aws.settings import ACCOUNT_ID, REGION, IncompatibleMinistackError
from lab.aws.wire import CUT_HEADER, AwsError, HttpRequest, Response, service_model

Handler = Callable[[str, str, dict[str, str], bytes | str, dict[str, Any]], Awaitable[Response]]
Layer = Callable[[HttpRequest, Callable[[], Awaitable[Response]]], Awaitable[Response]]
"""Answers a request, or has it answered by what it lies in front of."""
Wrapper = Callable[..., Any]
"""What stands for a function of MiniStack's: it gets that function, then the arguments."""
# Step Functions reports a broken connection by this name.
CONNECTION_CUT_CODE = "SdkClientException"
# Services whose name in MiniStack's table of handlers differs from botocore's.
HANDLER_NAMES = {
    "cloudwatch": "monitoring",
    "elbv2": "elasticloadbalancing",
    "service-quotas": "servicequotas",
    "stepfunctions": "states",
}
_MODULES = SimpleNamespace(
    app=app, cloudwatch=cloudwatch, ec2=ec2, engine=engine, eventbridge=eventbridge, lambda_runtime=lambda_runtime,
    lambda_svc=lambda_svc, provisioners=provisioners, sns=sns, sqs=sqs, stacks=stacks, stepfunctions=stepfunctions,
)  # fmt: skip


@dataclass(frozen=True)
class PrivateName:
    """A name that MiniStack does not promise to keep, such as `ec2._tags`."""

    path: str
    reason: str

    @property
    def exists(self) -> bool:
        try:
            attrgetter(self.path)(_MODULES)
        except AttributeError:
            return False
        return True

    @property
    def value(self) -> Any:
        require_names([self])
        return attrgetter(self.path)(_MODULES)

    def replace(self, replacement: Any) -> None:
        require_names([self])  # a name that is gone must not come back as ours
        owner, _, name = self.path.rpartition(".")
        setattr(attrgetter(owner)(_MODULES), name, replacement)

    def wrap(self, wrapper: Wrapper) -> None:
        """Calls `wrapper` in place of the function from now on."""
        self.replace(wrapped(self.value, wrapper))


def wrapped(original: Callable[..., Any], wrapper: Wrapper) -> Callable[..., Any]:
    return lambda *arguments, **keywords: wrapper(original, *arguments, **keywords)


PRIVATE_NAMES: dict[str, PrivateName] = {}


def private(path: str, reason: str) -> PrivateName:
    return PRIVATE_NAMES.setdefault(path, PrivateName(path, reason))


def require_names(names: Iterable[PrivateName]) -> None:
    """Raises IncompatibleMinistackError, which lists every name that the lab uses and MiniStack lacks."""
    missing = [f"{name.path} ({name.reason})" for name in names if not name.exists]
    if missing:
        raise IncompatibleMinistackError(
            f"ministack: must have every name that the lab uses, lacks {'; '.join(missing)}"
        )


# Private names that several files use, or that belong to no fix

CLOUDFORMATION_TYPES = private("provisioners._RESOURCE_HANDLERS", "the only table of resource types")
CLOUDFORMATION_ON_THREAD = private(
    "stacks._runs_on_worker_thread", "types of the lab call services, and the hosts' network follows a stack's changes"
)
CLOUDWATCH_EVALUATE = private("cloudwatch._evaluate_alarm", "alarms by dimensions, periods and missing data")
EC2_NEW_ID = {
    kind: private(f"ec2._new_{kind}_id", "the user's networks have ids that never change") for kind in ("vpc", "subnet")
}
EC2_TEMPLATE_DATA = private(
    "ec2._resolve_launch_template_data", "DescribeLaunchTemplateVersions omits placement and ENA Express"
)
EC2_ZONE_ID = private("ec2._az_id_for_zone_name", "the names of zones are mapped for each account")
EVENTS_TARGET = private("eventbridge._invoke_target", "faults: events are lost, doubled or late")
LAMBDA_CONCURRENCY = private("lambda_svc._ACCOUNT_CONCURRENCY_CAP", "a test sets the account's quota")
LAMBDA_DISPATCH = private("lambda_svc._execute_function_dispatch", "faults: every invocation passes here once")
LAMBDA_LOGS = private("lambda_svc._emit_lambda_logs", "metrics in the embedded metric format")
QUEUE_DELAY = private("sqs.queue_delay", "a lab whose waits are shorter")
SAVE_ALL = private("app.save_all", "a state that was torn by a kill can be told, and queries leave it as it is")
SAVED_STATES = private("app._build_persistence_save_dict", "the state can otherwise be saved at the end only")
SCHEDULE_SECONDS = private("eventbridge._parse_rate_seconds", "a lab whose waits are shorter")
SCHEDULE_TICK_SECONDS = private("eventbridge._SCHEDULER_TICK_INTERVAL", "a lab whose waits are shorter")
SNS_FAN_OUT = private("sns._fanout", "mails become files")
STATES_ERROR = private("stepfunctions._ExecutionError", "the error that Retry and Catch see")
STATES_EXECUTIONS = private("stepfunctions._executions", "executions end without a request, and old ones are dropped")
STATES_INVOKE = private("stepfunctions._invoke_resource", "the calls of state machines are recorded")
STATES_LAMBDA = private("stepfunctions._call_lambda", "faults: a state machine invokes functions without a request")
STATES_SLEEP = private("stepfunctions._scaled_sleep", "a stop ends a Wait state, and a lab whose waits are shorter")
STATES_TEMPLATE = private("stepfunctions._apply_jsonata_template", "evaluates a field of a state")
WORKER_INVOKE = private("lambda_runtime.Worker.invoke", "a function's requests have the trace id of its invocation")

_FIXES: list[Callable[[], None]] = []


def fix(path: str) -> Callable[[Wrapper], Wrapper]:
    """Replaces a function of MiniStack's by the decorated one, once `install_fixes` is called."""

    def register(wrapper: Wrapper) -> Wrapper:
        name = private(path, f"fix: {wrapper.__module__.rpartition('.')[2]}")
        _FIXES.append(lambda: name.wrap(wrapper))
        return wrapper

    return register


def fix_resource(resource_type: str, *verbs: str) -> Callable[[Wrapper], Wrapper]:
    """Like `fix`, for the functions that create, update or delete a CloudFormation resource type."""

    def register(wrapper: Wrapper) -> Wrapper:
        _FIXES.extend(functools.partial(wrap_resource, resource_type, verb, wrapper) for verb in verbs)
        return wrapper

    return register


def fix_value(path: str, value: Any, module: str) -> None:
    """Replaces a value of MiniStack's, once `install_fixes` is called; `module` is the fix that needs it."""
    name = private(path, f"fix: {module}")
    _FIXES.append(lambda: name.replace(value))


def install_fixes() -> None:
    for install in _FIXES:
        install()


def wrap_resource(resource_type: str, verb: str, wrapper: Wrapper) -> None:
    handlers = CLOUDFORMATION_TYPES.value
    handlers[resource_type] = handlers[resource_type] | {verb: wrapped(handlers[resource_type][verb], wrapper)}


# Public

application = app.app
handlers: dict[str, Handler] = app.SERVICE_HANDLERS


def put_in_front(service: str, layer: Layer) -> None:
    """Has `layer` answer requests to a service (botocore's name), which MiniStack need not have."""
    name = HANDLER_NAMES.get(service, service)
    inner: Any = handlers.get(name)

    async def handle(*given: Any) -> Response:
        return await layer(HttpRequest(*given), lambda: inner(*given))

    handlers[name] = handle


def lab_scope() -> AbstractContextManager[None]:
    """Runs the code inside in the lab's account and region."""
    scope: AbstractContextManager[None] = responses.request_scope(ACCOUNT_ID, REGION)
    return scope


def role_session(seed: str, role_name: str, user_id: str, name: str, token: str | None = None) -> dict[str, str]:
    """Returns a role session's keys as environment variables; equal seeds give equal keys.

    `user_id` is the session's `aws:userid`. Its token is derived from the seed, too, unless one is given.
    """
    digest = hashlib.sha256(seed.encode()).hexdigest()
    keys = {
        "AWS_ACCESS_KEY_ID": f"ASIA{digest[:16].upper()}",
        "AWS_SECRET_ACCESS_KEY": digest[16:56],
        "AWS_SESSION_TOKEN": token or digest,
    }
    session = {
        "Arn": f"arn:aws:sts::{ACCOUNT_ID}:assumed-role/{role_name}/{name}",
        "UserId": user_id,
        "SecretAccessKey": keys["AWS_SECRET_ACCESS_KEY"],
        "SessionToken": keys["AWS_SESSION_TOKEN"],
    }
    sts.register_session(keys["AWS_ACCESS_KEY_ID"], session)
    return keys


@contextmanager
def next_id(kind: str, identifier: str) -> Iterator[None]:
    """Gives this id to the `vpc` or `subnet` that is created inside; meanwhile nobody else may create one."""
    new_id = EC2_NEW_ID[kind]
    usual = new_id.value
    new_id.replace(lambda: identifier)
    try:
        yield
    finally:
        new_id.replace(usual)


def in_background(target: Callable[..., None], *arguments: Any) -> None:
    """Runs `target` on a thread of its own, in the request's account and region."""
    context = contextvars.copy_context()
    name = f"lab-{getattr(target, '__name__', 'work')}"
    threading.Thread(target=context.run, args=(target, *arguments), daemon=True, name=name).start()


def add_saved_state(key: str, contents: dict[str, Any]) -> None:
    """Adds `contents` to the state that Systems Manager saves and loads; the caller may go on changing it."""
    get_state, load_state = ssm.get_state, ssm.load_persisted_state

    def load(state: dict[str, Any]) -> None:
        contents.update(state.pop(key, {}))
        load_state(state)

    ssm.get_state = lambda: get_state() | {key: contents}
    ssm.load_persisted_state = load


def save_state() -> None:
    """Writes the state of all services now."""
    SAVE_ALL.value(SAVED_STATES.value())


def object_path(bucket: str, key: str) -> Path:
    """Returns where an object of S3 is on disk."""
    return Path(s3.DATA_DIR) / ACCOUNT_ID / bucket / key


def call(service: str, operation: str, **parameters: Any) -> dict[str, Any]:
    """Sends one request, with the same answer as over HTTP; raises AwsError for an error. It waits for the event loop,
    so call it from another thread.
    """
    return _call(handlers[HANDLER_NAMES.get(service, service)], service, operation, parameters)


def send_to_queue(queue_arn: str, body: str, attributes: dict[str, str]) -> None:
    """Sends a message with attributes of type String; an empty one becomes `none`, because SQS rejects it."""
    url = call("sqs", "GetQueueUrl", QueueName=queue_arn.rpartition(":")[2])["QueueUrl"]
    typed = {name: {"DataType": "String", "StringValue": value or "none"} for name, value in attributes.items()}
    call("sqs", "SendMessage", QueueUrl=url, MessageBody=body, MessageAttributes=typed)


def ministack(service: str) -> Callable[..., dict[str, Any]]:
    """Returns a function whose calls MiniStack answers. Ask for it before the router covers the service."""
    handler = handlers[HANDLER_NAMES.get(service, service)]
    return lambda operation, **parameters: _call(handler, service, operation, parameters)


def _call(handler: Handler, service: str, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
    model = service_model(service).operation_model(operation)
    protocol = model.service_model.metadata["protocol"]
    # MiniStack reads CBOR only with a further library installed; services that speak CBOR also speak JSON.
    if protocol == "smithy-rpc-v2-cbor":
        protocol = "json"
    serializer = botocore.serialize.create_serializer(protocol, include_validation=False)
    request = serializer.serialize_to_request(parameters, model)
    url = urlparse(request["url_path"])
    query: dict[str, Any] = {**parse_qs(url.query, keep_blank_values=True)}
    for key, value in dict(request["query_string"]).items():
        query[key] = value if isinstance(value, list) else [str(value)]
    body = request["body"]
    headers = {key.lower(): str(value) for key, value in dict(request["headers"]).items()}
    if isinstance(body, dict):
        body = urlencode(body).encode()
        headers["content-type"] = "application/x-www-form-urlencoded"
    status, answered, content = app.call_service_handler_sync(
        handler, request["method"], url.path, headers, body, query
    )
    if CUT_HEADER in answered:
        raise AwsError(CONNECTION_CUT_CODE, "Unable to execute HTTP request: Connection reset", 0)
    parsed: dict[str, Any] = botocore.parsers.create_parser(protocol).parse(
        {
            "status_code": status,
            "headers": {key.lower(): value for key, value in answered.items()},
            "body": content.encode() if isinstance(content, str) else content,
        },
        model.output_shape,
    )
    parsed.pop("ResponseMetadata", None)
    if status >= 300:
        error = parsed.get("Error", {})
        raise AwsError(error.get("Code", str(status)), error.get("Message", ""), status)
    return parsed
