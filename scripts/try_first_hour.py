"""The first hour of a new user, on a machine that was just installed: `npm run try:first-hour -- --help`.

Makes the root file system of a fresh Debian 12 with its own Python, without sudo and without the lab's tools, or, with
`--suite noble`, that of Ubuntu 24.04, whose sudo asks for a password. In it, a user with an empty home has a copy of
this checkout, in a path with spaces and umlauts, and runs the commands of the README; then root does. A command that
ends with a line for an administrator is run again after root has run that very line. Prints exit code, seconds and
longest silence of each command, and which files it left outside the checkout.
Exit code: 0; 1 when a command failed, or left something outside that ALLOWED_OUTSIDE does not name.

Needs root and mmdebstrap, and leaves this machine as it was: everything is in .cache/first-hour.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "scripts"))
# The folder has modules with names that others have too, so it comes last.
sys.path.append(str(REPOSITORY / "test/boot"))

from child_processes import Ended, follow  # noqa: E402
from fresh_system import NPM_OF_NODE, USER, make_base  # noqa: E402
from make_host_root import add_archive_arguments  # noqa: E402

# The distributions that docs/set-up.md names.
SUITES = ("bookworm", "noble")
HOMES = {"user": f"/home/{USER}", "root": "/root"}
CHECKOUT = "Prüfstand für Netze/ec2-network-bench"
COMMANDS = {
    "plan": "npm run plan -- examples/plans/burst-30-minutes-m5.2xlarge.json",
    "analyse": "npm run --silent analyse -- test/fixtures/tool-output/iperf3/3.12/json-p2.out",
    "lab": "npm run lab",
    "athena-query": "npm run --silent lab -- athena throttle-onsets",
    "unit": "npm run test:unit",
    "test": "npm test",
    "athena": "npm run test:athena",
    "browser": "npm run test:browser",
}
LINE_FOR_ADMINISTRATOR = re.compile(r"^  ((?:sudo|su) .*)$", re.MULTILINE)
# npm and pip keep caches of all the user's projects in these folders.
OWN_CACHES = (".npm", ".cache/pip")
# Other files and folders that a command may leave outside the checkout, with the reason.
ALLOWED_OUTSIDE = {
    "tmp/node-compile-cache": "npm makes it before it starts a command of the project",
    "run/adduser": "packages of the distribution make it, which the commands of root install themselves",
    "run/sudo": "sudo makes it when it is asked whether it wants a password",
}
BY_ROOT = "the line, by root"
OF_PACKAGES = "packages of the distribution"
WATCHED = ("tmp", "var/tmp", "home", "root", "shm", "run", "srv", "opt")
# These variables let the new system reach the registries as this machine does.
CARRIED_VARIABLES = re.compile(r"^(pip_|npm_config_).*|.*(_proxy|_cert|_cert_file|_ca_certs)$", re.IGNORECASE)
# The root is entered by pivot_root, because the kernel makes no user namespaces for a process in a chroot. /dev/shm is
# a folder of the root, so that what is left in it can be seen afterwards.
ENTER = r"""
set -e
mount --make-rprivate /
mount -t overlay -o "lowerdir=$1,upperdir=$2,workdir=$3" overlay "$4"
cd "$4"
mount -t proc proc proc
mount -t sysfs sysfs sys
mount --rbind /dev dev
mkdir -p -m 1777 shm .old
mount --bind shm dev/shm
pivot_root . .old
umount -l /.old
rmdir /.old
shift 4
exec "$@"
"""


@dataclass(frozen=True)
class Trial:
    """The result of one command."""

    user: str
    node: str
    name: str
    code: int
    seconds: float
    silence: str
    left_outside: list[str]
    # The command printed a line for an administrator, and was run again after that line.
    is_repeated: bool = False

    @property
    def not_allowed(self) -> list[str]:
        return [path for path in self.left_outside if self.why_allowed(path) is None]

    def why_allowed(self, path: str) -> str | None:
        if self.name == BY_ROOT:
            return OF_PACKAGES
        reasons = (why for allowed, why in ALLOWED_OUTSIDE.items() if path == allowed or path.startswith(f"{allowed}/"))
        return next(reasons, None)

    @property
    def is_good(self) -> bool:
        return (self.code == 0 or self.is_repeated) and not self.not_allowed

    @property
    def cells(self) -> list[str]:
        outside = ", ".join(self.left_outside) or "-"
        return [self.user, self.node, self.name, str(self.code), f"{self.seconds:.0f}", self.silence, outside]


class Machine:
    """A fresh Debian, whose changes are in a folder of their own."""

    def __init__(self, base: Path, folder: Path, user: str, node: str) -> None:
        self.base, self.user, self.node = base, user, node
        self.upper, self._work, self._root = folder / "changes", folder / "work", folder / "root"
        for made in (self.upper, self._work, self._root):
            made.mkdir(parents=True)
        self.home = HOMES[user]
        self.checkout = f"{self.home}/{CHECKOUT}"
        copy_checkout(self.upper / self.checkout[1:])
        self._run_as_root(f"chown -R {USER}:{USER} /home/{USER}")

    def run(self, command: str) -> Ended:
        """Runs a command as the user in the checkout, and prints what it prints."""
        variables = {"HOME": self.home, "LANG": "C.UTF-8", "PATH": f"/opt/node-{self.node}/bin:/usr/bin:/bin"}
        if self.user == "root":
            variables["PATH"] += ":/usr/sbin:/sbin"
        carried = {name: value for name, value in os.environ.items() if CARRIED_VARIABLES.match(name)}
        settings = [f"{name}={value}" for name, value in (carried | variables).items()]
        identity = [] if self.user == "root" else ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--init-groups"]
        shell = f"cd {shlex.quote(self.checkout)} && {command}"
        return follow([*self._entered(), *identity, "env", "-i", *settings, "bash", "-c", shell], grace_seconds=0)

    def run_line(self, line: str) -> Ended:
        """Runs the line as an administrator types it, in a shell of root."""
        return follow(
            [*self._entered(), "env", "-i", "HOME=/root", "LANG=C.UTF-8", "bash", "-l", "-c", line], grace_seconds=0
        )

    def files_outside(self) -> set[str]:
        """Returns every path that the commands have created outside the checkout and the caches."""
        home = self.home[1:]
        return paths_below(self.upper, [self.checkout[1:], *(f"{home}/{cache}" for cache in OWN_CACHES)])

    def sizes(self) -> list[tuple[str, int]]:
        """Returns how many megabytes the commands have written, by folder of the checkout or of the home."""
        checkout, home = self.upper / self.checkout[1:], self.upper / self.home[1:]
        folders = [(name, checkout / name) for name in ("node_modules", ".lab")]
        folders += [(f".cache/{folder.name}", folder) for folder in sorted((checkout / ".cache").glob("*/"))]
        folders += [(f"~/{cache}", home / cache) for cache in OWN_CACHES]
        return [(name, megabytes(folder)) for name, folder in folders if folder.is_dir()]

    def _entered(self) -> list[str]:
        folders = [str(folder) for folder in (self.base, self.upper, self._work, self._root)]
        unshare = ["unshare", "--mount", "--pid", "--uts", "--ipc", "--fork", "--kill-child=SIGKILL"]
        return [*unshare, "--", "sh", "-c", ENTER, "enter", *folders]

    def _run_as_root(self, command: str) -> None:
        subprocess.run([*self._entered(), "sh", "-c", command], check=True)


def copy_checkout(target: Path) -> None:
    """Copies the files that git knows; a user who downloads an archive has no more either."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (REPOSITORY / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPOSITORY / name, target / name)


