"""Lambda: errors keep their JavaScript names and do not end the process. node_worker.js, which replaces MiniStack's,
reports a thrown error as a result, and this module makes an error of it again.
"""

import json
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lab.aws import embedded

WORKER = Path(__file__).with_name("node_worker.js")
PROCESS_ENDED = "Worker process died"
_last_error = threading.local()
logger = logging.getLogger("lab.lambda")

embedded.fix_value("lambda_runtime._NODEJS_WORKER_SCRIPT", WORKER.read_text(), "lambda_node_errors")


@embedded.fix("lambda_runtime.Worker.invoke")
def _keep_error(original: Callable[..., dict[str, Any]], *arguments: Any, **keywords: Any) -> dict[str, Any]:
    """Remembers a thrown error, which node_worker.js reports as `ok`, because MiniStack ends a process that fails."""
    _last_error.payload = None
    response = original(*arguments, **keywords)
    if response.get("error") == PROCESS_ENDED:
        message = "Error: Runtime exited with error: exit status 1"
        _last_error.payload = {"errorType": "Runtime.ExitError", "errorMessage": message}
    match response:
        case {"status": "ok", "result": {"labThrown": thrown}}:
            _last_error.payload = thrown
            return response | {"status": "error", "error": thrown["errorMessage"]}
        case {"status": "ok", "result": {"labReturned": returned}}:
            return response | {"result": returned}
    return response


@embedded.fix("lambda_svc._execute_function_warm")
def _with_error_name(original: Callable[..., dict[str, Any]], *arguments: Any, **keywords: Any) -> dict[str, Any]:
    _last_error.payload = None
    outcome = original(*arguments, **keywords)
    if outcome.get("error") and _last_error.payload is not None:
        outcome["body"] = _last_error.payload
    if outcome.get("error"):
        logger.warning("%s: %s", arguments[0]["config"]["FunctionName"], json.dumps(outcome.get("body")))
    return outcome
