"""What whoever opens a report reads in it, and whether somebody who has never seen the source understands a reason.

A reason is a sentence, or says what went wrong and why, as `what: why`; several are joined by semicolons.
"""

import html
import re

# What people report as unreadable, and what it is.
UNREADABLE = {
    "a stack trace": re.compile(r"Traceback \(most recent|^\s+at \S+ ?\(|\(node:|node:internal|\.[cm]?[jt]s:\d+", re.M),
    "raw JSON": re.compile(r'[{\[]\s*\\?"\w+\\?"\s*:|\\"|\[\]|\{\}'),
    "an error of JavaScript": re.compile(
        r"Cannot read propert|is not a function|is not iterable|Unexpected (?:token|end of JSON)|\[object "
        r"|\b(?:Type|Reference|Syntax|Range)Error\b|(?:^|[:;] )Error: "
    ),
    "a missing value": re.compile(r"\bundefined\b|\bNaN\b|\bnull\b|\bNone\b"),
    "an object without a name": re.compile(r"(?:^|: )NoSuchKey: The specified key"),
    "an error of Python": re.compile(r"\b(?:Key|Value|Attribute|Runtime|OS)Error\b|<class '"),
    "an error of the product's own": re.compile(
        r"\b(?:InvalidPlan|LaunchFailed|ConnectFailed|IncompleteSeries|Passing)Error\b"
        r"|\b(?:PairFailed|RunFailed|RunIncomplete|RunEnded|ExpectationsNotMet)\b"
    ),
    "the name of a state or of a status": re.compile(
        r"\bthe state '|\bthe JSONata expression\b|\$states\b|\b(?:ABORTED|TIMED_OUT|SUCCEEDED|PENDING_REDRIVE)\b"
    ),
}
# A name as AWS gives it to an error: `States.Timeout`, `Ec2.Ec2Exception`, `UnauthorizedOperation`, `SlowDown`.
ERROR_NAME = r"(?:[A-Z][A-Za-z0-9]*\.)*[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+|[A-Z][A-Za-z0-9]*\.[A-Z][A-Za-z0-9]*"
IS_ERROR_NAME = re.compile(f"(?:{ERROR_NAME})")
# Which pair or measurement a reason is about; it says neither what nor why.
SUBJECT = re.compile(r"(?:p\d{4}(?:-m\d+)?: )+")
FEWEST_WORDS = 3
LONGEST_CHARACTERS = 2_500


def report_text(page: str) -> str:
    """Returns the page without its tags, and with plain spaces.

    A measurement's id is a link wherever it stands, and a no-break space keeps a figure with its unit.
    """
    return html.unescape(re.sub(r"<[^>]*>", "", page)).replace("\u00a0", " ")


def one_line(text: str) -> str:
    """Returns a text with its white space as a page shows it: a tool may have printed more of it."""
    return " ".join(text.split())


def complaint(reason: str) -> str | None:
    """Returns what is wrong with a reason; None when it can be read."""
    if len(re.findall(r"[A-Za-z]{2,}", reason)) < FEWEST_WORDS:
        return f"says too little: {reason!r}"
    if len(reason) > LONGEST_CHARACTERS:
        return f"has {len(reason)} characters"
    found = next((what for what, pattern in UNREADABLE.items() if pattern.search(reason)), None)
    if found is not None:
        return f"contains {found}"
    return next((problem for part in re.split(r"; |\n", reason) if (problem := _bare_name(part)) is not None), None)


def _bare_name(part: str) -> str | None:
    """An error's name may stand between what went wrong and why, and can replace neither."""
    first, *others = SUBJECT.sub("", part).strip().split(": ")
    if IS_ERROR_NAME.fullmatch(first):
        return f"begins with the name of an error, {first}"
    if others and IS_ERROR_NAME.fullmatch(others[-1].rstrip(".")):
        return f"has only the name of an error as its why, {others[-1]}"
    return None
