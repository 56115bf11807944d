"""SNS: what the subscribers by e-mail would get, as text files in the lab's folder. MiniStack sends and keeps nothing.

AWS sends to an address only after its owner has followed the link of a first mail, which the lab does not write: here
subscriptions count as confirmed. One file stands for the mails to all addresses. Filter policies are not applied; the
stack has none.
"""

import datetime
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lab.aws import embedded

# Longer names are hard to read in a terminal, and the file has the whole subject.
MOST_SUBJECT_CHARACTERS = 80


def install(folder: Path) -> None:
    """Writes the mails to `folder`, which is made with the first one."""

    def send(topic_arn: str, subject: str, message: str) -> None:
        subscriptions = embedded.call("sns", "ListSubscriptionsByTopic", TopicArn=topic_arn)["Subscriptions"]
        addresses = [one["Endpoint"] for one in subscriptions if one["Protocol"] == "email"]
        if addresses:
            topic = embedded.call("sns", "GetTopicAttributes", TopicArn=topic_arn)["Attributes"]
            now = datetime.datetime.now(datetime.UTC)
            sender = topic.get("DisplayName") or "AWS Notifications"
            write_mail(folder, now, sender, addresses, subject or "AWS Notification Message", message)

    def fan_out(original: Callable[..., None], topic_arn: str, *arguments: Any, **more: Any) -> None:
        _, message, subject = arguments[:3]
        embedded.in_background(send, topic_arn, subject, message)
        original(topic_arn, *arguments, **more)

    embedded.SNS_FAN_OUT.wrap(fan_out)


def write_mail(
    folder: Path, now: datetime.datetime, sender: str, addresses: list[str], subject: str, message: str
) -> Path:
    """Writes one mail to `<time>-<subject>.txt`, and returns the file. The time is in UTC, as in the names of runs."""
    folder.mkdir(parents=True, exist_ok=True)
    words = re.sub(r"[^A-Za-z0-9.]+", "-", subject)[:MOST_SUBJECT_CHARACTERS].strip("-.")
    name = f"{now:%Y%m%d-%H%M%S}-{words}"
    text = (
        f"From: {sender} <no-reply@sns.amazonaws.com>\n"
        f"To: {', '.join(addresses)}\n"
        f"Date: {now:%a, %d %b %Y %H:%M:%S} +0000\n"
        f"Subject: {subject}\n"
        f"\n{message.rstrip()}\n\n"
        "--\n(In the mail to each address, SNS puts a link here that stops further mails.)\n"
    )
    for number in range(1, 1000):
        file = folder / f"{name}{'' if number == 1 else f'-{number}'}.txt"
        try:
            with file.open("x", encoding="utf-8") as mail:
                mail.write(text)
        except FileExistsError:
            continue
        return file
    raise OSError(f"{folder / name}.txt: a thousand mails of one second have this subject")
