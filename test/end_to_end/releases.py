"""What released versions deploy, and how it gets into the lab."""

from __future__ import annotations

import gzip
import re
import tarfile
from pathlib import Path

from lab.runner.deployment import STACK_NAME, deploy_assembly, describe_deployment
from lab.runner.embedded_aws import EmbeddedAws
from lab.runner.paths import REPOSITORY

from .running_lab import Object, RunningLab

RELEASES = REPOSITORY / "test/fixtures/releases"
VERSIONS = sorted(folder.name for folder in RELEASES.iterdir() if folder.name[0].isdigit())


def released(version: str, assembly: Path) -> Path:
    with tarfile.open(RELEASES / version / "assembly.tar.xz") as packed:
        packed.extractall(assembly, filter="data")
    template = gzip.decompress((RELEASES / version / "every-option.template.json.gz").read_bytes())
    (assembly / f"{STACK_NAME}.template.json").write_bytes(template)
    return assembly


def deployed(aws: EmbeddedAws, assembly: Path) -> RunningLab:
    deploy_assembly(aws, assembly)
    return RunningLab(aws, describe_deployment(aws))


def saved_queries(lab: RunningLab, store: Object) -> dict[str, str]:
    """The queries that are deployed, about a run and a measurement of the store in place of their examples."""
    ids = lab.aws.athena.list_named_queries(WorkGroup=lab.deployment.workgroup)["NamedQueryIds"]
    saved = [lab.aws.athena.get_named_query(NamedQueryId=one)["NamedQuery"] for one in ids]
    asked = {"run_id": store["runIds"][0], "measurement_id": store["throttled"]}
    return {one["Name"]: _about(asked, one["QueryString"]) for one in saved}


def _about(asked: dict[str, str], sql: str) -> str:
    for name, value in asked.items():
        sql = re.sub(rf"'[^']+' AS {name}", f"'{value}' AS {name}", sql)
    return sql
