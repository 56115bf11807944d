"""Reads the counters of a namespace's queues through netlink, without a process per reading and with 64-bit bytes."""

import ctypes
import os
import socket
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from lab.hosts.commands import namespace_path

_CLONE_NEWNET = 0x40000000
_RTM_GETQDISC, _RTM_NEWQDISC, _NLMSG_DONE, _NLMSG_ERROR = 38, 36, 3, 2
_NLM_F_REQUEST_DUMP = 0x1 | 0x300
_TCA_STATS = 3
_HEADER = struct.Struct("=IHHII")
_TCMSG = struct.Struct("=BxxxiIII")
_ATTRIBUTE = struct.Struct("=HH")
_TC_STATS = struct.Struct("=QIII")
_ROOT = 0xFFFFFFFF


@dataclass(frozen=True)
class QueueStatistics:
    """The counters of one interface's root queue since it was made."""

    sent_bytes: int
    # Packets that were dropped or had to wait.
    limited_packets: int


class QueueReader:
    """Reads through a netlink socket that belongs to the namespace in which it was opened."""

    def __init__(self, namespace: str) -> None:
        self._socket = _netlink_socket(namespace)

    def read(self) -> dict[int, QueueStatistics]:
        """Returns the root queues' counters by interface index."""
        body = _TCMSG.pack(0, 0, 0, 0, 0)
        self._socket.send(_HEADER.pack(_HEADER.size + len(body), _RTM_GETQDISC, _NLM_F_REQUEST_DUMP, 1, 0) + body)
        found: dict[int, QueueStatistics] = {}
        while True:
            for kind, message in _parts(_HEADER, self._socket.recv(65536)):
                if kind == _NLMSG_DONE:
                    return found
                if kind == _NLMSG_ERROR:
                    raise OSError("netlink: must answer a request for queues, got an error")
                if kind == _RTM_NEWQDISC:
                    _add_root(message, found)

    def close(self) -> None:
        self._socket.close()


def _add_root(message: bytes, found: dict[int, QueueStatistics]) -> None:
    _, index, _, parent, _ = _TCMSG.unpack_from(message)
    for kind, value in _parts(_ATTRIBUTE, message[_TCMSG.size :]):
        if parent == _ROOT and kind == _TCA_STATS:
            sent, _, dropped, delayed = _TC_STATS.unpack_from(value)
            found[index] = QueueStatistics(sent, dropped + delayed)


def _parts(header: struct.Struct, content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yields kind and content of each message or attribute: the header of both begins with the length and the kind."""
    offset = 0
    while offset + header.size <= len(content):
        length, kind, *_ = header.unpack_from(content, offset)
        yield kind, content[offset + header.size : offset + length]
        offset += (length + 3) & ~3


def _netlink_socket(namespace: str) -> socket.socket:
    def open_there() -> socket.socket:
        with open(namespace_path(namespace), "rb") as handle:
            if ctypes.CDLL(None, use_errno=True).setns(handle.fileno(), _CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), namespace)
        opened = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, socket.NETLINK_ROUTE)
        opened.settimeout(5)
        return opened

    # The network namespace belongs to the thread, so a thread that changes it does nothing else afterwards.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(open_there).result()
