"""Adds up what Jest and pytest report: `N passed, N failed`. A runner without a report counts as one failure."""

import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def count_jest(path: Path) -> tuple[int, int]:
    if not path.exists():
        return 0, 1
    report = json.loads(path.read_text())
    if report["numPendingTests"] or report["numTodoTests"]:
        sys.exit(f"tests: {report['numPendingTests']} skipped in Jest; nothing may be skipped")
    failed_to_run = report["numRuntimeErrorTestSuites"]
    return report["numPassedTests"], report["numFailedTests"] + failed_to_run


def count_pytest(path: Path) -> tuple[int, int]:
    if not path.exists():
        return 0, 1
    suites = list(ElementTree.parse(path).getroot().iter("testsuite"))
    total, failed, skipped = (
        sum(int(suite.get(key, 0)) for suite in suites for key in keys)
        for keys in (("tests",), ("failures", "errors"), ("skipped",))
    )
    if skipped:
        sys.exit(f"tests: {skipped} skipped in pytest; nothing may be skipped")
    return total - failed, failed


def count(path: Path) -> tuple[int, int]:
    """Jest reports in JSON, pytest in XML."""
    return count_jest(path) if path.suffix == ".json" else count_pytest(path)


counts = [count(Path(argument)) for argument in sys.argv[1:]]
print(f"{sum(passed for passed, _ in counts)} passed, {sum(failed for _, failed in counts)} failed")
