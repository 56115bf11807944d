"""Starts the embedded AWS, deploys to it, runs a plan and shows its result."""


class LabError(Exception):
    """The lab cannot continue; the message is for the user."""
