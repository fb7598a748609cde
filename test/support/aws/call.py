"""Sends requests to an endpoint with the SDK for Python, which parses the answers by AWS's models. Reads and prints JSON."""

import datetime
import json
import sys

import botocore.session
from botocore.config import Config
from botocore.exceptions import ClientError


def main():
    asked = json.load(sys.stdin)
    session = botocore.session.get_session()
    session.set_credentials("AKIAIOSFODNN7EXAMPLE", "none")
    answers = []
    for each in asked["calls"]:
        client = session.create_client(
            each["service"],
            region_name=asked["region"],
            endpoint_url=asked["endpoint"],
            config=Config(retries={"total_max_attempts": 1}),
        )
        try:
            answers.append(client._make_api_call(each["operation"], each["params"]))
        except ClientError as error:
            answers.append({"error": error.response["Error"]})
    json.dump(answers, sys.stdout, default=text)


def text(value):
    return value.isoformat() if isinstance(value, datetime.datetime) else str(value)


main()
