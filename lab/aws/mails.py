"""SNS: writes what e-mail subscribers would get to text files in the lab's folder, because MiniStack discards it.

On AWS, an address gets mail only after its owner has confirmed the subscription; here every subscription counts as
confirmed. One file stands for the mails to all addresses. The stack has no filter policies, so none are applied.
"""

import datetime
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lab.aws import embedded

# Longer file names are hard to read in a terminal, and the file has the whole subject.
MOST_SUBJECT_CHARACTERS = 80


def install(folder: Path) -> None:
    """Writes the mails to `folder`, which is created with the first one."""

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
    """Writes one mail to `<time>-<subject>.txt` and returns the file. As in the names of runs, the time is in UTC."""
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
