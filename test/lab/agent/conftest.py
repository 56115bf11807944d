from __future__ import annotations

import pytest
from agent_support import HOST

from lab.agent.agent import Agent
from lab.hosts.fleet import HostFleet


@pytest.fixture(scope="module")
def agent(fleet: HostFleet) -> Agent:
    fleet.create_host(HOST, "steady", "us-east-1a", "10.4.0.1", {"AWS_REGION": "us-east-1"})
    return Agent(fleet, "us-east-1")
