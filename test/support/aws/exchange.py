"""Decodes HTTP requests with moto's parser and HTTP answers with botocore's, which both read AWS's models."""

import datetime
import json
import re
from urllib.parse import parse_qs, parse_qsl, unquote, urlsplit

from botocore.parsers import create_parser
from moto.core.model import ServiceModel
from moto.core.parse import PROTOCOL_PARSERS, UNDEFINED
from werkzeug.datastructures import Headers, MultiDict

from models import answer_problems, request_problems


def exchange_problems(session, exchange):
    """The problems of a request and of its answer."""
    service = session.get_service_model(exchange["service"])
    request = exchange["request"]
    operation, uri = operation_of(service, request)
    if operation is None:
        return {"operation": None, "problems": [f"{request['method']} {request['url']} is no operation"]}
    protocol = protocol_of(service, request)
    params = decoded_request(service, operation, request, uri)
    found = [f"request{problem}" for problem in request_problems(operation, params)]
    found += [f"answer{problem}" for problem in response_problems(protocol, operation, exchange["response"])]
    return {"operation": operation.name, "problems": found}


def protocol_of(service, request):
    """CloudWatch has three protocols: the SDK for JavaScript uses JSON, botocore another."""
    return "json" if "x-amz-target" in request["headers"] else service.metadata["protocol"]


def operation_of(service, request):
    url = urlsplit(request["url"])
    protocol = protocol_of(service, request)
    if protocol in ("query", "ec2"):
        action = parse_qs(request["body"]).get("Action", [""])[0]
        return (service.operation_model(action) if action in service.operation_names else None), {}
    if protocol == "json":
        target = request["headers"].get("x-amz-target", "").split(".")[-1]
        return (service.operation_model(target) if target in service.operation_names else None), {}
    for name in service.operation_names:
        operation = service.operation_model(name)
        labels = re.sub(r"\{(\w+)\+?\}", r"(?P<\1>[^/]+)", operation.http["requestUri"].split("?")[0])
        match = re.fullmatch(labels, url.path)
        if match and operation.http["method"] == request["method"]:
            return operation, {key: unquote(value) for key, value in match.groupdict().items()}
    return None, {}


def decoded_request(service, operation, request, uri):
    """The parameters. A body of JSON is taken as it is: the parser would leave out what the model does not have."""
    protocol = protocol_of(service, request)
    url = urlsplit(request["url"])
    form = request["body"] if protocol in ("query", "ec2") else url.query
    # moto's parser needs the shapes of moto's own classes.
    own = ServiceModel(service._service_description, service.service_name).operation_model(operation.name)
    parsed = PROTOCOL_PARSERS[protocol](own).parse(
        {
            "headers": Headers(request["headers"]),
            "method": request["method"],
            "url_path": url.path,
            "url_params": uri,
            "body": request["body"].encode(),
            "values": MultiDict(parse_qsl(form)),
        }
    )
    if protocol in ("json", "rest-json"):
        raw = json.loads(request["body"] or "{}")
    else:
        raw = unknown_fields(operation, [key for key, _ in parse_qsl(form)])
    return {**json_of(dict(parsed)), **raw}


def unknown_fields(operation, keys):
    """The fields of a form that no member of the request has."""
    members = list(operation.input_shape.members)
    if operation.service_model.metadata["protocol"] == "ec2":
        members = [field_of(name, shape.serialization) for name, shape in operation.input_shape.members.items()]
    return {key: "" for key in keys if key.split(".")[0] not in [*members, "Action", "Version"]}


def field_of(name, serialization):
    """https://smithy.io/2.0/aws/protocols/aws-ec2-query-protocol.html#query-key-resolution"""
    given = serialization.get("queryName") or serialization.get("name", name)
    return given[0].upper() + given[1:]


def response_problems(protocol, operation, response):
    raw = {"status_code": response["status"], "headers": response["headers"], "body": response["body"].encode()}
    parsed = json_of(create_parser(protocol).parse(raw, operation.output_shape))
    if response["status"] >= 300:
        return error_problems(operation, parsed)
    found = answer_problems(operation, parsed)
    if protocol in ("json", "rest-json"):
        found += answer_problems(operation, json.loads(response["body"] or "{}"))
    return found


def error_problems(operation, parsed):
    """An error must be one of the operation or one that all operations have."""
    code = parsed["Error"].get("Code", "")
    shapes = {shape.metadata.get("error", {}).get("code", shape.name): shape for shape in operation.error_shapes}
    shapes |= {shape.name: shape for shape in operation.error_shapes}
    found = [] if parsed["Error"].get("Message") else [": the error has no message"]
    # The model of EC2 has no errors.
    known = code in shapes or code in COMMON_ERRORS or operation.service_model.service_name == "ec2"
    if not known:
        found.append(f": {code} is no error of {operation.name}")
    return found


# https://docs.aws.amazon.com/eks/latest/APIReference/CommonErrors.html
COMMON_ERRORS = {
    "AccessDeniedException",
    "AccessDenied",
    "ExpiredToken",
    "ExpiredTokenException",
    "IncompleteSignature",
    "InternalFailure",
    "InvalidClientTokenId",
    "InvalidSignatureException",
    "MalformedHttpRequestException",
    "MissingAuthenticationToken",
    "NotAuthorized",
    "OptInRequired",
    "RequestExpired",
    "RequestLimitExceeded",
    "ServiceUnavailable",
    "Throttling",
    "ThrottlingException",
    "UnknownOperationException",
    "UnrecognizedClientException",
    "ValidationError",
    # EventBridge rejects the removal of a rule with targets with it: no model of an operation has it.
    "ValidationException",
}


def json_of(value):
    """A value without dates and without what the model leaves out."""
    if isinstance(value, dict):
        return {key: json_of(item) for key, item in value.items() if item not in (None, UNDEFINED)}
    if isinstance(value, list):
        return [json_of(item) for item in value]
    return value.isoformat() if isinstance(value, datetime.datetime) else value
