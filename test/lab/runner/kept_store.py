"""A store that a lab has kept, as tests of the runner make it."""

from __future__ import annotations

from lab.runner.deployment import Deployment
from lab.runner.paths import LabPaths
from lab.runner.store import KeptDeployment, Store, Subnet


def deployment(bucket: str) -> Deployment:
    return Deployment(
        run_state_machine_arn="run", pair_state_machine_arn="pair", bucket=bucket, database="d", workgroup="w"
    )


def kept_store(paths: LabPaths, bucket: str = "results", subnets: tuple[Subnet, ...] = ()) -> Store:
    paths.renew()
    store = Store(paths)
    store.record(KeptDeployment(deployment(bucket), "sources", list(subnets)))
    return store


def put_object(store: Store, key: str, content: str = "") -> None:
    file = store.objects() / key
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
