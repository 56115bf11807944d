"""What SNS would send by e-mail becomes a text file."""

import re

import pytest


@pytest.fixture
def topic(aws):
    sns = aws.client("sns")
    arn = sns.create_topic(Name="mails", Attributes={"DisplayName": "EC2 Network Bench"})["TopicArn"]
    yield arn
    sns.delete_topic(TopicArn=arn)


def mails(aws):
    return {file.name: file.read_text() for file in sorted((aws.folder / "mail").glob("*"))}


def test_a_mail_has_its_addresses_its_subject_and_the_whole_message(aws, topic, wait_until):
    sns = aws.client("sns")
    for address in ("me@example.com", "you@example.com"):
        sns.subscribe(TopicArn=topic, Protocol="email", Endpoint=address)
    before = mails(aws)
    body = "The run is complete.\n\n  Baseline fell by 18 %\n"
    for _ in range(2):
        sns.publish(TopicArn=topic, Subject="Network Bench: ../nightly: complete, 1 change", Message=body)
    assert wait_until(lambda: len(mails(aws)) == len(before) + 2)
    new = {name: text for name, text in mails(aws).items() if name not in before}
    for name, text in new.items():
        assert re.fullmatch(r"\d{8}-\d{6}-Network-Bench-..-nightly-complete-1-change(-2)?\.txt", name)
        head, _, rest = text.partition("\n\n")
        assert re.fullmatch(
            r"From: EC2 Network Bench <no-reply@sns\.amazonaws\.com>\n"
            r"To: me@example\.com, you@example\.com\n"
            r"Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000\n"
            r"Subject: Network Bench: \.\./nightly: complete, 1 change",
            head,
        )
        assert rest.startswith(body + "\n--\n")


def test_a_topic_without_addresses_leaves_no_file(aws, topic):
    sns, sqs = aws.client("sns"), aws.client("sqs")
    queue = sqs.create_queue(QueueName="no-mails")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn)
    before = mails(aws)
    sns.publish(TopicArn=topic, Subject="nobody", Message="reads this")
    assert sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=5).get("Messages")
    assert mails(aws) == before
