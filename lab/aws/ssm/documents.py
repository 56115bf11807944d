"""Command documents of Systems Manager, kept by name with all their versions, and saved over restarts.

A new version becomes the default only by UpdateDocumentDefaultVersion
(https://docs.aws.amazon.com/systems-manager/latest/userguide/documents-version.html).
"""

import json
from typing import Any

from lab.agent.document import read_document
from lab.aws import embedded
from lab.aws.wire import AwsError, Request

STATE_KEY = "lab_documents"
Content = dict[str, Any]


class Documents:
    def __init__(self) -> None:
        # By name: {"versions": the contents from version 1 on, "default": the number of the default version}
        self._documents: dict[str, dict[str, Any]] = {}
        embedded.add_saved_state(STATE_KEY, self._documents)

    def content(self, name: str, version: str | None = None) -> Content:
        """Returns the content of a version: a number, `$DEFAULT` or `$LATEST`; None is the default version."""
        content: Content = self._document(name)["versions"][self._number(name, version) - 1]
        return content

    def create(self, request: Request) -> dict[str, Any]:
        name = request["Name"]
        if name in self._documents:
            raise AwsError("DocumentAlreadyExists", f"Document with name {name} already exists.")
        self._documents[name] = {"versions": [_parse(request.get("Content", ""))], "default": 1}
        return {"DocumentDescription": self._description(name, "1")}

    def update(self, request: Request) -> dict[str, Any]:
        """Adds a version. The request's `DocumentVersion` names the version to change, which must be the latest."""
        name, content = request["Name"], _parse(request["Content"])
        versions = self._document(name)["versions"]
        if self._number(name, request.get("DocumentVersion")) != len(versions):
            raise AwsError("InvalidDocumentVersion", "The document version is not valid or does not exist.")
        if content in versions:
            raise AwsError("DuplicateDocumentContent", "The content of the document matches another version.")
        versions.append(content)
        return {"DocumentDescription": self._description(name, "$LATEST")}

    def update_default_version(self, request: Request) -> dict[str, Any]:
        name, version = request["Name"], request["DocumentVersion"]
        self._document(name)["default"] = self._number(name, version)
        return {"Description": {"Name": name, "DefaultVersion": version}}

    def describe(self, request: Request) -> dict[str, Any]:
        return {"Document": self._description(request["Name"], request.get("DocumentVersion"))}

    def get(self, request: Request) -> dict[str, Any]:
        name, version = request["Name"], request.get("DocumentVersion")
        content = json.dumps(self.content(name, version))
        number = str(self._number(name, version))
        return {"Name": name, "DocumentVersion": number, "Content": content, "DocumentType": "Command"}

    def delete(self, request: Request) -> dict[str, Any]:
        self._document(request["Name"])
        del self._documents[request["Name"]]
        return {}

    def _document(self, name: str) -> dict[str, Any]:
        if name not in self._documents:
            raise AwsError("InvalidDocument", f"Document with name {name} does not exist.")
        return self._documents[name]

    def _number(self, name: str, version: str | None) -> int:
        document = self._document(name)
        latest: int = len(document["versions"])
        if version == "$LATEST":
            return latest
        number = int(document["default"] if version in (None, "", "$DEFAULT") else version)
        if not 1 <= number <= latest:
            raise AwsError("InvalidDocumentVersion", "The document version is not valid or does not exist.")
        return number

    def _description(self, name: str, version: str | None) -> dict[str, Any]:
        document = self._document(name)
        return {
            "Name": name,
            "Status": "Active",
            "DocumentType": "Command",
            "DocumentVersion": str(self._number(name, version)),
            "LatestVersion": str(len(document["versions"])),
            "DefaultVersion": str(document["default"]),
        }


def _parse(content: str) -> Content:
    try:
        document: Content = json.loads(content)
        read_document(document)
    except ValueError as error:
        raise AwsError("InvalidDocumentContent", str(error)) from error
    return document
