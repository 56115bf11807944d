"""Command documents of the embedded Systems Manager: kept by name, over restarts too."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ministack.services import ssm

from lab.agent.document import read_document
from lab.aws import patching
from lab.aws.query import AwsError

STATE_KEY = "lab_documents"


class Documents:
    """All documents of the account. `put` and `remove` are CloudFormation's way to them, `actions` the API's."""

    def __init__(self) -> None:
        self._contents: dict[str, dict[str, Any]] = {}

    def install(self) -> None:
        patching.wrap(ssm, "get_state", lambda save: lambda: save() | {STATE_KEY: self._contents})
        patching.wrap(ssm, "load_persisted_state", self._with_documents)

    def put(self, name: str, content: Any) -> None:
        """Makes or replaces a document from its content (JSON text or a structure); refuses an unsound one."""
        self._contents[name] = _parse(content)

    def remove(self, name: str) -> None:
        self._contents.pop(name, None)

    def content(self, name: str) -> dict[str, Any]:
        if name not in self._contents:
            raise AwsError("InvalidDocument", f"Document with name {name} does not exist.")
        return self._contents[name]

    def actions(self) -> dict[str, Callable[[dict[str, Any]], dict[str, Any]]]:
        return {
            "CreateDocument": self._create,
            "GetDocument": self._get,
            "DescribeDocument": lambda request: {"Document": self._description(request["Name"])},
            "DeleteDocument": self._delete,
        }

    def _with_documents(self, original: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
        def load(state: dict[str, Any]) -> None:
            self._contents.update(state.pop(STATE_KEY, {}))
            original(state)

        return load

    def _create(self, request: dict[str, Any]) -> dict[str, Any]:
        name = request["Name"]
        if name in self._contents:
            raise AwsError("DocumentAlreadyExists", f"Document with name {name} already exists.")
        self.put(name, request.get("Content", ""))
        return {"DocumentDescription": self._description(name)}

    def _get(self, request: dict[str, Any]) -> dict[str, Any]:
        content = json.dumps(self.content(request["Name"]))
        return {"Name": request["Name"], "Content": content, "DocumentFormat": "JSON", "Status": "Active"}

    def _delete(self, request: dict[str, Any]) -> dict[str, Any]:
        self.content(request["Name"])
        self.remove(request["Name"])
        return {}

    def _description(self, name: str) -> dict[str, Any]:
        schema = self.content(name)["schemaVersion"]
        return {"Name": name, "Status": "Active", "DocumentType": "Command", "SchemaVersion": schema}


def _parse(content: Any) -> dict[str, Any]:
    try:
        document = json.loads(content) if isinstance(content, str) else content
        read_document(document)
    except ValueError as error:
        raise AwsError("InvalidDocumentContent", str(error)) from error
    return document
