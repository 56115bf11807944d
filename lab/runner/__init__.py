"""Starts the embedded AWS, deploys to it, runs a plan and shows what comes of it."""


class LabError(Exception):
    """The lab cannot continue; the message is for the user."""
