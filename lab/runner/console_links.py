"""The lab's account has no page in the AWS console, so that links to it are left out of the copies that people open."""

import re

_LINK = re.compile(r'<a\s[^>]*href="https://[\w-]+\.console\.[^"]*"[^>]*>[^<]*</a\s*>')
_LINK_ALONE = re.compile(rf"<small>\s*{_LINK.pattern}\s*</small>")


def without_console_links(page: str) -> str:
    """Returns the page without its links to the console, and without small print that is only such a link."""
    return _LINK.sub("", _LINK_ALONE.sub("", page))
