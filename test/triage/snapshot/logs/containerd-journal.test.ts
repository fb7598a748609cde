import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { journalSigns, recognizedJournalLines } from "../../../../triage/snapshot/logs/containerd-journal";

const directory = "containerd: failed to get listener for main endpoint: is a directory";
const hang = 'level=error msg="ttrpc: received message on inactive stream" error="ttrpc: closed: timeout"';
const config = "containerd: failed to load TOML: /etc/containerd/config.toml: (294, 3): duplicated tables";
const shim =
  "containerd.service: Found left-over process 4711 (containerd-shim) in control group while starting unit. Ignoring.";
const toolkit =
  'level=warning msg="Error signaling containerd, attempt 6/6: unable to dial: dial unix /run/containerd/containerd.sock: connect: connection refused"';

function cases(...lines: string[]) {
  return journalSigns(lines).map((sign) => sign.id);
}

describe("each case by itself", () => {
  test.for([
    ["A: is a directory", directory, "containerd-socket-is-directory"],
    [
      "A, of another version",
      "failed to start: listen unix /run/containerd/containerd.sock: bind: is a directory",
      "containerd-socket-is-directory",
    ],
    ["B: ttrpc times out", hang, "containerd-hangs"],
    ["B: a deadline", 'level=error msg="StopContainer failed" error="context deadline exceeded"', "containerd-hangs"],
    ["C: the document does not parse", config, "containerd-config-broken"],
    [
      "C: parse error",
      "containerd[812]: containerd: (12, 3): parsing error: keys cannot contain new lines",
      "containerd-config-broken",
    ],
    ["C: invalid character", "containerd[812]: invalid character at start of key: ]", "containerd-config-broken"],
    [
      "C: a version it does not know",
      "containerd: failed to load TOML from /etc/containerd/config.toml: expected containerd config version equal to or less than `3`, got `4`",
      "containerd-config-broken",
    ],
    ["left-over shims", shim, "containerd-left-over-shims"],
    ["the toolkit", toolkit, "toolkit-cannot-signal"],
    ["nvidia-smi in a chroot", "Failed to initialize NVML: Unknown Error", "nvml-in-chroot"],
  ] as const)("%s", ([, line, expected]) => expect(cases(`Nov 21 10:00:00 ip-10-0-0-1 ${line}`)).toEqual([expected]));
});

test.for([
  [
    "a registry that is slow",
    'level=error msg="PullImage failed" error="Head https://registry: context deadline exceeded"',
  ],
  ["a manifest that is no JSON", "failed to pull image: invalid character '<' looking for beginning of value"],
  [
    "a probe's command that took too long",
    'level=error msg="ExecSync for \\"3f2a\\" failed" error="rpc error: code = DeadlineExceeded desc = failed to exec in container: timeout 1s exceeded: context deadline exceeded"',
  ],
  ["a cut command", "failed to exec in container: failed to start exec: ttrpc: closed: context deadline exceeded"],
  ["an image layer", "httpReadSeeker: failed open: i/o timeout"],
  ["a normal start", "level=info msg=serving... address=/run/containerd/containerd.sock.ttrpc"],
  ["success", "containerd successfully booted in 0.05s"],
] as const)("%s is not an error of containerd", ([, line]) => expect(cases(line)).toEqual([]));

const deadline = 'err="rpc error: context deadline exceeded"';

test.for([
  ["the kernel, as dmesg -T prints it", "[Sun Nov 22 09:00:00 2026] NVRM: Xid (PCI:0000:00:1e): 119, Timeout of 6s"],
  ["the kernel, as dmesg prints it", "[   12.345678] nvme nvme1: I/O 23 QID 2 timeout, completion polled"],
  ["the kernel, a journal", "Nov 22 09:00:00 ip-10-0-0-1 kernel: ena 0000:00:05.0: Reset reason: missing tx timeout"],
  ["the kubelet", `Nov 22 09:00:00 ip-10-0-0-1 kubelet[2931]: E1122 09:00:00.0 remote_runtime.go:1] ${deadline}`],
  ["the kubelet, without a prefix", `E1122 09:00:00.0 2931 remote_runtime.go:1] ${deadline}`],
  ["another unit", "2026-11-22T09:00:00+0000 ip-1 amazon-ssm-agent[811]: ttrpc: closed: timeout"],
  ["another unit", "Nov 22 09:00:00 ip-1 systemd[1]: nvidia-fabricmanager.service: start operation timed out."],
] as const)("%s says nothing about containerd", ([, line]) => expect(cases(line, line, line)).toEqual([]));

