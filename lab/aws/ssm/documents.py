"""Command documents of Systems Manager, kept by name, also over restarts."""

import json
from typing import Any

from lab.agent.document import read_document
from lab.aws import embedded
from lab.aws.wire import AwsError, Request

STATE_KEY = "lab_documents"


class Documents:
    """All documents of the account, and the actions on them."""

    def __init__(self) -> None:
        self._contents: dict[str, dict[str, Any]] = {}
        embedded.add_saved_state(STATE_KEY, self._contents)

    def content(self, name: str) -> dict[str, Any]:
        if name not in self._contents:
            raise AwsError("InvalidDocument", f"Document with name {name} does not exist.")
        return self._contents[name]

    def create(self, request: Request) -> dict[str, Any]:
        name = request["Name"]
        if name in self._contents:
            raise AwsError("DocumentAlreadyExists", f"Document with name {name} already exists.")
        self._contents[name] = _parse(request.get("Content", ""))
        return {"DocumentDescription": self._description(name)}

    def describe(self, request: Request) -> dict[str, Any]:
        return {"Document": self._description(request["Name"])}

    def delete(self, request: Request) -> dict[str, Any]:
        self.content(request["Name"])
        del self._contents[request["Name"]]
        return {}

    def _description(self, name: str) -> dict[str, Any]:
        schema = self.content(name)["schemaVersion"]
        return {"Name": name, "Status": "Active", "DocumentType": "Command", "SchemaVersion": schema}


def _parse(content: str) -> dict[str, Any]:
    try:
        document: dict[str, Any] = json.loads(content)
        read_document(document)
    except ValueError as error:
        raise AwsError("InvalidDocumentContent", str(error)) from error
    return document
