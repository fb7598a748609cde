import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noListener, testReport } from "../../../../triage/snapshot/logs/test-report";
import { freePort } from "../../../support/free-ports";
import { has } from "../../../support/programs";
import { distributedPy, torchPy } from "./stand-in-torch";

const runs = has("python3", "-c", "import json, re, socket, threading");

const scripts = "components/workloads/nccl/scripts";
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "nccl-"));
  mkdirSync(join(folder, "torch"));
  for (const file of ["report.py", "all_reduce.py"]) copyFileSync(join(scripts, file), join(folder, file));
  writeFileSync(join(folder, "torch/__init__.py"), torchPy);
  writeFileSync(join(folder, "torch/distributed.py"), distributedPy);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What `python3` starts: with version managers that is a script, which takes longer than what it starts. */
const interpreter = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], {
  encoding: "utf8",
}).stdout.trim();

/** The value of a Python expression that may use `report`. */
function python(expression: string): unknown {
  const program = `import json, report\nprint(json.dumps(${expression}))`;
  const { stdout, stderr } = spawnSync(interpreter, ["-"], { cwd: folder, input: program, encoding: "utf8" });
  if (stderr !== "") throw new Error(stderr);
  return JSON.parse(stdout) as unknown;
}

const line = (via: string) => `nccl-test-0:7:19 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via ${via}`;
const provider = (name: string) =>
  `nccl-test-0:7:7 [0] NCCL INFO NET/OFI Selected provider is ${name}, fabric is ${name}-direct (found 1 nics)`;
const read = (...lines: string[]) => python(`report.read_log(${JSON.stringify(lines.join("\n"))})`);

