"""Downloads the server's object by several curls at once until the time is over, then asks the server to stop."""

import argparse
import sys

from curl_streams import CurlStreams, await_curl, begin_curl

END_SECONDS = 5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", required=True, help="address and port")
    parser.add_argument("--scheme", required=True, choices=("http", "https"))
    parser.add_argument("--streams", required=True, type=int)
    parser.add_argument("--duration-seconds", required=True, type=int)
    arguments = parser.parse_args()
    site = f"{arguments.scheme}://{arguments.server}"
    # The server made its certificate a moment ago. What is measured is the cost of TLS; nobody's identity is checked.
    options = ("--insecure",)
    streams = CurlStreams(lambda stream, number: f"{site}/object", lambda stream, number: options)
    exit_code = streams.run("download", arguments.streams, arguments.duration_seconds)
    # If this request does not reach the server, the server ends at its own deadline.
    await_curl(begin_curl(*options, seconds=END_SECONDS), f"{site}/end")
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
