"""A second fleet in the same namespaces, as when one lab follows another."""

from __future__ import annotations

import socket
from pathlib import Path

from host_support import TEST_PROFILES, running

from lab.hosts.fleet import HostFleet


def test_a_closed_fleet_leaves_no_link_in_the_way_of_the_next(tmp_path: Path) -> None:
    before = [name for _, name in socket.if_nameindex()]
    for name in ("first", "second"):
        fleet = HostFleet(tmp_path / name, 4566, TEST_PROFILES)
        fleet.create_host("i-follows", "steady", "us-east-1a", "10.9.0.1", {})
        fleet.set_allowed_sources("i-follows", {"10.0.0.0/8"})
        url = fleet.store_endpoint_url
        with (
            socket.create_server(("198.18.0.1", 4566)) as embedded_aws,
            running(fleet.command("i-follows", ["curl", "-s", url])),
            embedded_aws.accept()[0],
        ):
            # While the embedded AWS keeps the connection, the kernel keeps the store's namespace.
            fleet.close()

            assert [name for _, name in socket.if_nameindex()] == before