describe.runIf(runs)("report.py", () => {
  test.for([
    ["TCP", [line("NET/Socket/0")], ["NET/Socket"]],
    ["TCP, shared", [line("NET/Socket/0/Shared")], ["NET/Socket"]],
    ["TCP, with a communicator", [`${line("NET/Socket/0")} comm 0x2083dd50 nRanks 02`], ["NET/Socket"]],
    ["an older NCCL", ["a:1:2 [0] NCCL INFO Channel 00 : 0[1e0] -> 1[1e0] [receive] via NET/Socket/0"], ["NET/Socket"]],
    [
      "a much older NCCL",
      ["a:1:2 [0] NCCL INFO Ring 01 : 0[160] -> 1[160] [send] via NET/AWS Libfabric/0"],
      ["NET/OFI of an unknown provider"],
    ],
    ["EFA", [provider("efa"), line("NET/Libfabric/0/GDRDMA/flush=None")], ["NET/OFI efa"]],
    ["old EFA", [provider("efa").replace("provider", "Provider"), line("NET/AWS Libfabric/0/GDRDMA")], ["NET/OFI efa"]],
    ["Amazon's plugin over TCP", [provider("tcp;ofi_rxm"), line("NET/Libfabric/0")], ["NET/OFI tcp;ofi_rxm"]],
    ["a plugin that is loaded but not used", [provider("efa"), line("NET/Socket/0")], ["NET/Socket"]],
    ["InfiniBand", [line("NET/IB/0/GDRDMA")], ["NET/IB"]],
    ["two at once", [line("NET/Socket/0"), line("NET/IB/0")], ["NET/IB", "NET/Socket"]],
    [
      "one node",
      [
        "a:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM",
        "a:1:2 [0] NCCL INFO Channel 01/0 : 0[0] -> 1[1] via SHM/direct/direct",
      ],
      [],
    ],
    ["no channel yet", ["a:1:2 [0] NCCL INFO Using network Socket"], []],
    ["nothing", [""], []],
  ] as const)("%s", ([, lines, network]) => expect(read(...lines)).toMatchObject({ network }));

  test("what joins the GPUs of one node, and the last warning", () => {
    const local = line("P2P/CUMEM").replace(" [send]", "");
    const warning = "a:1:2 [0] misc/socket.cc:537 NCCL WARN socketProgress: Connection closed by remote peer";
    expect(read(local, line("NET/Socket/1"), "a NCCL WARN first", warning)).toEqual({
      network: ["NET/Socket"],
      transports: ["NET/Socket", "P2P"],
      warning: "socketProgress: Connection closed by remote peer",
    });
  });

  test.for([
    ["tcp", ["NET/Socket"], null],
    ["efa", ["NET/OFI efa"], null],
    ["efa", ["NET/Socket"], "NCCL used NET/Socket between the nodes, and NET/OFI efa was expected."],
    ["efa", ["NET/OFI tcp"], "NCCL used NET/OFI tcp between the nodes, and NET/OFI efa was expected."],
    ["tcp", [], "NCCL used no network between the nodes, and NET/Socket was expected."],
    [
      "tcp",
      ["NET/IB", "NET/Socket"],
      "NCCL used NET/IB and NET/Socket between the nodes, and NET/Socket was expected.",
    ],
  ] as const)("%s expected, %j used", ([expected, used, reason]) => {
    expect(python(`report.unmet(${JSON.stringify(expected)}, ${JSON.stringify(used)})`)).toBe(reason);
  });

  test("bandwidth as nccl-tests counts it", () => {
    expect(python("report.bandwidth(1e9, 1.0, 2)")).toEqual({ algbw: 1, busbw: 1 });
    expect(python("report.bandwidth(2**28, 0.25, 8)")).toEqual({ algbw: 1.074, busbw: 1.879 });
  });

  test("the reason of a failed connection", () => {
    const reported = (error: string) => python(`report.refusal(${error})`);
    expect(reported("__import__('socket').gaierror(-2, 'x')")).toContain("its name is not known");
    expect(reported("TimeoutError('timed out')")).toBe("no answer at all");
    expect(reported("__import__('socket').timeout('timed out')")).toBe("no answer at all");
    expect(reported("ConnectionRefusedError(111, 'x')")).toContain(noListener);
    expect(reported("OSError(113, 'No route to host')")).toBe("OSError: [Errno 113] No route to host");
  });

  test("the reason of a timeout depends on the stage and the pod", () => {
    const hang = (stage: string, rank: number, detail = "None") =>
      python(`report.hang(${JSON.stringify(stage)}, ${rank}, 300, "nccl-test-0.nccl-test:29500", ${detail})`);
    expect([
      hang("start", 1),
      hang("rendezvous", 0),
      hang("rendezvous", 1),
      hang("rendezvous", 1, '"no answer at all"'),
      hang("nccl-init", 1),
      hang("all-reduce", 0, '"64 MiB"'),
    ]).toMatchInlineSnapshot(`
      [
        "The test did not start within 300 s: Python was still loading.",
        "Not every rank reached nccl-test-0.nccl-test:29500 within 300 s: a pod waits for a node, pulls its image, or cannot reach this address.",
        "Not every rank reached nccl-test-0.nccl-test:29500 within 300 s: a pod waits for a node, pulls its image, or cannot reach this address.",
        "nccl-test-0.nccl-test:29500 could not be reached within 300 s: no answer at all.",
        "The ranks met, but NCCL did not connect them within 300 s: it listens on other ports, and those of the other node cannot be reached.",
        "An all_reduce of 64 MiB did not end within 300 s: the path between the nodes broke.",
      ]
    `);
  });

  test("a report is short enough for a termination message, whatever there is to say", () => {
    const long = JSON.stringify("x".repeat(100_000));
    const sizes = JSON.stringify(Array.from({ length: 10 }, () => ({ MiB: 4096, algbw: 123.456, busbw: 123.456 })));
    const text = python(
      `report.report("failed", "all-reduce", ${long}, "NCCL WARN " + ${long}, ${sizes}, attempt="${"y".repeat(200)}")`,
    );
    expect(String(text).length).toBeLessThan(4096);
    expect(JSON.parse(String(text))).toMatchObject({ result: "failed", busbwGBps: 123.456 });
  });

  /** Values as Python writes them. JSON takes up to 12 bytes for one of their characters. */
  test.for([
    ["emoji", '"🔥" * 5000', "attempt=1"],
    ["Chinese", '"超时" * 5000', "attempt=1"],
    ["control characters", '"\\x01\\x1b" * 5000', "attempt=1"],
    ["quotes and backslashes", "'\"\\\\' * 5000", "attempt=1"],
    ["half of a surrogate pair", '"\\ud83d" * 5000', "attempt=1"],
    ["a warning of emoji", '"refused"', 'log="NCCL WARN " + "🔥" * 5000'],
    ["many sizes", '"refused"', 'sizes=[{"MiB": n, "busbw": n / 3} for n in range(9000)]'],
    ["a size in no time", '"refused"', 'sizes=[{"MiB": 1, "busbw": float("inf")}, {"MiB": 2, "busbw": float("nan")}]'],
    ["a long list", '"refused"', 'ranks=["🔥" * 40] * 5000'],
    ["lists in lists", '"refused"', "ranks=[[[[list(range(999))] * 99] * 99] * 9] * 9"],
    ["long keys", '"refused"', '**{"é" * 9000 + str(n): n for n in range(99)}'],
    ["many keys", '"refused"', '**{"k%d" % n: "x" * 300 for n in range(9000)}'],
    ["a huge number", '"refused"', "ranks=10 ** 4200"],
    ["bytes", 'b"\\xff" * 9000', "ranks={1, 2}"],
  ] as const)("a report of %s is JSON and has at most 4096 bytes", ([, reason, about]) => {
    const text = String(python(`report.report("failed", "rendezvous", ${reason}, ${about})`));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096);
    expect(JSON.parse(text)).toMatchObject({ result: "failed", stage: "rendezvous" });
    expect(testReport(text)?.result).toBe("failed");
  });

  test("a report keeps as much of the reason as fits, and the largest sizes", () => {
    const reason = (text: string) =>
      testReport(String(python(`report.report("failed", "start", ${text})`)))?.reason ?? "";
    expect(reason('"a" * 5000')).toBe("a".repeat(300));
    expect(reason('"🔥" * 5000')).toMatch(/^(?:🔥){80,}$/u);
    const sizes = python(
      'json.loads(report.report("failed", "start", "x", sizes=[{"MiB": n, "busbw": 1} for n in range(99)]))',
    );
    expect(sizes).toMatchObject({ sizes: expect.arrayContaining([{ MiB: 98, busbw: 1 }]) as unknown });
  });
});

