"""Notices when a host changes the MTU of its interface, because the other end of the link must follow."""

import struct

from lab.hosts.queue_statistics import netlink_socket

_RTMGRP_LINK = 1
_RTM_NEWLINK = 16
_IFLA_IFNAME, _IFLA_MTU = 3, 4
_HEADER = struct.Struct("=IHHII")
_IFINFOMSG_BYTES = 16
_ATTRIBUTE = struct.Struct("=HH")


class LinkWatch:
    """Watches one interface through a netlink socket that belongs to the host's namespace."""

    def __init__(self, namespace: str, interface: str) -> None:
        self._interface = interface.encode()
        self._socket = netlink_socket(namespace, _RTMGRP_LINK)
        self._socket.setblocking(False)
        self._mtu_bytes: int | None = None

    def changed_mtu_bytes(self) -> int | None:
        """Returns the interface's MTU if it has changed since the last call, else None."""
        before = self._mtu_bytes
        while True:
            try:
                messages = self._socket.recv(65536)
            except BlockingIOError:
                return None if self._mtu_bytes == before else self._mtu_bytes
            offset = 0
            while offset < len(messages):
                length, kind, _, _, _ = _HEADER.unpack_from(messages, offset)
                if kind == _RTM_NEWLINK:
                    self._read_mtu(messages[offset + _HEADER.size : offset + length])
                offset += (length + 3) & ~3

    def close(self) -> None:
        self._socket.close()

    def _read_mtu(self, message: bytes) -> None:
        found: dict[int, bytes] = {}
        offset = _IFINFOMSG_BYTES
        while offset + _ATTRIBUTE.size <= len(message):
            length, kind = _ATTRIBUTE.unpack_from(message, offset)
            found[kind] = message[offset + _ATTRIBUTE.size : offset + length]
            offset += (length + 3) & ~3
        if found.get(_IFLA_IFNAME, b"").rstrip(b"\0") == self._interface and _IFLA_MTU in found:
            (self._mtu_bytes,) = struct.unpack("=I", found[_IFLA_MTU])
