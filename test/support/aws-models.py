"""Compares requests with the models of the AWS SDK for Python.

Reads a JSON list of requests from standard input: service, operation, params, and isPascalCase for the input of a universal
target of EventBridge Scheduler, whose keys begin with a capital letter. Prints a JSON list with the problems of each.
"""

import json
import re
import sys

import botocore
import botocore.session

LIMITED = {"string": len, "list": len, "map": len, "integer": lambda value: value, "double": lambda value: value}
TYPES = {
    "structure": dict,
    "map": dict,
    "list": list,
    "string": str,
    "integer": int,
    "long": int,
    "double": (int, float),
    "float": (int, float),
    "boolean": bool,
}


def problems(shape, value, at, is_pascal):
    kind = TYPES.get(shape.type_name)
    if kind and (not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool)):
        return [f"{at}: {value!r} is not a {shape.type_name}"]
    found = limits(shape, value, at)
    if shape.type_name == "structure":
        found += structure(shape, value, at, is_pascal)
    elif shape.type_name == "list":
        for index, item in enumerate(value):
            found += problems(shape.member, item, f"{at}[{index}]", is_pascal)
    elif shape.type_name == "map":
        for key, item in value.items():
            found += problems(shape.key, key, f"{at} key", is_pascal)
            found += problems(shape.value, item, f"{at}.{key}", is_pascal)
    return found


def structure(shape, value, at, is_pascal):
    spell = (lambda name: name[0].upper() + name[1:]) if is_pascal else (lambda name: name)
    members = {spell(name): member for name, member in shape.members.items()}
    found = [f"{at}: {key} is unknown" for key in value if key not in members]
    found += [f"{at}: {spell(name)} is missing" for name in shape.required_members if spell(name) not in value]
    for key, item in value.items():
        if key in members:
            found += problems(members[key], item, f"{at}.{key}", is_pascal)
    return found


def limits(shape, value, at):
    found = []
    measure = LIMITED.get(shape.type_name)
    size = measure(value) if measure else 0
    if measure and size < shape.metadata.get("min", size):
        found.append(f"{at}: {value!r} is below the minimum of {shape.metadata['min']}")
    if measure and size > shape.metadata.get("max", size):
        found.append(f"{at}: {value!r} is above the maximum of {shape.metadata['max']}")
    enum = getattr(shape, "enum", None)
    if enum and value not in enum:
        found.append(f"{at}: {value!r} is not one of {', '.join(enum)}")
    pattern = shape.metadata.get("pattern")
    if pattern and not matches(pattern, value):
        found.append(f"{at}: {value!r} does not match {pattern}")
    return found


def matches(pattern, value):
    """Patterns are those of Java; the few that Python does not read are not checked."""
    try:
        return re.search(f"^(?:{pattern})$", value) is not None
    except re.error:
        return True


def main():
    session = botocore.session.get_session()
    answers = []
    for request in json.load(sys.stdin):
        operation = session.get_service_model(request["service"]).operation_model(request["operation"])
        answers.append(problems(operation.input_shape, request["params"], "", request.get("isPascalCase", False)))
    json.dump({"version": botocore.__version__, "problems": answers}, sys.stdout)


main()
