"""Forwards connections from a port of the store's address to the same port of the embedded AWS.

A client that begins with a TLS record gets TLS. Other connections are forwarded by splice, so that their bytes never
enter this program. It is a process of its own to take load off the embedded AWS.

usage: store_forwarder.py ADDRESS TARGET_ADDRESS PORT CERTIFICATE KEY
"""

import os
import select
import socket
import ssl
import sys
import threading
from contextlib import suppress

_TLS_HANDSHAKE = 0x16
_PIPE_BYTES = 1_048_576
_TLS_READ_BYTES = 262_144
_FIRST_BYTE_SECONDS = 60


def serve(client: socket.socket, target: tuple[str, int], tls: ssl.SSLContext) -> None:
    """Serves one connection to its end."""
    with client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.settimeout(_FIRST_BYTE_SECONDS)
        try:
            first = client.recv(1, socket.MSG_PEEK)
            if not first:
                return
            is_tls = first[0] == _TLS_HANDSHAKE
            near = tls.wrap_socket(client, server_side=True) if is_tls else client
        except OSError:
            # A client that leaves or fails the TLS handshake needs no report.
            return
        near.settimeout(None)
        with near, socket.create_connection(target) as far:
            far.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            # Either side may close at any time; the other side notices that on its own connection.
            with suppress(OSError):
                if isinstance(near, ssl.SSLSocket):
                    _translate(near, far)
                    return
                back = threading.Thread(target=_splice, args=(far, near), daemon=True)
                back.start()
                _splice(near, far)
                back.join()


def _splice(source: socket.socket, sink: socket.socket) -> None:
    reading, writing = os.pipe()
    try:
        while count := os.splice(source.fileno(), writing, _PIPE_BYTES):
            while count:
                count -= os.splice(reading, sink.fileno(), count)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
    finally:
        os.close(reading)
        os.close(writing)


def _translate(near: ssl.SSLSocket, far: socket.socket) -> None:
    # One thread does both directions, because a TLS connection must not be read and written at the same time.
    while True:
        ready = [near] if near.pending() else select.select([near, far], [], [])[0]
        for source, sink in ((near, far), (far, near)):
            if source in ready:
                content = source.recv(_TLS_READ_BYTES)
                if not content:
                    return
                sink.sendall(content)


def main() -> None:
    address, target_address, port, certificate, key = sys.argv[1:]
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    listener = socket.create_server((address, int(port)), backlog=512)
    target = (target_address, int(port))
    print("ready", flush=True)
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client, target, tls), daemon=True).start()


if __name__ == "__main__":
    main()
