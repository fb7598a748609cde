/**
 * A package `torch` with as much of PyTorch as the test uses. Its ranks meet over TCP as PyTorch's do, and it writes
 * the line of NCCL's log that FAKE_LOG names. FAKE_HANG is a stage that never ends, FAKE_WRONG spoils the sums.
 */
export const torchPy = String.raw`
import os, time
from . import distributed
from .distributed import ranks

float32 = "float32"


class Count:
    def __init__(self, number):
        self.number = number

    def sum(self):
        return self

    def item(self):
        return self.number


class Tensor:
    def __init__(self, size):
        self.size = size
        self.value = 1.0

    def fill_(self, value):
        self.value = value

    def __ne__(self, other):
        return Count(0 if self.value == other else self.size)


def ones(size, **_):
    return Tensor(size)


class cuda:
    @staticmethod
    def set_device(index):
        if os.environ.get("FAKE_NO_GPU"):
            raise RuntimeError("No CUDA GPUs are available")

    @staticmethod
    def synchronize():
        pass
`.trimStart();

export const distributedPy = String.raw`
import os, socket, threading, time

ranks = 1
calls = 0


def hang(stage):
    if os.environ.get("FAKE_HANG") == stage:
        time.sleep(600)


def init_process_group(backend, init_method, rank, world_size, timeout):
    global ranks
    assert backend == "nccl"
    ranks = world_size
    host, port = init_method[len("tcp://"):].rsplit(":", 1)
    if rank == 0:
        server = socket.create_server((host, int(port)))
        met = 0
        while met < world_size - 1:
            peer, _ = server.accept()
            # A client that only checks the port sends nothing.
            if peer.recv(4) == b"join":
                met += 1
                peer.sendall(b"ok")
    else:
        peer = socket.create_connection((host, int(port)))
        peer.sendall(b"join")
        peer.recv(2)


def all_reduce(tensor):
    global calls
    calls += 1
    hang("nccl-init" if calls == 1 else "all-reduce")
    if calls == 1 and os.environ.get("FAKE_LOG"):
        path = os.environ["NCCL_DEBUG_FILE"].replace("%h", "host").replace("%p", str(os.getpid()))
        with open(path, "w") as file:
            file.write(os.environ["FAKE_LOG"] + "\n")
    tensor.value = -1 if os.environ.get("FAKE_WRONG") else float(ranks)
`.trimStart();
