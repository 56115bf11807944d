"""Uploads the files in the spool to S3, and those that found no room there, while the tool runs and after it."""

from __future__ import annotations

import collections
import functools
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from botocore.client import BaseClient
    from botocore.config import Config
    from botocore.session import Session
    from types_boto3_s3 import S3Client
    from types_boto3_sts import STSClient

UPLOAD_ATTEMPT_SECONDS = 10
UPLOAD_PAUSE_SECONDS = (0.2, 0.5, 1, 2, 5)


@functools.cache
def own_session() -> Session:
    """Returns botocore's session with this host's settings: boto3 on top of it would take 4 MB more memory."""
    # The import takes a quarter of a second, so it happens here, after the tool has started.
    import botocore.session

    session = botocore.session.get_session()
    session.set_config_variable("sts_regional_endpoints", "regional")
    return session


def client_config() -> Config:
    """Returns the settings of a client that tries once, because its users have deadlines and retries of their own."""
    from botocore.config import Config

    return Config(
        connect_timeout=UPLOAD_ATTEMPT_SECONDS / 2,
        read_timeout=UPLOAD_ATTEMPT_SECONDS / 2,
        retries={"total_max_attempts": 1},
    )


def own_client(service: str, config: Config) -> BaseClient:
    """Returns a client for the region that the agent passes to every command; the SDK would not find it by itself."""
    return own_session().create_client(service, region_name=os.environ["AWS_SSM_REGION_NAME"], config=config)


def s3_client(config: Config) -> S3Client:
    return cast("S3Client", own_client("s3", config))


def caller_id() -> str:
    """Returns `aws:userid`: this host's keys begin with it, after the prefix of their kind."""
    return cast("STSClient", own_client("sts", client_config())).get_caller_identity()["UserId"]


class Uploader(threading.Thread):
    """Uploads the spooled files in order, and retries until the deadline that `finish` sets."""

    def __init__(self, bucket: str, spool: str, stream_path: str) -> None:
        super().__init__(name="uploader", daemon=True)
        self._bucket = bucket
        self._spool = spool
        self._stream_path = stream_path
        # The name of each file, and its bytes where the disk had no room for them.
        self._files: collections.deque[tuple[str, bytes | None]] = collections.deque()
        self._wake = threading.Event()
        self._deadline: float | None = None
        self._s3: S3Client | None = None
        self._key_prefix: str | None = None
        self._is_complete = False
        self.last_error = ""

    def put(self, name: str, body: bytes | None = None) -> None:
        """Takes a file of the spool, or its bytes where the disk had no room for them."""
        self._files.append((name, body))
        self._wake.set()

    @property
    def unspooled_count(self) -> int:
        """How many files that are not in S3 yet are in memory alone."""
        return sum(body is not None for _, body in self._files)

    def finish(self, deadline_seconds: float) -> bool:
        """Waits until everything is in S3 or the deadline is over; returns whether everything is."""
        self._deadline = time.monotonic() + deadline_seconds
        self._wake.set()
        self.join(timeout=deadline_seconds)
        return self._is_complete

    def key_prefix(self, deadline_seconds: float) -> str | None:
        """Waits for `raw/<aws:userid>/…/`, which is known once STS has answered."""
        deadline = time.monotonic() + deadline_seconds
        while self._key_prefix is None and time.monotonic() < deadline:
            time.sleep(0.02)
        return self._key_prefix

    def run(self) -> None:
        if not self._until_done(self._connect):
            return
        while True:
            self._wake.wait()
            self._wake.clear()
            while self._files:
                if not self._until_done(self._put_next):
                    return
                self._files.popleft()
            if self._deadline is not None:
                self._is_complete = True
                return

    def _until_done(self, attempt: Callable[[], None]) -> bool:
        for tries in range(sys.maxsize):
            try:
                attempt()
                return True
            except Exception as error:  # any error of the SDK, from DNS to AccessDenied, is worth another attempt
                self.last_error = f"{type(error).__name__}: {error}"
            pause = UPLOAD_PAUSE_SECONDS[min(tries, len(UPLOAD_PAUSE_SECONDS) - 1)]
            if self._deadline is not None:
                left = self._deadline - time.monotonic()
                if left <= 0:
                    return False
                pause = min(pause, left)
            time.sleep(pause)
        return False

    def _connect(self) -> None:
        self._s3 = s3_client(client_config())
        self._key_prefix = f"raw/{caller_id()}/{self._stream_path}/"

    def _put_next(self) -> None:
        assert self._s3 is not None
        name, unspooled = self._files[0]
        path = os.path.join(self._spool, name)
        body = unspooled
        if body is None:
            with open(path, "rb") as file:
                body = file.read()
        content_type = "application/json" if name.endswith(".json") else "application/gzip"
        self._s3.put_object(Bucket=self._bucket, Key=f"{self._key_prefix}{name}", Body=body, ContentType=content_type)
        if unspooled is None:
            os.remove(path)
