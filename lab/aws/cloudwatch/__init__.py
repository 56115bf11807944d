"""CloudWatch: metrics from the logs of functions, and alarms as AWS evaluates them.

MiniStack answers the API and publishes an alarm's change of state; the lab decides on the states.
"""
