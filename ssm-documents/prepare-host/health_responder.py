"""Answers a load balancer's health checks on one port: takes each connection and ends it."""

import contextlib
import socket
import sys


def main():
    with socket.create_server(("", int(sys.argv[1]))) as server:
        while True:
            # A check that was given up before it was taken up.
            with contextlib.suppress(ConnectionAbortedError):
                server.accept()[0].close()


main()
