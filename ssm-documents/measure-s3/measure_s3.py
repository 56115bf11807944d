"""Downloads or uploads S3 objects by several curls at once, with URLs that this host signs with its own role.

A URL is signed right before its transfer, because it expires with the credentials that signed it.
"""

import argparse
import os
import sys
import tempfile

from botocore.config import Config
from curl_streams import CurlStreams, await_curl, begin_curl
from upload import caller_id, client_config, s3_client

PREPARE_SECONDS = 60
# A transfer must begin within this time after its URL was signed; how long it then takes does not matter.
URL_SECONDS = 300
PIECE_BYTES = 16 * 1024 * 1024


class Payload:
    """The bucket as this host sees it: signed URLs of its own keys."""

    def __init__(self, bucket: str, measurement_id: str, scheme: str) -> None:
        # Otherwise the signature would cover the checksum of a body that only curl sees.
        os.environ["AWS_REQUEST_CHECKSUM_CALCULATION"] = "when_required"
        signing = Config(
            signature_version="s3v4",
            # Use the region's own endpoint: the global one redirects while a bucket is new.
            s3={"addressing_style": "virtual", "us_east_1_regional_endpoint": "regional"},
        )
        self._s3 = s3_client(client_config().merge(signing))
        self._bucket = bucket
        self._key_prefix = f"payload/{caller_id()}/{measurement_id}"
        self._scheme = scheme

    def url(self, method: str, name: str) -> str:
        address = {"Bucket": self._bucket, "Key": f"{self._key_prefix}-{name}"}
        signed = self._s3.generate_presigned_url(method, Params=address, ExpiresIn=URL_SECONDS)
        # The signature covers the host name but not the scheme.
        return f"{self._scheme}://{signed.partition('://')[2]}"


def range_option(arguments: argparse.Namespace, stream: int, number: int) -> tuple[str, ...]:
    """Returns curl's option for one piece of the object; streams that read at the same time get different pieces."""
    object_bytes, range_bytes = arguments.object_bytes, arguments.range_bytes
    if range_bytes == 0:
        return ()
    pieces = max(1, object_bytes // range_bytes)
    start = ((stream - 1 + number * arguments.streams) % pieces) * range_bytes
    return ("--range", f"{start}-{min(start + range_bytes, object_bytes) - 1}")


def write_random_bytes(path: str, object_bytes: int) -> None:
    """Writes random bytes, which nothing on the way can compress."""
    memory = os.statvfs(os.path.dirname(path))
    free_bytes = memory.f_bavail * memory.f_frsize
    if object_bytes > free_bytes:
        raise SystemExit(f"ERROR: object: must fit into this host's memory ({free_bytes} bytes), got {object_bytes}")
    with open(path, "wb") as file:
        for written in range(0, object_bytes, PIECE_BYTES):
            file.write(os.urandom(min(PIECE_BYTES, object_bytes - written)))


def upload_options(path: str) -> tuple[str, ...]:
    # With "Expect: 100-continue" curl would wait a second for S3's permission whenever that answer does not come.
    return ("--upload-file", path, "--header", "Expect:")


def upload_once(payload: Payload, path: str) -> None:
    uploading = begin_curl(*upload_options(path), seconds=PREPARE_SECONDS)
    outcome = await_curl(uploading, payload.url("put_object", "object"))
    if outcome.failure:
        raise SystemExit(f"ERROR: upload of the object to download: {outcome.failure}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bucket", required=True)
    parser.add_argument("--measurement-id", required=True)
    parser.add_argument("--operation", required=True, choices=("download", "upload"))
    parser.add_argument("--scheme", required=True, choices=("http", "https"))
    parser.add_argument("--streams", required=True, type=int)
    parser.add_argument("--object-bytes", required=True, type=int)
    parser.add_argument("--range-bytes", required=True, type=int, help="0: the whole object at once")
    parser.add_argument("--duration-seconds", required=True, type=int)
    arguments = parser.parse_args()
    payload = Payload(arguments.bucket, arguments.measurement_id, arguments.scheme)
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="network-benchmark-") as directory:
        path = f"{directory}/object"
        write_random_bytes(path, arguments.object_bytes)
        if arguments.operation == "download":
            upload_once(payload, path)
            os.remove(path)
            streams = CurlStreams(
                lambda stream, number: payload.url("get_object", "object"),
                lambda stream, number: range_option(arguments, stream, number),
            )
        else:
            options = upload_options(path)
            streams = CurlStreams(
                lambda stream, number: payload.url("put_object", str(stream)), lambda stream, number: options
            )
        return streams.run(arguments.operation, arguments.streams, arguments.duration_seconds)


if __name__ == "__main__":
    sys.exit(main())
