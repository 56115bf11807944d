"""Lambda: what runs a Node handler.

MiniStack's own worker answers every JavaScript error as Runtime.HandlerError and throws the process away after one;
here the error keeps its name, which is what Step Functions matches in Retry and Catch, and the process stays warm.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ministack.core import lambda_runtime
from ministack.services import lambda_svc

from lab.aws import patching

WORKER = Path(__file__).with_name("node_worker.js")
_last_error = threading.local()
logger = logging.getLogger("lab.lambda")


def install() -> None:
    patching.replace(lambda_runtime, "_NODEJS_WORKER_SCRIPT", WORKER.read_text())
    patching.wrap(lambda_runtime.Worker, "invoke", _keep_error)
    patching.wrap(lambda_svc, "_execute_function_warm", _with_error_name)


def _keep_error(original: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """The worker answers a thrown error as a result of status `ok`, so that MiniStack does not end the process."""

    def invoke(self: Any, *arguments: Any, **keywords: Any) -> dict[str, Any]:
        _last_error.payload = None
        response = original(self, *arguments, **keywords)
        result = response.get("result")
        if response.get("status") == "ok" and isinstance(result, dict) and "labThrown" in result:
            _last_error.payload = result["labThrown"]
            return response | {"status": "error", "error": _last_error.payload["errorMessage"]}
        if response.get("status") == "ok" and isinstance(result, dict) and "labReturned" in result:
            return response | {"result": result["labReturned"]}
        return response

    return invoke


def _with_error_name(original: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    def execute(*arguments: Any, **keywords: Any) -> dict[str, Any]:
        _last_error.payload = None
        outcome = original(*arguments, **keywords)
        if outcome.get("error") and _last_error.payload is not None:
            outcome["body"] = _last_error.payload
        if outcome.get("error"):
            logger.warning("%s: %s", arguments[0]["config"]["FunctionName"], json.dumps(outcome.get("body")))
        return outcome

    return execute
