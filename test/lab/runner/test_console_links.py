"""A page that people open from the lab's folder has no link into an account that there is not."""

from __future__ import annotations

from lab.runner.copies import without_console_links

REPORT = '<a href="reports/r1/report.html" aria-label="report of r1">report</a>'
CONSOLE = """<a
              href="https://us-east-1.console.aws.amazon.com/s3/object/b?region=us-east-1&amp;prefix=index.html"
              aria-label="report of r1 in the console"
             >in the console</a
           >"""
DOCUMENTATION = '<a href="https://docs.aws.amazon.com/ec2/">EC2 guide</a>'


def test_links_to_the_console_are_left_out_and_all_others_stay() -> None:
    row = f"<td>{REPORT} <small> {CONSOLE} </small></td><p>{DOCUMENTATION}, {CONSOLE}</p>"
    assert without_console_links(row) == f"<td>{REPORT} </td><p>{DOCUMENTATION}, </p>"