/** What one pod of the test left behind. */
interface End {
  readonly code: number | null;
  readonly output: string;
  readonly report: Readonly<Record<string, unknown>>;
}

let turn = 0;

/** Runs the pods of a test, each a process, and waits for all. */
async function pods(
  count: number,
  about: Record<string, string>,
  own: readonly Record<string, string>[] = [],
): Promise<End[]> {
  const port = String(await freePort());
  const round = join(folder, `round-${turn++}`);
  return Promise.all(
    Array.from({ length: count }, (_, index) => {
      const place = join(round, String(index));
      mkdirSync(place, { recursive: true });
      const env = {
        ...{ PATH: process.env["PATH"], NODES: "2", GPUS_PER_NODE: "1", JOB_COMPLETION_INDEX: String(index) },
        ...{ RENDEZVOUS_HOST: "127.0.0.1", RENDEZVOUS_PORT: port, POD_IP: "127.0.0.1", TIMEOUT_SECONDS: "20" },
        ...{ SIZES_MIB: "1,8", EXPECT_TRANSPORT: "tcp", ATTEMPT: "baseline", FAKE_LOG: line("NET/Socket/0") },
        ...{ NCCL_LOGS: place, NCCL_DEBUG_FILE: `${place}/nccl.%h.%p.log`, TERMINATION_LOG: `${place}/message` },
        ...{ ...about, ...own[index] },
      };
      const child = spawn(interpreter, ["all_reduce.py"], { cwd: folder, env });
      let output = "";
      child.stdout.on("data", (data: Buffer) => (output += data.toString()));
      child.stderr.on("data", (data: Buffer) => (output += data.toString()));
      return new Promise<End>((resolve) => {
        child.once("close", (code) => {
          const report = JSON.parse(readFileSync(`${place}/message`, "utf8")) as End["report"];
          resolve({ code, output, report });
        });
      });
    }),
  );
}

