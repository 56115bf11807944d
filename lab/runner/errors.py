"""What can go wrong in the lab itself, as opposed to in the run it carries."""


class LabError(Exception):
    """The lab cannot go on; the message is for the user."""
