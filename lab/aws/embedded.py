"""The only door to MiniStack: no other file of the lab imports it.

Every private name that the lab reads or replaces is one entry under "Private names", with the reason;
test/lab/aws/test_embedded_names.py checks that each exists in the installed version. What MiniStack offers to everybody
is under "Public". Import this module only after `settings.configure`.
"""

import contextvars
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlparse

import botocore.parsers
import botocore.serialize
from ministack import app
from ministack.core import lambda_runtime, responses
from ministack.services import cloudwatch, ec2, eventbridge, lambda_svc, s3, sns, sqs, ssm, stepfunctions, sts
from ministack.services.cloudformation import engine, provisioners, stacks

from lab.aws.settings import ACCOUNT_ID, REGION, IncompatibleMinistackError
from lab.aws.wire import CUT_HEADER, AwsError, Response, service_model

Handler = Callable[[str, str, dict[str, str], bytes | str, dict[str, Any]], Awaitable[Response]]
# Step Functions reports a broken connection under this name.
CONNECTION_CUT_CODE = "SdkClientException"
# Where MiniStack's table of handlers names a service otherwise than botocore does.
HANDLER_NAMES = {
    "cloudwatch": "monitoring",
    "elbv2": "elasticloadbalancing",
    "service-quotas": "servicequotas",
    "stepfunctions": "states",
}