describe.runIf(runs)("all_reduce.py, with a stand-in for PyTorch", () => {
  // Each runs processes that wait most of their time.
  test.concurrent("two pods meet, measure, and report what carried the data", async () => {
    const ends = await pods(2, {});
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    for (const [rank, { report, output }] of ends.entries()) {
      expect(report).toMatchObject({
        result: "passed",
        stage: "done",
        transport: "NET/Socket",
        nodes: 2,
        ranks: 2,
        rank,
      });
      expect(report["busbwGBps"]).toBeGreaterThan(0);
      expect(report["sizes"]).toMatchObject([{ MiB: 1 }, { MiB: 8 }]);
      expect(output).toContain("via NET/Socket/0");
      expect(output).toMatch(/rank \d: rendezvous\n[^]*nccl-init\n[^]*all-reduce of 1 MiB\n[^]*REPORT \{/);
    }
  });

  test.concurrent("several GPUs of a node are ranks of their own", async () => {
    const ends = await pods(2, { GPUS_PER_NODE: "2" });
    expect(ends.map(({ code, report }) => [code, report["ranks"]])).toEqual([
      [0, 4],
      [0, 4],
    ]);
  });

  test.concurrent("another transport than expected fails the test although the sums are right", async () => {
    const [end] = await pods(2, { EXPECT_TRANSPORT: "efa" });
    expect(end?.code).toBe(1);
    expect(end?.report).toMatchObject({
      result: "failed",
      transport: "NET/Socket",
      reason: "NCCL used NET/Socket between the nodes, and NET/OFI efa was expected.",
    });
  });

  test.concurrent("wrong sums fail it", async () => {
    const [end] = await pods(2, { FAKE_WRONG: "1" });
    expect(end?.report).toMatchObject({
      result: "failed",
      stage: "all-reduce",
      reason: "ValueError: 262144 of 262144 sums are wrong",
    });
  });

  test.concurrent("a pod without a GPU says so", async () => {
    const [end] = await pods(1, { FAKE_NO_GPU: "1", NODES: "2" });
    expect([end?.code, end?.report]).toMatchObject([
      1,
      { stage: "start", reason: "RuntimeError: No CUDA GPUs are available" },
    ]);
  });

  test.concurrent.for(["nccl-init", "all-reduce"])("a hang in %s ends with a report of both pods", async (stage) => {
    const ends = await pods(2, { FAKE_HANG: stage, TIMEOUT_SECONDS: "3" });
    expect(ends.map(({ code, report }) => [code, report["result"], report["stage"]])).toEqual([
      [1, "failed", stage],
      [1, "failed", stage],
    ]);
  });

  test.concurrent("alone pod 0 waits at the rendezvous, pod 1 says what it met there", async () => {
    const [first] = await pods(1, { TIMEOUT_SECONDS: "3" });
    expect(first?.report).toMatchObject({ result: "failed", stage: "rendezvous", rank: 0 });
    const [second] = await pods(1, { TIMEOUT_SECONDS: "3" }, [{ JOB_COMPLETION_INDEX: "1" }]);
    expect(second?.report).toMatchObject({ stage: "rendezvous", rank: 1 });
    expect(second?.report["reason"]).toContain(`could not be reached within 3 s: the pod answers, but ${noListener}`);
  });
});
