"""Makes time pass sooner for what only waits: Wait and Retry of state machines, Lambda's retries of events, delayed
queues, rate schedules.

Tools and handlers take as long as always, and so do the deadlines that a state machine reads from the clock.
"""

from collections.abc import Callable
from typing import Any

from lab.aws import embedded

# A state machine that looks several times a second would measure this machine and not the hosts.
SHORTEST_PAUSE_SECONDS = 0.5
SCHEDULE_TICK_SECONDS = 1


def install(divisor: float) -> None:
    """Divides every wait by `divisor`; 1 changes nothing."""
    if divisor < 1:
        raise ValueError(f"wait divisor: must be at least 1, got {divisor}")
    if divisor == 1:
        return
    embedded.STATES_SLEEP.wrap(lambda sleep: lambda seconds: sleep(_pause(seconds, divisor)))
    for pause in embedded.LAMBDA_RETRY_PAUSES:
        pause.replace(pause.value / divisor)
    embedded.QUEUE_DELAY.wrap(_divided(divisor))
    embedded.SCHEDULE_SECONDS.wrap(_divided(divisor))
    embedded.SCHEDULE_TICK_SECONDS.replace(SCHEDULE_TICK_SECONDS)


def _pause(seconds: float, divisor: float) -> float:
    return max(min(seconds, SHORTEST_PAUSE_SECONDS), seconds / divisor)


def _divided(divisor: float) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
        def seconds(*arguments: Any) -> float | None:
            given = original(*arguments)
            return None if given is None else given / divisor

        return seconds

    return wrap
