"""Reads NCCL's log and writes the report of a test of a collective operation."""
import json
import math
import re

CHANNEL = re.compile(r"NCCL INFO (?:Channel|Ring) \S+ : (\d+)\[\S*?\] -> (\d+)\[\S*?\](?: \[(?:send|receive)\])? via (.+)")
PROVIDER = re.compile(r"NET/OFI Selected [Pp]rovider is ([\w.;-]+)")
WARNING = re.compile(r"NCCL WARN (.+)")
# A container's termination message is cut after 4096 bytes. All containers of a pod share 12 KiB.
MESSAGE_BYTES = 4096
EXPECTED = {"tcp": "NET/Socket", "efa": "NET/OFI efa"}


def transport(via, provider=None):
    """The transport of a channel: NET/Socket, NET/OFI with its provider, NET/IB, P2P or SHM."""
    via = via.strip()
    if re.match(r"NET/(AWS )?(Libfabric|OFI)", via):
        return "NET/OFI " + (provider or "of an unknown provider")
    match = re.match(r"(NET/\w+|P2P|SHM)", via)
    return match.group(1) if match else "SHM" if "shared memory" in via else via.split("/")[0]


def read_log(text):
    """The transports between nodes, all transports, and the last warning of a log."""
    providers = PROVIDER.findall(text)
    provider = providers[-1] if providers else None
    found = sorted({transport(via, provider) for _, _, via in CHANNEL.findall(text)})
    warnings = WARNING.findall(text)
    return {
        "network": [name for name in found if name.startswith("NET/")],
        "transports": found,
        "warning": warnings[-1].strip()[:300] if warnings else None,
    }


def bandwidth(size, seconds, ranks):
    """GB/s as in nccl-tests: the rate of each rank, and the rate of the slowest link."""
    algorithm = size / seconds / 1e9
    return {"algbw": round(algorithm, 3), "busbw": round(algorithm * 2 * (ranks - 1) / ranks, 3)}


def unmet(expected, network):
    """The reason if the transport is not the expected one, else None."""
    wanted = EXPECTED[expected]
    if network == [wanted]:
        return None
    used = " and ".join(network) if network else "no network"
    return "NCCL used %s between the nodes, and %s was expected." % (used, wanted)


def refusal(error):
    """The reason of a failed connection: an unknown name, a timeout, or a port on which no process listens."""
    name = type(error).__name__
    if name == "gaierror":
        return "its name is not known: the pod has no address yet, or DNS does not answer"
    if name in ("timeout", "TimeoutError"):
        return "no answer at all"
    if name == "ConnectionRefusedError":
        return "the pod answers, but no process listens on the port: the test is starting or has ended"
    return "%s: %s" % (name, error)


def hang(stage, rank, seconds, address, detail=None):
    """The reason when a stage did not end before the timeout."""
    waited = "within %d s" % seconds
    if stage == "rendezvous" and rank != 0 and detail:
        return "%s could not be reached %s: %s." % (address, waited, detail)
    if stage == "rendezvous":
        return "Not every rank reached %s %s: a pod waits for a node, pulls its image, or cannot reach this address." % (address, waited)
    if stage == "nccl-init":
        return (
            "The ranks met, but NCCL did not connect them %s: it listens on other ports, "
            "and those of the other node cannot be reached." % waited
        )
    if stage == "all-reduce":
        return "An all_reduce of %s did not end %s: the path between the nodes broke." % (detail or "data", waited)
    return "The test did not start %s: Python was still loading." % waited


def cut(text, most):
    """The beginning of a text that takes at most `most` bytes in JSON, where an emoji takes 12."""
    text = text[:most]
    while len(json.dumps(text)) - 2 > most:
        text = text[:-1]
    return text


def shortened(value, most):
    """A value for JSON with short texts and keys. Of a list, it keeps the last entries: these are the largest sizes."""
    if isinstance(value, dict):
        return {cut(str(key), 40): shortened(entry, most) for key, entry in list(value.items())[:24]}
    if isinstance(value, (list, tuple)):
        return [shortened(entry, most) for entry in value[-(most // 64 + 1):]]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return cut(str(value), most)


def report(result, stage, reason=None, log="", sizes=(), **about):
    """The report as one line of JSON that fits into a termination message."""
    read = read_log(log)
    best = max((entry["busbw"] for entry in sizes), default=None)
    outcome = {"result": cut(str(result), 64), "stage": cut(str(stage), 64)}
    body = {
        "transport": " and ".join(read["network"] or read["transports"]) or None,
        "busbwGBps": best,
        "reason": reason or None,
        "warning": read["warning"] if result == "failed" else None,
        "sizes": list(sizes),
        **about,
    }
    body = {key: value for key, value in body.items() if value not in (None, [])}
    for most in (1024, 512, 256, 128, 64, 32, 16):
        line = json.dumps({**outcome, **shortened(body, most)})
        if len(line) <= MESSAGE_BYTES:
            return line
    return json.dumps(outcome)
