"""Puts what stands in the spool into S3, while the tool runs and after it."""

from __future__ import annotations

import collections
import functools
import os
import sys
import threading
import time

UPLOAD_ATTEMPT_SECONDS = 10
UPLOAD_PAUSE_SECONDS = (0.2, 0.5, 1, 2, 5)


@functools.cache
def own_session():
    """What botocore knows of this host. Without boto3 on top of it, it is the same in 4 MB less."""
    # Imported here, beside the running tool: it takes a quarter of a second.
    import botocore.session

    session = botocore.session.get_session()
    session.set_config_variable("sts_regional_endpoints", "regional")
    return session


def create_client(service: str, **options: object):
    """A client of the host's own region and role, which tries once."""
    from botocore.config import Config

    session = own_session()
    # The SDK does not ask the instance for its region; the agent tells it to every command.
    region = next(
        filter(None, map(os.environ.get, ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_SSM_REGION_NAME"))),
        session.get_config_variable("region"),
    )
    config = Config(
        connect_timeout=UPLOAD_ATTEMPT_SECONDS / 2,
        read_timeout=UPLOAD_ATTEMPT_SECONDS / 2,
        retries={"total_max_attempts": 1},
        **options,
    )
    return session.create_client(service, region_name=region, config=config)


def caller_id() -> str:
    """`aws:userid`: what this host's own keys begin with, below the prefix of their kind."""
    return create_client("sts").get_caller_identity()["UserId"]


class Uploader(threading.Thread):
    """Puts what stands in the spool into S3, in order, and tries again until the deadline it is given at the end."""

    def __init__(self, bucket: str, spool: str, stream_path: str) -> None:
        super().__init__(name="uploader", daemon=True)
        self._bucket = bucket
        self._spool = spool
        self._stream_path = stream_path
        self._names: collections.deque[str] = collections.deque()
        self._wake = threading.Event()
        self._deadline: float | None = None
        self._s3 = None
        self._key_prefix: str | None = None
        self._is_complete = False
        self.last_error = ""

    def put(self, name: str) -> None:
        self._names.append(name)
        self._wake.set()

    def finish(self, deadline_seconds: float) -> bool:
        """Waits until everything is in S3 or the deadline is over."""
        self._deadline = time.monotonic() + deadline_seconds
        self._wake.set()
        self.join(timeout=deadline_seconds)
        return self._is_complete

    def key_prefix(self, deadline_seconds: float) -> str | None:
        """`raw/<aws:userid>/…/`; known once STS has answered."""
        deadline = time.monotonic() + deadline_seconds
        while self._key_prefix is None and time.monotonic() < deadline:
            time.sleep(0.02)
        return self._key_prefix

    def run(self) -> None:
        self._until_done(self._connect)
        while True:
            self._wake.wait()
            self._wake.clear()
            while self._names:
                if not self._until_done(lambda: self._put_object(self._names[0])):
                    return
                self._names.popleft()
            if self._deadline is not None:
                self._is_complete = True
                return

    def _until_done(self, attempt) -> bool:
        for tries in range(sys.maxsize):
            try:
                attempt()
                return True
            except Exception as error:  # whatever the SDK throws, from DNS to AccessDenied, is worth the next attempt
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
        if self._key_prefix is None:
            self._key_prefix = f"raw/{caller_id()}/{self._stream_path}/"
        self._s3 = create_client("s3")

    def _put_object(self, name: str) -> None:
        with open(os.path.join(self._spool, name), "rb") as file:
            body = file.read()
        is_json = name.endswith(".json")
        self._s3.put_object(
            Bucket=self._bucket,
            Key=self._key_prefix + name,
            Body=body,
            ContentType="application/json" if is_json else "application/gzip",
        )
        os.remove(os.path.join(self._spool, name))
