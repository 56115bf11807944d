"""Courses of runs as they were recorded, with everything that the judge asks for."""

from __future__ import annotations

import gzip
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from faults.conduct import Course
from faults.fault import Fault
from faults.judge import Verdict, judge
from faults.stored import Object, Stored
from faults.witness import Resource, Tool

PATH = Path(__file__).parents[1] / "fixtures" / "faults" / "courses.json.gz"
ALLOWED_SECONDS = 90.0


@dataclass
class Recorded:
    fault: Fault
    course: Course
    resources: list[Resource]
    tools: list[Tool]
    removals: list[Object]

    def verdict(self) -> Verdict:
        return judge(self.fault, self.course, self.resources, self.tools, self.removals, ALLOWED_SECONDS)


def write(courses: dict[str, Recorded]) -> None:
    PATH.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({name: asdict(one) for name, one in courses.items()}, sort_keys=True)
    PATH.write_bytes(gzip.compress(text.encode(), mtime=0))


def read() -> dict[str, Recorded]:
    return {name: _recorded(one) for name, one in json.loads(gzip.decompress(PATH.read_bytes())).items()}


def _recorded(one: Object) -> Recorded:
    course = Course(**one["course"] | {"store": Stored(**one["course"]["store"])})
    resources, tools = [Resource(**each) for each in one["resources"]], [Tool(**each) for each in one["tools"]]
    return Recorded(Fault(**one["fault"]), course, resources, tools, one["removals"])
