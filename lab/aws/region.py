"""The one account and region of the lab."""

ACCOUNT_ID = "000000000000"
REGION = "us-east-1"
