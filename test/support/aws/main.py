"""Checks requests, answers, policies and HTTP exchanges with what others wrote about AWS. Reads and prints JSON."""

import json
import sys

import botocore.session

import models


def main():
    session = botocore.session.get_session()
    operation = lambda each: session.get_service_model(each["service"]).operation_model(each["operation"])
    asked = json.load(sys.stdin)
    answers = {}
    if "shapes" in asked:
        from shapes import request_shape

        answers["shapes"] = [request_shape(operation(each)) for each in asked["shapes"]]
    if "requests" in asked:
        answers["requests"] = [
            models.request_problems(operation(each), each["params"], each.get("isPascalCase", False))
            for each in asked["requests"]
        ]
    if "answers" in asked:
        answers["answers"] = [models.answer_problems(operation(each), each["output"]) for each in asked["answers"]]
    if "policies" in asked:
        from policies import policy_problems

        answers["policies"] = [policy_problems(each["use"], each["text"]) for each in asked["policies"]]
    if "exchanges" in asked:
        from exchange import exchange_problems

        answers["exchanges"] = [exchange_problems(session, each) for each in asked["exchanges"]]
    json.dump({**answers, "unread": sorted(models.UNREAD)}, sys.stdout)


main()