@dataclass(frozen=True)
class PrivateName:
    """A name that MiniStack does not promise to keep."""

    owner: Any
    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.owner.__name__}.{self.name}"

    @property
    def value(self) -> Any:
        if not hasattr(self.owner, self.name):
            raise IncompatibleMinistackError(f"{self}: must exist ({self.reason}), got a MiniStack without it")
        return getattr(self.owner, self.name)

    def replace(self, replacement: Any) -> None:
        self.value  # noqa: B018  a name that is gone must not come back as ours
        setattr(self.owner, self.name, replacement)

    def wrap(self, wrapper: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        """Replaces the function by what `wrapper` makes of it."""
        self.replace(wrapper(self.value))


PRIVATE_NAMES: list[PrivateName] = []


def _private(owner: Any, name: str, reason: str) -> PrivateName:
    private_name = PrivateName(owner, name, reason)
    PRIVATE_NAMES.append(private_name)
    return private_name


def check_names() -> None:
    """Raises IncompatibleMinistackError, with all of them, when MiniStack lacks names that the lab uses."""
    missing = [f"{name} ({name.reason})" for name in PRIVATE_NAMES if not hasattr(name.owner, name.name)]
    if missing:
        raise IncompatibleMinistackError(
            f"ministack: must have every name that the lab uses, lacks {'; '.join(missing)}"
        )


# Private names

EC2_SECURITY_GROUPS = _private(ec2, "_security_groups", "groups that a stack made are checked and changed by the lab")
EC2_PLACEMENT_GROUPS = _private(ec2, "_placement_groups", "the strategy of a group decides on launches into it")
EC2_TAGS = _private(ec2, "_tags", "resources of the lab and of MiniStack share CreateTags and DescribeTags")
EC2_SUBNETS = _private(
    ec2, "_subnets", "read while an action of EC2 is answered, or on the event loop (fix: Fn::GetAZs), without a call"
)
EC2_ZONE_ID = _private(ec2, "_az_id_for_zone_name", "fix: the names of zones are mapped for each account")
EC2_NEW_ID = {
    kind: _private(ec2, f"_new_{kind}_id", "the user's networks have ids that never change")
    for kind in ("vpc", "subnet")
}
EC2_TEMPLATE_DATA = _private(
    ec2, "_resolve_launch_template_data", "DescribeLaunchTemplateVersions omits placement and ENA Express"
)
SSM_IMAGE_PARAMETERS = _private(ssm, "_PUBLIC_AMI_PARAMETERS", "PutParameter refuses the names of public parameters")
CLOUDFORMATION_TYPES = _private(provisioners, "_RESOURCE_HANDLERS", "the only table of resource types")
CLOUDFORMATION_DEFINITION = _private(provisioners, "_sfn_definition", "fix: definitions that AWS refuses")
CLOUDFORMATION_ON_THREAD = _private(
    stacks, "_runs_on_worker_thread", "types of the lab call services, and the hosts' network follows a stack's changes"
)
CLOUDFORMATION_RESOLVE = _private(engine, "_resolve_refs", "fix: Fn::GetAZs follows the default subnets")
SAVE_ALL = _private(app, "save_all", "a state that was torn by a kill can be told, and queries leave it as it is")
SAVED_STATES = _private(app, "_build_persistence_save_dict", "the state can otherwise be saved at the end only")
QUEUE_DELAY = _private(sqs, "queue_delay", "a lab whose waits are shorter")
SCHEDULE_SECONDS = _private(eventbridge, "_parse_rate_seconds", "a lab whose waits are shorter")
SCHEDULE_TICK_SECONDS = _private(eventbridge, "_SCHEDULER_TICK_INTERVAL", "a lab whose waits are shorter")
LAMBDA_NODE_WORKER = _private(lambda_runtime, "_NODEJS_WORKER_SCRIPT", "fix: names of JavaScript errors")
LAMBDA_CREDENTIALS = _private(lambda_runtime, "execution_credentials", "fix: a function signs as its role")
LAMBDA_EXECUTE = _private(lambda_svc, "_execute_function_warm", "fix: names of JavaScript errors")
LAMBDA_DISPATCH = _private(lambda_svc, "_execute_function_dispatch", "faults: every invocation passes here once")
LAMBDA_EXECUTION = _private(lambda_svc, "_execute_function", "fix: throttled events and messages wait")
LAMBDA_ASYNCHRONOUS = _private(lambda_svc, "invoke_async_with_retry", "fix: throttled events wait")
LAMBDA_RETRY_PAUSES = [
    _private(lambda_svc, f"_LAMBDA_ASYNC_RETRY_{which}_SECONDS", "a lab whose waits are shorter")
    for which in ("BASE", "MAX")
]
LAMBDA_SQS_BATCH = _private(lambda_svc, "_run_sqs_batch", "fix: throttled messages wait")
LAMBDA_LOGS = _private(lambda_svc, "_emit_lambda_logs", "metrics in the embedded metric format")
CLOUDWATCH_EVALUATE = _private(cloudwatch, "_evaluate_alarm", "alarms by dimensions, periods and missing data")
SNS_FAN_OUT = _private(sns, "_fanout", "mails become files")
SNS_TOPIC = _private(sns, "_topic_by_arn_any_scope", "the addresses of a mail, while a message is published")
LAMBDA_CONCURRENCY = _private(lambda_svc, "_ACCOUNT_CONCURRENCY_CAP", "a test sets the account's quota")
EVENTS_TARGET = _private(eventbridge, "_invoke_target", "faults: events are lost, doubled or late")
EVENTS_TO_LAMBDA = _private(eventbridge, "_dispatch_to_lambda", "fix: an event is an asynchronous invocation")
STATES_LAMBDA = _private(stepfunctions, "_call_lambda", "fix: a throttled invocation has AWS's name")
STATES_VALIDATE = _private(stepfunctions, "_validate_definition_jsonata", "fix: definitions that AWS refuses")
STATES_CONDITION = _private(stepfunctions, "_evaluate_jsonata_choice_rule", "fix: a condition is a boolean")
STATES_ASSIGN = _private(stepfunctions, "_apply_state_assign", "fix: variables are assigned together, of limited size")
STATES_EVENT = _private(stepfunctions, "_add_event", "fix: limits on outputs and on the history")
STATES_START = _private(stepfunctions, "_start_execution", "fixes: limit on the input; a start may be repeated")
STATES_REFUSAL = _private(stepfunctions, "error_response_json", "fix: limit on the input")
STATES_MATCH = _private(stepfunctions, "_error_matches", "fix: errors that States.ALL does not match")
STATES_RETRIER = _private(stepfunctions, "_find_matching_retrier", "fix: jitter and longest delay of a retry")
STATES_EXECUTIONS = _private(stepfunctions, "_executions", "fixes: a stop and a time limit change the record")
STATES_LOAD = _private(stepfunctions, "load_persisted_state", "fix: executions that ran before a restart")
STATES_RUN = _private(stepfunctions, "_run_execution", "fix: time limit of a machine")
STATES_FAIL = _private(stepfunctions, "_fail_execution", "fix: a stopped execution stays ABORTED")
STATES_EMIT_STATUS = _private(stepfunctions, "_emit_execution_status_event", "fix: TIMED_OUT is an event, too")
STATES_SLEEP = _private(stepfunctions, "_scaled_sleep", "fix: a stop ends a Wait state")
STATES_TASK = _private(stepfunctions, "_execute_task", "fixes: no task begins after a stop; time limits as JSONata")
STATES_INVOKE = _private(stepfunctions, "_invoke_resource", "fixes: SDK integrations and nested executions")
STATES_ERROR = _private(stepfunctions, "_ExecutionError", "fixes: the error that Retry and Catch see")
STATES_PARALLEL = _private(stepfunctions, "_run_parallel_branches", "fix: JSONata fields of Parallel")
STATES_OUTPUT_PATH = _private(stepfunctions, "_apply_output_path", "fix: JSONata field Output of Succeed")
STATES_JSONATA = _private(stepfunctions.jsonata.Jsonata, "jsonata", "fix: limit on the depth of an evaluation")
STATES_TEMPLATE = _private(stepfunctions, "_apply_jsonata_template", "fixes: evaluates a field of a state")


# Public

application = app.app
lambda_worker_class = lambda_runtime.Worker
register_session: Callable[[str, dict[str, str]], None] = sts.register_session


handlers: dict[str, Handler] = app.SERVICE_HANDLERS


def lab_scope() -> AbstractContextManager[None]:
    """Code inside acts in the lab's account and region."""
    scope: AbstractContextManager[None] = responses.request_scope(ACCOUNT_ID, REGION)
    return scope


@contextmanager
def next_id(kind: str, identifier: str) -> Iterator[None]:
    """The `vpc` or `subnet` that is created inside gets this id; nobody else may create one meanwhile."""
    new_id = EC2_NEW_ID[kind]
    usual = new_id.value
    new_id.replace(lambda: identifier)
    try:
        yield
    finally:
        new_id.replace(usual)


def in_background(target: Callable[..., None], *arguments: Any) -> None:
    """Runs `target` on a thread of its own, in the account and region of this request."""
    context = contextvars.copy_context()
    name = f"lab-{getattr(target, '__name__', 'work')}"
    threading.Thread(target=context.run, args=(target, *arguments), daemon=True, name=name).start()


def add_saved_state(key: str, contents: dict[str, Any]) -> None:
    """Keeps `contents`, which the caller goes on changing, over restarts, in the state of Systems Manager."""
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
    """Where an object of the S3 lies on disk."""
    return Path(s3.DATA_DIR) / ACCOUNT_ID / bucket / key


def call(service: str, operation: str, **parameters: Any) -> dict[str, Any]:
    """One request to the embedded AWS, answered as over HTTP; raises AwsError when the answer is an error.

    It waits for the event loop, so it must be called from another thread.
    """
    return _call(handlers[HANDLER_NAMES.get(service, service)], service, operation, parameters)


def ministack(service: str) -> Callable[..., dict[str, Any]]:
    """Makes calls that MiniStack answers. Ask for it before the router puts the lab in front of the service."""
    handler = handlers[HANDLER_NAMES.get(service, service)]
    return lambda operation, **parameters: _call(handler, service, operation, parameters)


def _call(handler: Handler, service: str, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
    model = service_model(service).operation_model(operation)
    protocol = model.service_model.metadata["protocol"]
    # MiniStack reads CBOR only where a further library is installed; such a service speaks JSON, too.
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
