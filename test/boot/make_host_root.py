#!/usr/bin/env python3
"""Makes the root file system of a host for test/boot in .cache/host-root, with a mirror of packages; prints its folder.

A real cloud-init and a real systemd are in it, from the archive that this machine's apt uses. The packages that the
user data installs are fetched, but left for the user data to install: `mirror/` is an archive with just these. Needs
root, and the network once; what is there already is kept.

The suite is that of this machine's distribution unless --suite names another one. An archive that apt's settings lack
is given with --archive, and its keys with --keyring: Debian 12 has no package of Ubuntu's keys, and apt refuses an
archive whose signature it can't check.
"""

import argparse
import fcntl
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
# The product's hosts run noble. The default is chosen by the ID in /etc/os-release, because this machine then has the
# keys of the archive.
DEFAULT_SUITES = {"debian": "bookworm", "ubuntu": "noble"}
DISTRIBUTIONS = {"bookworm": "debian", "trixie": "debian", "noble": "ubuntu"}
COMPONENTS = {"debian": "main", "ubuntu": "main universe"}
# What Canonical's image has of its own, as far as user data, documents and agent use it.
IMAGE_PACKAGES = ["systemd", "systemd-sysv", "dbus", "cloud-init", "python3", "iproute2", "procps", "netbase", "curl"]
IMAGE_PACKAGES += ["ca-certificates", "cron", "logrotate", "unattended-upgrades"]


def main() -> None:
    arguments = parse_arguments()
    user_data = read_user_data()
    programs = array_of(user_data, "OWN_PROGRAMS") + array_of(user_data, "TOOL_PROGRAMS")
    packages = sorted({"python3-boto3", *(program.split("=")[1] for program in programs)})
    if os.geteuid() != 0:
        sys.exit("host root: must be made by root, run: sudo npm run test:boot")
    if shutil.which("mmdebstrap") is None:
        sys.exit("mmdebstrap: must be installed, run: sudo apt-get install -y mmdebstrap")
    suite: str = arguments.suite or default_suite()
    made_from = [Path(__file__).read_text(), suite, *packages]
    folder = REPOSITORY / ".cache" / "host-root" / hashlib.sha256("\n".join(made_from).encode()).hexdigest()[:12]
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / "lock").open("w") as lock:
        # A second caller waits for the first and then finds the work done.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            make(folder, suite, packages, arguments.archive or archive(suite), arguments.keyring)
    # Written each time: the script may change without its packages.
    (folder / "user-data.sh").write_text(user_data)
    print(folder)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", choices=sorted(DISTRIBUTIONS), help="default: by this machine's distribution")
    add_archive_arguments(parser)
    return parser.parse_args()


def add_archive_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what names an archive of a distribution that this machine does not run."""
    parser.add_argument("--archive", help="address of the suite's archive; default: the one in apt's settings")
    parser.add_argument("--keyring", type=Path, help="file with the archive's keys; default: those that apt trusts")


def read_user_data() -> str:
    """Returns the script as the stack deploys it, with the list of the tools' packages."""
    printed = subprocess.run(
        ["node_modules/.bin/tsx", "test/support/print-template.ts"], cwd=REPOSITORY, check=True, stdout=subprocess.PIPE
    )
    resources = json.loads(printed.stdout)["Resources"].values()
    (template,) = (resource for resource in resources if resource["Type"] == "AWS::EC2::LaunchTemplate")
    script: str = template["Properties"]["LaunchTemplateData"]["UserData"]["Fn::Base64"]
    return script


def array_of(script: str, name: str) -> list[str]:
    found = re.search(rf"^readonly {name}=\((.*)\)$", script, re.MULTILINE)
    if found is None:
        raise ValueError(f"user-data.sh: must have a line readonly {name}=(…), has none")
    return shlex.split(found[1])


def default_suite() -> str:
    """Returns the suite of this machine's distribution."""
    fields = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    system = fields["ID"].strip('"')
    if system not in DEFAULT_SUITES:
        allowed = ", ".join(DEFAULT_SUITES)
        sys.exit(f"host root: must be made on one of {allowed} or with --suite, this machine runs {system}")
    return DEFAULT_SUITES[system]


def archive(suite: str) -> str:
    """Returns the address of the archive in this machine's apt settings that has the suite."""
    subprocess.run(["apt-get", "update", "-qq"], check=True, stdout=sys.stderr)
    system = DISTRIBUTIONS[suite]
    wanted = ["Created-By: Packages", "Component: main", f"Origin: {system.capitalize()}"]
    form = "$(REPO_URI) $(CODENAME)"
    listed = subprocess.run(
        ["apt-get", "indextargets", "--format", form, *wanted], check=True, capture_output=True, text=True
    ).stdout.split("\n")
    # The archives of updates have a codename with a suffix, and Debian's security archive has an address of its own.
    found = [line.split()[0] for line in listed if line and "-" not in line.split()[1]]
    if not found:
        sys.exit(f"host root: apt's settings or --archive must name an archive of {system}, apt's settings have none")
    return found[0]


def make(folder: Path, suite: str, packages: list[str], address: str, keyring: Path | None) -> None:
    print(f"setup: root file system of a host ({suite}) in {folder.parent}", file=sys.stderr)
    made = folder.with_suffix(".part")
    shutil.rmtree(made, ignore_errors=True)
    (made / "mirror").mkdir(parents=True)
    root = made / "root"
    network = subprocess.run(["apt-config", "dump"], check=True, capture_output=True, text=True).stdout
    options = made / "apt.conf"
    options.write_text("".join(line for line in network.splitlines(True) if re.match(r"Acquire::https?::", line)))
    fetch = f"apt-get install -y -qq --download-only --no-install-recommends {shlex.join(packages)}"
    command = ["mmdebstrap", "--quiet", "--mode=root", "--variant=apt", f"--aptopt={options}"]
    # The root is only a cache, so that a write which the disk has not confirmed does no harm.
    command += ["--dpkgopt=force-unsafe-io", "--dpkgopt=path-exclude=/usr/share/man/*"]
    command += [f"--include={','.join(IMAGE_PACKAGES)}", "--skip=cleanup/apt"]
    # What the root itself is made of is not fetched by user data.
    command += ['--customize-hook=rm -f "$1"/var/cache/apt/archives/*.deb']
    command += [f'--customize-hook=chroot "$1" {fetch} >&2']
    command += [f'--customize-hook=mv "$1"/var/cache/apt/archives/*.deb {shlex.quote(str(made / "mirror"))}']
    command += ['--customize-hook=rm -rf "$1"/var/lib/apt/lists/* "$1"/etc/apt/apt.conf.d/99mmdebstrap']
    signed_by = f"[signed-by={keyring.resolve()}] " if keyring else ""
    command += [suite, str(root), f"deb {signed_by}{address} {suite} {COMPONENTS[DISTRIBUTIONS[suite]]}"]
    subprocess.run(command, check=True, stdout=sys.stderr)
    (root / "etc/apt/sources.list").unlink()
    (made / "mirror" / "Packages").write_text("".join(map(entry, sorted((made / "mirror").glob("*.deb")))))
    made.rename(folder)


def entry(package: Path) -> str:
    """Returns the paragraph of a package in the index of a flat archive."""
    fields = subprocess.run(["dpkg-deb", "--field", package], check=True, capture_output=True, text=True).stdout
    content = package.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    return f"{fields}Filename: {package.name}\nSize: {len(content)}\nSHA256: {digest}\n\n"


if __name__ == "__main__":
    main()
