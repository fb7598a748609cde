"""Compares values with the shapes of AWS's models in botocore: names, types, enums, patterns, lengths and limits."""

import re

from botocore.validate import ParamValidator

LIMITED = {
    "string": len,
    "list": len,
    "map": len,
    "integer": lambda value: value,
    "long": lambda value: value,
    "double": lambda value: value,
    "float": lambda value: value,
}
TYPES = {
    "structure": dict,
    "map": dict,
    "list": list,
    "string": str,
    "blob": str,
    "timestamp": (str, int, float),
    "integer": int,
    "long": int,
    "double": (int, float),
    "float": (int, float),
    "boolean": bool,
}


def request_problems(operation, params, is_pascal=False):
    """The problems of a request. With is_pascal, its keys begin with a capital letter."""
    shape = operation.input_shape
    if shape is None:
        return [f".{key} is unknown" for key in params]
    found = problems(shape, params, "", is_pascal)
    return found or own_problems(shape, params if not is_pascal else plain(shape, params))


def answer_problems(operation, output):
    """The problems of an answer, as an SDK returns it."""
    given = {key: value for key, value in output.items() if key not in ("$metadata", "ResponseMetadata")}
    if operation.output_shape is None:
        return [f".{key} is unknown" for key in given]
    return [each for each in problems(operation.output_shape, given, "", False) if not LONG_MESSAGE.search(each)]


# EC2 Auto Scaling sends longer messages than its model states: the one of a used-up quota has 296 characters.
# https://github.com/klothoplatform/klotho/pull/311
LONG_MESSAGE = re.compile(r"\.StatusMessage: .* is above the maximum of 255$")


def own_problems(shape, params):
    """What the validator of the SDK for Python itself finds."""
    report = ParamValidator().validate(params, shape)
    return [report.generate_report()] if report.has_errors() else []


def plain(shape, value):
    """A value with the keys of the model instead of PascalCase."""
    if shape.type_name == "structure" and isinstance(value, dict):
        spelled = {pascal(name): name for name in shape.members}
        return {spelled[key]: plain(shape.members[spelled[key]], item) for key, item in value.items()}
    if shape.type_name == "list" and isinstance(value, list):
        return [plain(shape.member, item) for item in value]
    return value


def pascal(name):
    return name[0].upper() + name[1:]


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
    spell = pascal if is_pascal else (lambda name: name)
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
    if pattern and matches(pattern, value) is False:
        found.append(f"{at}: {value!r} does not match {pattern}")
    return found


UNREAD = set()


def matches(pattern, value):
    """Whether a value matches a pattern of Java; None if Python does not read the pattern, which is then in UNREAD."""
    for java, python in PYTHON.items():
        pattern = pattern.replace(java, python)
    try:
        return re.search(f"^(?:{pattern})$", value) is not None
    except re.error:
        UNREAD.add(pattern)
        return None


PYTHON = {
    "\\p{L}": "a-zA-Z\u00aa-\ud7ff",
    "\\p{Z}": "\\s",
    "\\p{N}": "\\d",
    "[\\w-_]": "[\\w_-]",
    "(?i)": "",
    "\\uD800\\uDC00-\\uDBFF\\uDFFF": "\U00010000-\U0010ffff",
}
