"""Tries to write below this host's own prefix and below another one, and prints S3's two answers as JSON."""

import json
import os

import boto3
import botocore.exceptions

session = boto3.Session(region_name=os.environ["REGION"])


def answer(user_id: str) -> str:
    key = f"raw/{user_id}/{os.environ['RUN_ID']}/proof"
    try:
        session.client("s3").put_object(Bucket=os.environ["BUCKET"], Key=key, Body=b"")
    except botocore.exceptions.ClientError as error:
        return str(error.response["Error"]["Code"])
    return "written"


own = session.client("sts").get_caller_identity()["UserId"]
print(json.dumps({"own": answer(own), "other": answer("AROAOTHER:i-0123456789abcdef0")}))
