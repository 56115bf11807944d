"""`python -m lab.aws` runs the embedded AWS as a process of its own; on SIGTERM it writes its state and ends."""

import argparse
import sys
from pathlib import Path

from lab import namespace
from lab.aws.settings import IncompatibleMinistackError, Options, configure


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lab.aws", description=__doc__)
    parser.add_argument("--port", type=int, default=4566)
    parser.add_argument(
        "--bind", help="address to listen on; default: loopback, or with hosts all addresses of the lab's own network"
    )
    parser.add_argument(
        "--state-dir",
        type=Path,
        required=True,
        help="folder of everything that outlives the process, such as the objects in S3",
    )
    parser.add_argument("--work-dir", type=Path, help="folder of the hosts")
    parser.add_argument("--no-hosts", action="store_true", help="run without hosts, so that nothing can be launched")
    parser.add_argument(
        "--time-divisor",
        type=float,
        help="how many times sooner than on EC2 a bucket is spent; default: the figure in profiles.json",
    )
    parser.add_argument(
        "--wait-divisor",
        type=float,
        default=1,
        help="how many times shorter state machines, delayed queues and schedules wait; default: as defined",
    )
    parser.add_argument("--leave-state", action="store_true", help="do not write the state at the end")
    parser.add_argument("--mail-dir", type=Path, help="folder for what SNS would send by e-mail")
    arguments = parser.parse_args()
    if not arguments.no_hosts and arguments.work_dir is None:
        parser.error("--work-dir: must be given unless --no-hosts is")
    if not arguments.no_hosts and not namespace.is_inside():
        parser.error(
            "hosts: must be inside the lab's namespaces, start with: python -m lab.namespace python -m lab.aws …"
        )
    work_dir = None if arguments.no_hosts else arguments.work_dir.resolve()
    bind = arguments.bind or ("127.0.0.1" if work_dir is None else "0.0.0.0")
    options = Options(
        port=arguments.port,
        bind=bind,
        state_dir=arguments.state_dir.resolve(),
        work_dir=work_dir,
        time_divisor=arguments.time_divisor,
        wait_divisor=arguments.wait_divisor,
        saves_state=not arguments.leave_state,
        mail_dir=None if arguments.mail_dir is None else arguments.mail_dir.resolve(),
    )
    try:
        configure(options)
        from lab.aws.start import serve  # imports MiniStack, which reads its settings then

        serve(options)
    except IncompatibleMinistackError as error:
        print(f"lab.aws: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
