"""`python -m lab` can be stopped from its first moment on; lab/command.py has what it does, and its arguments.

What the command imports takes a second, and longer on a busy machine. Ctrl-C within that time would end in a trace, and
SIGTERM without a word.
"""

import signal
import sys


def stop(*_: object) -> None:
    print("lab: stopped", file=sys.stderr, flush=True)
    sys.exit(130)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    from lab.command import main

    sys.exit(main(sys.argv[1:]))
