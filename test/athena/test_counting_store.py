"""The counting store answers as S3 does, and counts what it answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError
from counting_store import CountingStore

BODIES = {f"runs/day=2026-11-{day:02}/a b.{number}.ndjson": b"0123456789" for day in (1, 2) for number in range(3)}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CountingStore]:
    for key, body in BODIES.items():
        file = tmp_path / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)
    with CountingStore(tmp_path, "results") as opened:
        yield opened


@pytest.fixture
def s3(store: CountingStore) -> BaseClient:
    return boto3.Session("key", "secret", region_name="us-east-1").client("s3", endpoint_url=store.url)


def test_objects_and_ranges_are_counted_with_their_bytes(store: CountingStore, s3: BaseClient) -> None:
    key = next(iter(BODIES))
    with store.counted() as requests:
        assert s3.get_object(Bucket="results", Key=key)["Body"].read() == BODIES[key]
        assert s3.get_object(Bucket="results", Key=key, Range="bytes=2-4")["Body"].read() == b"234"
        assert s3.get_object(Bucket="results", Key=key, Range="bytes=-3")["Body"].read() == b"789"
        assert s3.head_object(Bucket="results", Key=key)["ContentLength"] == 10
    assert (requests.gets, requests.bytes) == ({"runs": 3}, {"runs": 16})
    assert (requests.get_count, requests.byte_count, requests.heads, requests.lists) == (3, 16, 1, 0)


def test_listings_have_pages_and_common_prefixes(store: CountingStore, s3: BaseClient) -> None:
    with store.counted() as requests:
        pages = list(s3.get_paginator("list_objects_v2").paginate(Bucket="results", Prefix="runs/", MaxKeys=4))
        days = s3.list_objects_v2(Bucket="results", Prefix="runs/", Delimiter="/")
        one_day = s3.list_objects_v2(Bucket="results", Prefix="runs/day=2026-11-02/", MaxKeys=1)
    assert [[entry["Key"] for entry in page["Contents"]] for page in pages] == [
        sorted(BODIES)[:4],
        sorted(BODIES)[4:],
    ]
    assert [each["Prefix"] for each in days["CommonPrefixes"]] == ["runs/day=2026-11-01/", "runs/day=2026-11-02/"]
    assert one_day["IsTruncated"] and one_day["KeyCount"] == 1
    assert (requests.lists, requests.get_count) == (4, 0)


def test_what_is_not_there_or_would_write_is_refused(store: CountingStore, s3: BaseClient) -> None:
    for call, code in (
        (lambda: s3.get_object(Bucket="results", Key="runs/none"), "NoSuchKey"),
        (lambda: s3.get_object(Bucket="other", Key=next(iter(BODIES))), "NoSuchBucket"),
        (lambda: s3.get_object(Bucket="results", Key=next(iter(BODIES)), Range="bytes=10-"), "InvalidRange"),
        (lambda: s3.put_object(Bucket="results", Key="runs/new", Body=b"x"), "MethodNotAllowed"),
    ):
        with store.counted() as requests, pytest.raises(ClientError) as refused:
            call()
        assert refused.value.response["Error"]["Code"] == code
        assert requests.get_count == 0


def test_requests_outside_a_counted_block_are_not_in_it(store: CountingStore, s3: BaseClient) -> None:
    s3.list_objects_v2(Bucket="results")
    with store.counted() as requests:
        pass
    s3.list_objects_v2(Bucket="results")
    assert requests.lists == 0
