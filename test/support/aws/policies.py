"""Checks IAM policies with the grammar and the list of actions of cfn-lint, which follow AWS's documentation."""

import fnmatch
import json
from pathlib import Path

import cfnlint
import jsonschema
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT201909

DATA = Path(cfnlint.__file__).parent / "data"
GRAMMAR = DATA / "schemas" / "other" / "iam"
ACTIONS = json.loads((DATA / "AdditionalSpecs" / "Policies.json").read_text())

# Characters without white space. Of a trust policy, an account may raise the limit to 4,096.
# https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
# https://docs.aws.amazon.com/kms/latest/developerguide/resource-limits.html
SIZES = {"trust": 2048, "inline": 10240, "managed": 6144, "resource": 32768}
GRAMMARS = {"trust": "trust", "inline": "identity", "managed": "identity", "resource": "resource"}


def one_of_keys(_, keys, instance, __):
    if not isinstance(instance, dict):
        return
    found = [key for key in keys if key in instance]
    if len(found) != 1:
        yield jsonschema.ValidationError(f"one of {', '.join(keys)} is needed")


KEYWORDS = {"requiredXor": one_of_keys}
VALIDATOR = jsonschema.validators.extend(jsonschema.Draft201909Validator, KEYWORDS)


def schema(name):
    return json.loads((GRAMMAR / f"policy_{name}.json").read_text())


def registry():
    policy = json.loads((GRAMMAR / "policy.json").read_text())
    return Registry().with_resource("policy", Resource.from_contents(policy, default_specification=DRAFT201909))


def policy_problems(use, text):
    try:
        document = json.loads(text)
    except ValueError as error:
        return [f"it is no JSON: {error}"]
    validator = VALIDATOR({**schema(GRAMMARS[use]), "$id": ""}, registry=registry())
    found = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]
    if found:
        return found
    size = len("".join(text.split()))
    if size > SIZES[use]:
        found.append(f"it has {size} characters, and at most {SIZES[use]} are allowed")
    for statement in listed(document["Statement"]):
        for action in listed(statement.get("Action", statement.get("NotAction"))):
            found += action_problems(action)
    return found


def listed(value):
    return value if isinstance(value, list) else [value]


def action_problems(action):
    """An action must exist; with a wildcard, it must match one."""
    if action == "*":
        return []
    service, _, name = action.partition(":")
    known = ACTIONS.get(service, {}).get("Actions", {})
    if not known:
        return [f"{action}: IAM has no service {service}"]
    if not fnmatch.filter([each.lower() for each in known], name.lower()):
        return [f"{action}: IAM has no such action"]
    return []
