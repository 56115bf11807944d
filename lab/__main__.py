"""`python -m lab` handles Ctrl-C and SIGTERM before it imports the command; lab/command.py has what the command does.

The import takes a second or more. Without these handlers, Ctrl-C in that time would print a stack trace, and SIGTERM
would end without a message.
"""

import signal
import sys


def stop(*_: object) -> None:
    print("lab: stopped, and nothing of it goes on", file=sys.stderr, flush=True)
    sys.exit(130)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    from lab.command import main

    sys.exit(main(sys.argv[1:]))
