"""Trino with Iceberg: `python iceberg_trino.py` fetches its plugin into .cache/ of the checkout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trino_distribution import NAME, Archive, fetch
from trino_server import CATALOG, TrinoServer

PLUGIN = Archive(
    path="trino-iceberg/476/trino-iceberg-476.zip",
    sha256="99edba5b491ed94d599aeb61e0794272d3569d8b563f3bb8569e8a49daa87b6c",
    folder="trino-iceberg-476",
    becomes="plugin/iceberg",
)


def fetch_plugin() -> Path:
    return fetch(archives=[PLUGIN], name=f"{NAME}-iceberg") / PLUGIN.becomes


class IcebergTrino(TrinoServer):
    """With a second catalogue, `iceberg`, of the same Glue and the same objects."""

    def __init__(self, distribution: Path, work_dir: Path, *args: Any, **options: Any) -> None:
        both = work_dir / "distribution"
        (both / "plugin").mkdir(parents=True)
        (both / "lib").symlink_to(distribution / "lib")
        (both / "plugin/hive").symlink_to(distribution / "plugin/hive")
        (both / "plugin/iceberg").symlink_to(fetch_plugin())
        super().__init__(both, work_dir, *args, **options)
        catalogs = work_dir / "catalogs"
        hive = (catalogs / f"{CATALOG}.properties").read_text().splitlines()
        kept = [line for line in hive if line.startswith(("hive.metastore.glue.", "fs.", "s3."))]
        own = ["connector.name=iceberg", "iceberg.catalog.type=glue"]
        # Athena keeps neither metadata from one query to the next nor sketches of the values.
        own += ["iceberg.metadata-cache.enabled=false", "iceberg.extended-statistics.enabled=false"]
        own += [f"iceberg.{what}.min-retention=0s" for what in ("expire-snapshots", "remove-orphan-files")]
        (catalogs / "iceberg.properties").write_text("\n".join([*own, *kept]))


if __name__ == "__main__":
    print(fetch_plugin())
