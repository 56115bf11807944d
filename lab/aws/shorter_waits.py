"""Shortens pure waits: Wait and Retry of state machines, Lambda's retries of events, delayed queues, rate schedules.

Tools and handlers keep their duration, and state machines the deadlines that they read from the clock.
"""

from lab.aws import embedded

# A state machine that polls several times a second would load the machine and distort the measurements.
SHORTEST_PAUSE_SECONDS = 0.5
SCHEDULE_TICK_SECONDS = 1


def install(divisor: float) -> None:
    """Divides every wait by `divisor`; 1 changes nothing."""
    if divisor < 1:
        raise ValueError(f"wait divisor: must be at least 1, got {divisor}")
    if divisor == 1:
        return
    embedded.STATES_SLEEP.wrap(lambda sleep, seconds: sleep(_pause(seconds, divisor)))
    embedded.QUEUE_DELAY.wrap(lambda delay, queue: delay(queue) / divisor)
    embedded.SCHEDULE_SECONDS.wrap(
        lambda rate_seconds, expression: (seconds := rate_seconds(expression)) and seconds / divisor
    )
    embedded.SCHEDULE_TICK_SECONDS.replace(SCHEDULE_TICK_SECONDS)


def _pause(seconds: float, divisor: float) -> float:
    return max(min(seconds, SHORTEST_PAUSE_SECONDS), seconds / divisor)
