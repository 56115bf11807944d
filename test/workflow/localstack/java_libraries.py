"""The Java libraries of LocalStack's JSONata from Maven Central, in the versions that LocalStack itself fetches.

`python java_libraries.py` puts them into .cache/localstack/java, unless they are there.
"""

from __future__ import annotations

import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]
sys.path.insert(0, str(REPOSITORY / "test/athena"))

from trino_distribution import Archive, DownloadError, fetch  # noqa: E402

BASE_URL = "https://repo1.maven.org/maven2"
# The sha256 are of the files whose sha1 Maven Central publishes beside them.
SHA256 = {
    "com/dashjoin/jsonata/0.9.7/jsonata-0.9.7.jar": "dc09011dee965e68d858e42a19608932eb8bbdcbe9035ab71c44a5b9d566b1bf",
    "com/fasterxml/jackson/core/jackson-annotations/2.16.2/jackson-annotations-2.16.2.jar": (
        "d1cdd269ebaa753d1842933194e17d61958f058952d63e03dbfb3d1d78a6926e"
    ),
    "com/fasterxml/jackson/core/jackson-core/2.16.2/jackson-core-2.16.2.jar": (
        "4f43e2f1430b2d2413e8e5a3d79138e57e891d6a961b18c28ac90859639d8664"
    ),
    "com/fasterxml/jackson/core/jackson-databind/2.16.2/jackson-databind-2.16.2.jar": (
        "53b6025d98c357068296e4b134242443a248c2c582800879f1c4ea93b54bafa6"
    ),
}

if __name__ == "__main__":
    archives = [Archive(path, sha256, None, path.rsplit("/", 1)[1]) for path, sha256 in SHA256.items()]
    try:
        fetch(
            REPOSITORY / ".cache/localstack",
            archives,
            BASE_URL,
            report=lambda line: print(f"localstack: {line}", file=sys.stderr, flush=True),
            name="java",
        )
    except DownloadError as error:
        sys.exit(f"localstack: {error}")
