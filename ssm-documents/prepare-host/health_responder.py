"""Answers a load balancer's health checks on one port: accepts each connection and closes it."""

import contextlib
import socket
import sys


def main() -> None:
    with socket.create_server(("", int(sys.argv[1]))) as server:
        while True:
            # The load balancer may give up a check before it is accepted.
            with contextlib.suppress(ConnectionAbortedError):
                server.accept()[0].close()


main()
