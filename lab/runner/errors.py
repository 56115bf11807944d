"""Errors of the lab itself, as opposed to errors of the run in it."""


class LabError(Exception):
    """The lab cannot continue; the message is for the user."""