def megabytes(folder: Path) -> int:
    printed = subprocess.run(["du", "-s", "--block-size=1000000", folder], check=True, capture_output=True, text=True)
    return int(printed.stdout.split()[0])


def paths_below(root: Path, skipped: list[str]) -> set[str]:
    """Returns every path in the watched folders, without the skipped ones and the folders on the way to them."""
    found: set[str] = set()
    for watched in WATCHED:
        for folder, folders, files in os.walk(root / watched):
            here = Path(folder).relative_to(root)
            folders[:] = [name for name in folders if str(here / name) not in skipped]
            found.update(str(here / name) for name in [*folders, *files])
    return found - {str(parent) for path in skipped for parent in Path(path).parents}


def outermost(paths: set[str]) -> list[str]:
    return sorted(path for path in paths if str(Path(path).parent) not in paths)


def try_one(base: Path, folder: Path, user: str, node: str, names: list[str], trials: list[Trial]) -> None:
    """Runs the commands, and adds the result of each to the trials as soon as it has ended."""
    machine = Machine(base, folder, user, node)
    known = machine.files_outside()

    def note(name: str, ended: Ended, *, is_repeated: bool = False) -> None:
        nonlocal known
        left = machine.files_outside()
        longest = ended.longest_silence
        silence = f"{longest.seconds:.0f} s"
        if longest.seconds > 5:
            silence += f" after {longest.line_before[:60]!r}"
        outside = outermost(left - known)
        trials.append(Trial(user, node, name, ended.code, ended.seconds, silence, outside, is_repeated))
        print("==", *trials[-1].cells, sep="  ", flush=True)
        known = left

    for name in names:
        print(f"== {user}, Node {node}: {COMMANDS[name]}", flush=True)
        ended = machine.run(COMMANDS[name])
        line = LINE_FOR_ADMINISTRATOR.search(ended.output)
        if ended.code != 0 and line is not None:
            note(f"{name}: the line", ended, is_repeated=True)
            print(f"== root: {line[1]}", flush=True)
            note(BY_ROOT, machine.run_line(line[1]))
            ended = machine.run(COMMANDS[name])
        note(name, ended)
    print(f"== {user}, Node {node}: MB on the disk:", ", ".join(f"{name} {size}" for name, size in machine.sizes()))


