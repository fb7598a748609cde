"""Measures all_reduce between pods. report.py writes the report."""
import glob
import os
import socket
import subprocess
import sys
import threading
import time
from datetime import timedelta

import report

RUN = {
    "nodes": int(os.environ["NODES"]),
    "gpus": int(os.environ["GPUS_PER_NODE"]),
    "node": int(os.environ["JOB_COMPLETION_INDEX"]),
    "host": os.environ["RENDEZVOUS_HOST"],
    "port": int(os.environ["RENDEZVOUS_PORT"]),
    "seconds": int(os.environ["TIMEOUT_SECONDS"]),
    "sizes": [int(size) for size in os.environ["SIZES_MIB"].split(",")],
    "expected": os.environ["EXPECT_TRANSPORT"],
    "attempt": os.environ["ATTEMPT"],
}
LOCAL = int(os.environ.get("LOCAL_RANK", "0"))
RANK = RUN["node"] * RUN["gpus"] + LOCAL
RANKS = RUN["nodes"] * RUN["gpus"]
LOGS = os.environ.get("NCCL_LOGS", "/tmp")
MESSAGE = os.environ.get("TERMINATION_LOG", "/dev/termination-log")

state = {"stage": "start", "detail": None, "sizes": []}
ended = threading.Lock()


def enter(stage, detail=None):
    state.update(stage=stage, detail=detail)
    print("rank %d: %s%s" % (RANK, stage, " of " + detail if detail else ""), flush=True)


def nccl_log():
    parts = []
    for path in sorted(glob.glob(LOGS + "/nccl.*.log")):
        with open(path, errors="replace") as file:
            parts.append(file.read())
    return "".join(parts)


def end(result, reason=None):
    """Writes the report and ends the process, even while other threads wait. Only the first call writes a report."""
    ended.acquire()
    log = nccl_log()
    about = {"nodes": RUN["nodes"], "ranks": RANKS, "rank": RANK, "attempt": RUN["attempt"]}
    line = report.report(result, state["stage"], reason, log, state["sizes"], **about)
    if LOCAL == 0 or result == "failed":
        print(log, flush=True)
        with open(MESSAGE, "w") as file:
            file.write(line)
    print("REPORT " + line, flush=True)
    os._exit(0 if result == "passed" else 1)


def watch():
    """Ends the pod at its timeout. Every pod writes a report: a pod that could not reach pod 0 has the clearest reason."""
    time.sleep(RUN["seconds"])
    address = "%s:%d" % (RUN["host"], RUN["port"])
    end("failed", report.hang(state["stage"], RANK, RUN["seconds"], address, state["detail"]))


def reach(host, port):
    """Connects until it succeeds, and keeps the reason of the last failure."""
    while True:
        try:
            socket.create_connection((host, port), timeout=5).close()
            state["detail"] = None
            return
        except OSError as error:
            state["detail"] = report.refusal(error)
            print("rank %d: %s:%d: %s" % (RANK, host, port, state["detail"]), flush=True)
            time.sleep(1)


def measure(torch, dist, size):
    """Seconds of one all_reduce of `size` bytes: the mean of 20, after 5 to warm up."""
    data = torch.ones(size // 4, dtype=torch.float32, device="cuda")
    for _ in range(5):
        dist.all_reduce(data)
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(20):
        dist.all_reduce(data)
    torch.cuda.synchronize()
    seconds = (time.perf_counter() - begin) / 20
    data.fill_(1.0)
    dist.all_reduce(data)
    wrong = (data != RANKS).sum().item()
    if wrong:
        raise ValueError("%d of %d sums are wrong" % (wrong, size // 4))
    return seconds


def run():
    import torch
    import torch.distributed as dist

    torch.cuda.set_device(LOCAL)
    enter("rendezvous")
    if RANK != 0:
        reach(RUN["host"], RUN["port"])
    where = "tcp://%s:%d" % (os.environ["POD_IP"] if RANK == 0 else RUN["host"], RUN["port"])
    patience = timedelta(seconds=RUN["seconds"] + 60)
    dist.init_process_group("nccl", init_method=where, rank=RANK, world_size=RANKS, timeout=patience)

    enter("nccl-init")
    first = torch.ones(1, device="cuda")
    dist.all_reduce(first)
    torch.cuda.synchronize()

    for mebibytes in RUN["sizes"]:
        enter("all-reduce", "%d MiB" % mebibytes)
        size = mebibytes * 1024 * 1024
        rates = report.bandwidth(size, measure(torch, dist, size), RANKS)
        state["sizes"].append({"MiB": mebibytes, **rates})
        print("rank %d: %d MiB algbw %.3f busbw %.3f GB/s" % (RANK, mebibytes, rates["algbw"], rates["busbw"]), flush=True)

    reason = report.unmet(RUN["expected"], report.read_log(nccl_log())["network"])
    if reason is None:
        state["stage"] = "done"
    # NCCL's thread may still send what the others wait for.
    time.sleep(1)
    end("failed" if reason else "passed", reason)


def each_gpu():
    """Starts one process per GPU. If one process fails, the others are killed."""
    env = dict(os.environ)
    children = [subprocess.Popen([sys.executable, __file__], env={**env, "LOCAL_RANK": str(gpu)}) for gpu in range(RUN["gpus"])]
    while any(child.poll() is None for child in children):
        if any(child.poll() for child in children):
            time.sleep(2)
            for child in children:
                child.kill()
        time.sleep(0.2)
    sys.exit(max(abs(child.returncode) for child in children) and 1)


if __name__ == "__main__":
    if RUN["gpus"] > 1 and "LOCAL_RANK" not in os.environ:
        each_gpu()
    threading.Thread(target=watch, daemon=True).start()
    try:
        run()
    except BaseException as error:
        end("failed", "%s: %s" % (type(error).__name__, error))