test.for([
  ["containerd", `Nov 22 09:00:00 ip-1 containerd[812]: ${hang}`],
  ["containerd, with the time since the boot", `[   12.345678] ip-1 containerd[812]: ${hang}`],
  ["systemd, of containerd", "Nov 22 09:00:00 ip-1 systemd[1]: containerd.service: start operation timed out."],
] as const)("%s says something about containerd", ([, line]) => expect(cases(line)).toEqual(["containerd-hangs"]));

describe("several at once, in the order to fix them", () => {
  test("the socket before a hang: a daemon that cannot start does not hang", () => {
    expect(cases(hang, toolkit, directory)).toEqual([
      "containerd-socket-is-directory",
      "containerd-hangs",
      "toolkit-cannot-signal",
    ]);
  });

  test("the configuration before the socket: it is read first", () => {
    expect(cases(directory, config)).toEqual(["containerd-config-broken", "containerd-socket-is-directory"]);
  });

  test("a later start that reads the configuration shows that it has been fixed", () => {
    expect(cases(config, directory)).toEqual(["containerd-socket-is-directory"]);
  });

  test("left-over shims come last", () => {
    expect(cases(shim, directory)).toEqual(["containerd-socket-is-directory", "containerd-left-over-shims"]);
  });
});

test("the newest line stands for its conclusion, with the number of lines", () => {
  expect(journalSigns(["1 ttrpc timeout", "2 ttrpc timeout"])).toEqual([
    { id: "containerd-hangs", line: "2 ttrpc timeout", count: 2, isVague: false },
  ]);
});

test("a single timeout concerns one pod; repeated timeouts concern the daemon", () => {
  const slow = 'msg="StopContainer for \\"3f2a\\" failed" error="failed to kill container: context deadline exceeded"';
  expect(journalSigns([slow, slow])).toMatchObject([{ id: "containerd-hangs", count: 2, isVague: true }]);
  expect(journalSigns([slow, slow, slow])).toMatchObject([{ id: "containerd-hangs", count: 3, isVague: false }]);
  expect(journalSigns([hang, slow, "a timeout"])).toMatchObject([{ line: hang, count: 3, isVague: false }]);
  expect(journalSigns([slow, "timeout"])).toMatchObject([{ line: slow, isVague: true }]);
});

test("keeps only recognized lines of a journal, shortened", () => {
  const kept = recognizedJournalLines(
    `secret token=abc\r\n${directory}\r\nlevel=info msg="image pulled"\n${config}${"x".repeat(900)}`,
  );
  expect(kept).toHaveLength(2);
  expect(kept[0]).toBe(directory);
  expect(kept[1]?.length).toBe(300);
  expect(journalSigns(kept).map((sign) => sign.id)).toEqual(cases(directory, config));
});

test("does not throw on arbitrary journals", () => {
  fc.assert(fc.property(fc.string(), (text) => void journalSigns(recognizedJournalLines(text))));
});

describe("ambiguous words", () => {
  test.for([
    ["invalid character at start of key: ]", "containerd-config-broken", true],
    ["parse error", "containerd-config-broken", true],
    ["level=error msg=timeout", "containerd-hangs", true],
    ["/etc/containerd/config.toml: invalid character at start of key: ]", "containerd-config-broken", false],
    ["failed to load TOML", "containerd-config-broken", false],
    ["ttrpc: closed: timeout", "containerd-hangs", false],
    ["context deadline exceeded", "containerd-hangs", true],
  ] as const)("%s", ([line, kind, vague]) => {
    expect(journalSigns([line])).toEqual([{ id: kind, line, count: 1, isVague: vague }]);
  });

  test("do not count if another fault shows clearly", () => {
    expect(cases("parse error", directory)).toEqual(["containerd-socket-is-directory"]);
    expect(cases(directory, "parse error")).toEqual(["containerd-socket-is-directory"]);
    expect(cases(hang, "parse error")).toEqual(["containerd-hangs"]);
    expect(cases("timeout", "parse error")).toEqual(["containerd-config-broken", "containerd-hangs"]);
  });

  test("a clear line stands for its conclusion in any order", () => {
    expect(journalSigns([config, "parse error"])).toEqual([
      { id: "containerd-config-broken", line: config, count: 2, isVague: false },
    ]);
    expect(journalSigns(["parse error", config])[0]?.line).toBe(config);
  });
});
