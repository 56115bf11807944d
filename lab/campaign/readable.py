"""Whether somebody who has never seen the source understands a reason."""

import re

# What people report as unreadable, and what it is.
UNREADABLE = {
    "a stack trace": re.compile(r"Traceback \(most recent|^\s+at \S+ ?\(|\(node:|node:internal|\.[cm]?[jt]s:\d+", re.M),
    "raw JSON": re.compile(r'[{\[]\s*\\?"\w+\\?"\s*:|\\"'),
    "an error of JavaScript": re.compile(
        r"Cannot read propert|is not a function|is not iterable|Unexpected (?:token|end of JSON)|\[object "
        r"|\b(?:Type|Reference|Syntax|Range)Error\b"
    ),
    "a missing value": re.compile(r"\bundefined\b|\bNaN\b|\bnull\b"),
    "an object without a name": re.compile(r"(?:^|: )NoSuchKey: The specified key"),
    "an error of Python": re.compile(r"\b(?:Key|Value|Attribute|Runtime|OS)Error\b|<class '"),
}
FEWEST_WORDS = 3
LONGEST_CHARACTERS = 2_500


def complaint(reason: str) -> str | None:
    """Returns what is wrong with a reason; None when it can be read."""
    if len(re.findall(r"[A-Za-z]{2,}", reason)) < FEWEST_WORDS:
        return f"says too little: {reason!r}"
    if len(reason) > LONGEST_CHARACTERS:
        return f"has {len(reason)} characters"
    return next((f"contains {what}" for what, pattern in UNREADABLE.items() if pattern.search(reason)), None)
