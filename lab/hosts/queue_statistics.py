"""Reads the counters of a namespace's queues by netlink: without a process per reading, and with 64-bit byte counts."""

import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from pyroute2.netlink import NLM_F_DUMP, NLM_F_REQUEST, NLMSG_DONE, NLMSG_ERROR
from pyroute2.netlink.rtnl import RTM_GETQDISC, TC_H_ROOT
from pyroute2.netlink.rtnl.marshal import MarshalRtnl
from pyroute2.netlink.rtnl.tcmsg import tcmsg
from pyroute2.netns import setns


@dataclass(frozen=True)
class QueueStatistics:
    """The counters of one interface's root queue since its creation."""

    sent_bytes: int
    # How many packets were dropped or had to wait.
    limited_packets: int


class QueueReader:
    """Reads through a netlink socket of the namespace, from any thread; pyroute2's own sockets belong to one thread."""

    def __init__(self, namespace: str) -> None:
        # A network namespace belongs to a thread, so only a short-lived thread changes its own.
        with ThreadPoolExecutor(1) as thread:
            self._socket = thread.submit(_netlink_socket, namespace).result()
        self._marshal = MarshalRtnl()
        request = tcmsg()
        request["header"] |= {"type": RTM_GETQDISC, "flags": NLM_F_REQUEST | NLM_F_DUMP, "sequence_number": 1}
        request.encode()
        self._request = bytes(request.data)

    def read(self) -> dict[int, QueueStatistics]:
        self._socket.send(self._request)
        found: dict[int, QueueStatistics] = {}
        while True:
            for message in self._marshal.parse(self._socket.recv(65536)):
                kind = message["header"]["type"]
                if kind == NLMSG_DONE:
                    return found
                if kind == NLMSG_ERROR:
                    raise OSError("netlink: must answer a request for queues, got an error")
                if message["parent"] == TC_H_ROOT:
                    counted = message.get_attr("TCA_STATS")
                    found[message["index"]] = QueueStatistics(counted["bytes"], counted["drop"] + counted["overlimits"])

    def close(self) -> None:
        self._socket.close()


def _netlink_socket(namespace: str) -> socket.socket:
    setns(namespace, flags=0)
    opened = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, socket.NETLINK_ROUTE)
    opened.settimeout(5)
    return opened
