"""Describes a run's progress: a line for each event of the whole run, and a status that changes all the time."""

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any

Event = dict[str, Any]

# Longer silence makes a reader doubt that anything happens.
SILENCE_SECONDS = 4.0
CHECK_SECONDS = 0.5

_STARTING = "starting the embedded AWS"
_DEPLOYING = "deploying the stack"

# By event name: what the lab waits for from then on, and the event's line.
_EVENTS: dict[str, tuple[str | None, str]] = {
    "checking": ("checking the plan", "checking {plan}"),
    "entering": (None, "the plan is good; entering the lab's namespaces"),
    "starting": (_STARTING, _STARTING),
    "deploying": (f"{_DEPLOYING} (cdk deploy)", f"{_DEPLOYING} to the embedded AWS (cdk deploy)"),
    "deployed": ("starting the run", "deployed in {seconds} s"),
    "storeReplaced": (None, "replacing the store and carrying over its results, because {reason}"),
    "interrupted": (
        None,
        "these runs were interrupted when their lab ended: {runs}; their hosts are gone, and this lab saves what they"
        " measured while it runs",
    ),
    "started": (None, "run {runId} started: {plan}"),
}
# What a state machine waits for, by the beginning of its state's name.
_WAITING = {
    "Plan run": "checking the plan, its price and its types",
    "Begin pair": "launching the hosts",
    "Launch": "launching the hosts",
    "Wait for hosts": "waiting until the hosts are online",
    "Hosts": "waiting until the hosts are online",
    "Prepare": "preparing the hosts",
    "Connect": "connecting the hosts",
    "Probe": "probing the path between the hosts",
    "Serve": "starting the server",
    "Measure pairs": "measuring the pairs",
    "Measure": "measuring",
    "Analyse": "analysing",
    "Tear down": "terminating the hosts",
    "Disconnect": "removing the connection between the hosts",
    "Summarise": "summarising the run and writing the report",
}


_STOPPING = "stopping: terminating the hosts and saving the store"
# More pairs than these are counted by what they do.
_MAX_NAMED = 2


class Progress:
    """Derives what the run is doing from the runner's events. Its clock is a parameter, so that tests need not wait."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._waiting: dict[str, tuple[str, float]] = {"lab": (_STARTING, clock())}
        self._types: dict[str, str] = {}
        self._measured: dict[str, str] = {}

    def line(self, event: Event) -> str | None:
        """Returns the line of an event of the whole run; an event of a pair shows in the status instead."""
        match event["event"]:
            case "state":
                self._state(event)
                return None
            case "throughput":
                self._throughput(event)
                return None
            case "started":
                self._waiting = {"run": (_WAITING["Plan run"], self._clock())}
        waiting, line = _EVENTS[event["event"]]
        if waiting is not None:
            self._wait("lab", waiting)
        return line.format(**event, runs=", ".join(event.get("runIds", [])))

    def stop(self) -> None:
        """From now on, the status is what the lab still does before it ends."""
        self._waiting = {"lab": (_STOPPING, self._clock())}

    def status(self) -> tuple[str, Hashable]:
        """Returns what goes on, and the same without the seconds and rates, which change all the time."""
        # Another thread replaces them meanwhile.
        waiting = self._waiting
        pairs = {subject: words for subject, (words, _) in waiting.items() if subject not in ("run", "lab")}
        if len(pairs) > _MAX_NAMED:
            counts = "; ".join(f"{count} {words}" for words, count in Counter(pairs.values()).most_common())
            return f"{len(pairs)} pairs: {counts}", counts
        shown = pairs or waiting
        text = "; ".join(self._waiting_words(subject, *waiting[subject]) for subject in shown)
        return text, tuple((subject, waiting[subject][0]) for subject in shown)

    def _waiting_words(self, subject: str, words: str, since: float) -> str:
        where = "" if subject in ("run", "lab") else f"{self._name(subject)}: "
        return where + (self._measured.get(subject) or f"{words}, for {self._clock() - since:.0f} s")

    def _wait(self, subject: str, words: str) -> None:
        self._waiting = {**self._waiting, subject: (words, self._clock())}

    def _state(self, event: Event) -> None:
        subject, state = event["subject"], event["state"]
        if "clientType" in event:
            self._types[subject] = f"{event['clientType']} → {event['serverType']}"
        self._measured.pop(subject, None)
        if state in ("succeeded", "failed", "aborted", "timed_out", "timedout"):
            self._waiting = {other: waiting for other, waiting in self._waiting.items() if other != subject}
            if subject == "run":
                self._wait("lab", "fetching the results and saving the store")
        else:
            words = next((words for start, words in _WAITING.items() if state.startswith(start)), None)
            self._wait(subject, words or state.lower())

    def _throughput(self, event: Event) -> None:
        subject, second = event["subject"], f"{event['startSeconds'] + 1:.0f}"
        duration = event.get("durationSeconds")
        of = second if duration is None else f"{second} of {duration:.0f}"
        self._measured[subject] = f"measuring {event['measurementId']}, {of} s, {_rate(event)}"

    def _name(self, subject: str) -> str:
        types = self._types.get(subject)
        return subject if types is None else f"{subject} {types}"


def _rate(event: Event) -> str:
    packets, bits = event.get("packetsPerSecond"), event.get("throughputBitsPerSecond")
    if packets is not None:
        return f"{packets:,.0f} packets/s".replace(",", " ")
    if bits is None:
        return "a sample"
    return f"{bits / 1e9:.2f} Gbit/s" if bits >= 1e9 else f"{bits / 1e6:.0f} Mbit/s"


Speak = Callable[[], str | None]


class SignsOfLife:
    """Prints a line from `speak` whenever it returns one, on a timer that no slow step of the run can delay."""

    def __init__(self, speak: Speak, write: Callable[[str], None]) -> None:
        self._speak = speak
        self._write = write
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._over.set()

    def _run(self) -> None:
        while not self._over.wait(CHECK_SECONDS):
            line = self._speak()
            if line is not None:
                self._write(line)


def waiting(words: str, clock: Callable[[], float]) -> Speak:
    """Returns a function that tells from time to time, with the seconds passed, that one activity continues."""
    since = clock()
    # The first line comes after half the time, because starting the command has already taken a while.
    next_line_at = since + SILENCE_SECONDS / 2

    def speak() -> str | None:
        nonlocal next_line_at
        now = clock()
        if now < next_line_at:
            return None
        next_line_at = now + SILENCE_SECONDS
        return f"{words}, for {now - since:.0f} s"

    return speak


@contextmanager
def saying(words: str) -> Iterator[None]:
    """Prints what goes on to standard error while the block lasts; standard output is for the result."""
    signs = SignsOfLife(waiting(words, time.monotonic), lambda line: print(f"lab: {line}", file=sys.stderr, flush=True))
    signs.start()
    try:
        yield
    finally:
        signs.stop()
