"""The writable store keeps what S3 clients write below its prefix, counts it, and refuses the rest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError
from writable_store import WRITABLE, WritableStore

# Not so many bytes as its frames have, which a store that keeps the frames of an upload in chunks would show.
BODY = b"0123456789"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[WritableStore]:
    (tmp_path / "row").write_bytes(BODY)
    with WritableStore(tmp_path, "results") as opened:
        yield opened


@pytest.fixture
def s3(store: WritableStore) -> BaseClient:
    return boto3.Session("key", "secret", region_name="us-east-1").client("s3", endpoint_url=store.url)


def test_written_objects_are_listed_read_and_counted(store: WritableStore, s3: BaseClient) -> None:
    for name in ("b", "a", "a"):
        s3.put_object(Bucket="results", Key=f"{WRITABLE}{name}&", Body=BODY)
    listed = s3.list_objects_v2(Bucket="results", Prefix=WRITABLE)["Contents"]
    assert [(entry["Key"], entry["Size"]) for entry in listed] == [(f"{WRITABLE}{name}&", 10) for name in "ab"]
    assert s3.get_object(Bucket="results", Key=f"{WRITABLE}a&")["Body"].read() == BODY
    assert store.writes == {"PUTs": 3, "bytes": 30}


def test_deleted_objects_are_gone_and_counted_once(store: WritableStore, s3: BaseClient) -> None:
    keys = [f"{WRITABLE}{name}&" for name in "abc"]
    for key in keys:
        s3.put_object(Bucket="results", Key=key, Body=BODY)
    s3.delete_object(Bucket="results", Key=keys[0])
    s3.delete_objects(Bucket="results", Delete={"Objects": [{"Key": key} for key in keys[:2]]})
    assert store.keys == [keys[2], "row"]
    assert store.writes["deleted"] == 2


def test_writes_elsewhere_and_uploads_in_parts_are_refused(store: WritableStore, s3: BaseClient) -> None:
    for call in (
        lambda: s3.put_object(Bucket="results", Key="row", Body=b""),
        lambda: s3.delete_object(Bucket="results", Key="row"),
        lambda: s3.delete_objects(Bucket="results", Delete={"Objects": [{"Key": "row"}]}),
        lambda: s3.create_multipart_upload(Bucket="results", Key=f"{WRITABLE}a"),
    ):
        with pytest.raises(ClientError, match="MethodNotAllowed"):
            call()
    assert (store.sizes, store.writes) == ({"row": 10}, {})
