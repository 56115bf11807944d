"""Elastic Load Balancing: Network Load Balancers that forward in the fleet. MiniStack's own are records alone."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from ministack import app
from ministack.services import ec2

from lab.aws import patching
from lab.aws.data_paths import DataPaths
from lab.aws.elb_listeners import Listeners
from lab.aws.elb_load_balancers import LoadBalancers
from lab.aws.elb_query import answer, answer_error, read_request
from lab.aws.elb_records import Listened, LoadBalancer, Records
from lab.aws.elb_target_groups import TargetGroups
from lab.aws.faults import Faults
from lab.aws.machines import Fleet
from lab.aws.query import AwsError, Response
from lab.aws.security_rules import EVERYWHERE, alive_instances, sources_of

logger = logging.getLogger("lab.elb")


class LoadBalancing:
    """The hands on Elastic Load Balancing. `install` puts them in the place of MiniStack's service."""

    def __init__(self, fleet: Fleet, faults: Faults, paths: DataPaths) -> None:
        self.records = Records()
        self._fleet = fleet
        self._faults = faults
        self._paths = paths
        paths.add(self._apply)
        load_balancers = LoadBalancers(self.records, fleet, paths)
        target_groups = TargetGroups(self.records, fleet)
        listeners = Listeners(self.records)
        self._actions: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "CreateLoadBalancer": load_balancers.create,
            "DescribeLoadBalancers": load_balancers.describe,
            "DeleteLoadBalancer": load_balancers.delete,
            "DescribeTags": load_balancers.describe_tags,
            "CreateTargetGroup": target_groups.create,
            "DescribeTargetGroups": target_groups.describe,
            "DeleteTargetGroup": target_groups.delete,
            "RegisterTargets": target_groups.register,
            "DeregisterTargets": target_groups.deregister,
            "DescribeTargetHealth": target_groups.describe_health,
            "CreateListener": listeners.create,
            "DescribeListeners": listeners.describe,
            "DeleteListener": listeners.delete,
            "DescribeListenerAttributes": listeners.describe_attributes,
            "ModifyListenerAttributes": listeners.modify_attributes,
        }

    def install(self) -> None:
        patching.replace_entry(app, "SERVICE_HANDLERS", "elasticloadbalancing", self._handle_request)

    async def _handle_request(self, method: str, path: str, headers: dict[str, str], body: Any, query: Any) -> Response:
        return await asyncio.to_thread(self._handle, body, query)

    def _handle(self, body: Any, query: Any) -> Response:
        request = read_request(body, query)
        action = request.pop("Action", "")
        try:
            self._faults.raise_if_asked(f"elasticloadbalancing:{action}")
            if action not in self._actions:
                raise AwsError("InvalidAction", f"The lab's load balancing knows no action {action}")
            with self._paths.records:
                result = self._actions[action](request)
            if not action.startswith("Describe"):
                self._paths.apply()
            return answer(action, result)
        except AwsError as error:
            return answer_error(error)
        except Exception as error:
            logger.exception("%s failed", action)
            return answer_error(AwsError("InternalFailure", f"{action}: {error}", 500))

    def _apply(self) -> None:
        """Tells the fleet who may reach each active load balancer, and where each of its ports leads."""
        with self._paths.records:
            alive = {instance["InstanceId"] for instance in alive_instances()}
            for group in self.records.target_groups.values():
                group.targets = [target for target in group.targets if target.instance_id in alive]
            load_balancers = [one for one in self.records.load_balancers.values() if one.state == "active"]
        for load_balancer in load_balancers:
            with load_balancer.path:
                if not load_balancer.is_deleted:
                    self._apply_to(load_balancer)

    def _apply_to(self, load_balancer: LoadBalancer) -> None:
        name = load_balancer.identifier
        sources = sources_of(load_balancer.group_ids) if load_balancer.group_ids else {EVERYWHERE}
        if sources != load_balancer.sources:
            self._fleet.set_load_balancer_sources(name, sources)
            load_balancer.sources = sources
        wanted = self._wanted(load_balancer)
        for port in sorted(set(load_balancer.listened) - set(wanted)):
            self._fleet.remove_listener(name, port)
            del load_balancer.listened[port]
        for port, listened in wanted.items():
            if load_balancer.listened.get(port) != listened:
                protocols, instance_id, target_port, idle_seconds = listened
                self._fleet.set_listener(name, port, set(protocols), instance_id, target_port, idle_seconds)
                load_balancer.listened[port] = listened

    def _wanted(self, load_balancer: LoadBalancer) -> dict[int, Listened]:
        """By port. A target gets traffic whatever its health, as with Network Load Balancers when none is healthy."""
        return {
            listener.port: (
                frozenset(listener.protocol.lower().split("_")),
                target.instance_id,
                target.port,
                listener.idle_seconds,
            )
            for listener in self.records.listeners_of(load_balancer)
            for target in listener.target_group.targets
            if ec2._instances[target.instance_id].get("HasHost")
        }