def print_trials(trials: list[Trial]) -> None:
    heading = ["user", "Node", "command", "exit", "seconds", "longest silence", "left outside the checkout"]
    print_table(heading, [trial.cells for trial in trials])
    left = [
        [path, each.user, each.node, each.name, each.why_allowed(path) or "NOT ALLOWED"]
        for each in trials
        for path in each.left_outside
    ]
    print()
    if left:
        print_table(["left outside the checkout", "user", "Node", "command", "why it may be there"], sorted(left))
    else:
        print("nothing was left outside the checkout")


def print_table(heading: list[str], rows: list[list[str]]) -> None:
    widths = [max(len(row[column]) for row in [heading, *rows]) for column in range(len(heading))]
    for row in [heading, ["-" * width for width in widths], *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", nargs="+", choices=list(HOMES), default=list(HOMES))
    parser.add_argument("--nodes", nargs="+", choices=list(NPM_OF_NODE), default=list(NPM_OF_NODE))
    parser.add_argument("--commands", nargs="+", choices=list(COMMANDS), default=list(COMMANDS))
    parser.add_argument("--suite", choices=SUITES, default=SUITES[0], help="Debian 12 (default) or Ubuntu 24.04")
    add_archive_arguments(parser)
    parser.add_argument("--keep", action="store_true", help="keep the fresh system for the next time")
    options = parser.parse_args()
    if os.geteuid() != 0 or shutil.which("mmdebstrap") is None:
        sys.exit("try:first-hour: must be run by root, with mmdebstrap: apt-get install -y mmdebstrap")
    # These signals raise SystemExit, so that the cleanup runs as it does after the last command.
    for ended_by in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ended_by, lambda number, _: sys.exit(f"try:first-hour: ended by {signal.Signals(number).name}"))
    cache = REPOSITORY / ".cache/first-hour"
    base = make_base(cache, options.suite, options.archive, options.keyring, options.nodes)
    tries = cache / f"try-{os.getpid()}"
    trials: list[Trial] = []
    try:
        for user in options.users:
            for node in options.nodes:
                try_one(base, tries / f"{user}-{node}", user, node, options.commands, trials)
    finally:
        print_trials(trials)
        shutil.rmtree(tries if options.keep else cache, ignore_errors=True)
    print("The caches of npm and pip in the home are the user's own, and not listed.")
    return 0 if all(trial.is_good for trial in trials) else 1


if __name__ == "__main__":
    sys.exit(main())
