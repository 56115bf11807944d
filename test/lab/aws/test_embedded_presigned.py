"""S3 accepts URLs that a host signs with its role's credentials, for ranged GET and single PUT."""

import urllib.error
import urllib.request

import boto3
import pytest
from botocore.config import Config

BODY = bytes(range(256)) * 4096


@pytest.fixture(scope="module")
def bucket(aws):
    aws.client("s3").create_bucket(Bucket="payload")
    aws.client("s3").put_object(Bucket="payload", Key="random", Body=BODY)
    return "payload"


@pytest.fixture
def signer(aws, launch, wait_until):
    """A client of S3 with a host's credentials, as the host's environment has them."""
    created = wait_until(lambda: aws.journal("create", id=launch()["InstanceId"]))[0]
    keys = created["environment"]
    return boto3.client(
        "s3",
        endpoint_url=aws.endpoint_url,
        region_name=keys["AWS_REGION"],
        aws_access_key_id=keys["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=keys["AWS_SECRET_ACCESS_KEY"],
        aws_session_token=keys["AWS_SESSION_TOKEN"],
        config=Config(signature_version="s3v4"),
    )


def open_url(url, **request):
    return urllib.request.urlopen(urllib.request.Request(url, **request), timeout=10)


def test_a_presigned_get_returns_the_whole_object_or_a_range(signer, bucket):
    url = signer.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": "random"}, ExpiresIn=60)
    with open_url(url) as whole:
        assert whole.read() == BODY
    with open_url(url, headers={"Range": "bytes=1000-1999"}) as part:
        assert (part.status, part.read()) == (206, BODY[1000:2000])
        assert part.headers["Content-Range"] == f"bytes 1000-1999/{len(BODY)}"


def test_a_presigned_put_writes_the_object(aws, signer, bucket):
    url = signer.generate_presigned_url("put_object", Params={"Bucket": bucket, "Key": "uploaded"}, ExpiresIn=60)
    open_url(url, method="PUT", data=BODY).close()
    assert aws.client("s3").get_object(Bucket=bucket, Key="uploaded")["Body"].read() == BODY


def test_a_missing_object_is_reported_as_not_found(signer, bucket):
    url = signer.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": "nobody"}, ExpiresIn=60)
    with pytest.raises(urllib.error.HTTPError) as refused:
        open_url(url)
    assert refused.value.code == 404
