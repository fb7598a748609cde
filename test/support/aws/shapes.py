"""Describes the requests of operations: which members there are, and of which type."""


def request_shape(operation):
    return described(operation.input_shape, ()) if operation.input_shape else {"type": "structure", "members": {}}


def described(shape, outer):
    """A shape with its members. A shape inside itself has none."""
    if shape.name in outer or shape.type_name not in ("structure", "list", "map"):
        return {"type": shape.type_name}
    inner = (*outer, shape.name)
    if shape.type_name == "structure":
        return {"type": "structure", "members": {name: described(each, inner) for name, each in shape.members.items()}}
    item = shape.member if shape.type_name == "list" else shape.value
    return {"type": shape.type_name, "item": described(item, inner)}
