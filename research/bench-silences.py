#!/usr/bin/env python3
"""Lists the times in which a command prints nothing for longer than a reader waits without doubt.

  python3 research/bench-silences.py
  python3 research/bench-silences.py -- npm run --silent lab -- athena throttle-onsets

Runs the command, by default `npm run lab`, and prints its lines with the seconds since its start. Then it lists each
silence over the limit with the line before and the line after it. Any output ends a silence, also a dot.
Exit code: 0; 1 when there was such a silence. The command's own exit code is printed. A busy machine makes every step
longer, so look for a silence's cause before blaming the command.
"""

import argparse
import shlex
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from child_processes import end_by_signals, follow  # noqa: E402

DEFAULT_COMMAND = ["npm", "run", "lab"]


class StampedLines:
    """Prints output with the seconds at the beginning of each line; a line that comes in parts is printed so."""

    def __init__(self) -> None:
        self._is_line_begun = False

    def write(self, at_seconds: float, part: bytes) -> None:
        for line in part.decode(errors="replace").splitlines(keepends=True):
            stamp = "" if self._is_line_begun else f"{at_seconds:7.1f}  "
            sys.stdout.write(stamp + line)
            self._is_line_begun = not line.endswith("\n")
        sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit-seconds", type=float, default=5, help="what is listed is longer (default: 5)")
    parser.add_argument("command", nargs="*", default=DEFAULT_COMMAND, help="after --, the command with its arguments")
    options = parser.parse_args()
    end_by_signals()
    ended = follow(options.command, StampedLines().write)
    long_ones = [silence for silence in ended.silences if silence.seconds > options.limit_seconds]
    count = "1 silence" if len(long_ones) == 1 else f"{len(long_ones)} silences"
    print(
        f"\n{shlex.join(options.command)}: exit code {ended.code} after {ended.seconds:.0f} s; {count} over "
        f"{options.limit_seconds:g} s, the longest {ended.longest_silence.seconds:.1f} s"
    )
    for silence in long_ones:
        print(f"  {silence.seconds:.1f} s from second {silence.from_seconds:.1f} on")
        print(f"    after:  {silence.line_before or '(the start)'}")
        print(f"    before: {silence.line_after or '(the end)'}")
    return 1 if long_ones else 0


if __name__ == "__main__":
    sys.exit(main())
