"""The text of a report, as whoever opens it reads it."""

import html
import re


def report_text(page: str) -> str:
    """Returns the page without its tags, and with plain spaces.

    A measurement's id is a link wherever it stands, and a no-break space keeps a figure with its unit.
    """
    return html.unescape(re.sub(r"<[^>]*>", "", page)).replace("\u00a0", " ")
