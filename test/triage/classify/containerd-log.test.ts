import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runtimeSigns, tellingJournal } from "../../../triage/classify/containerd-log";

const directory = "containerd: failed to get listener for main endpoint: is a directory";
const hang = 'level=error msg="ttrpc: received message on inactive stream" error="ttrpc: closed: timeout"';
const config = "containerd: failed to load TOML: /etc/containerd/config.toml: (294, 3): duplicated tables";
const shim =
  "containerd.service: Found left-over process 4711 (containerd-shim) in control group while starting unit. Ignoring.";
const toolkit =
  'level=warning msg="Error signaling containerd, attempt 6/6: unable to dial: dial unix /run/containerd/containerd.sock: connect: connection refused"';

function cases(...lines: string[]) {
  return runtimeSigns(lines).map((sign) => sign.case);
}

describe("each case by itself", () => {
  test.for([
    ["A: is a directory", directory, "socket-is-directory"],
    [
      "A, of another version",
      "failed to start: listen unix /run/containerd/containerd.sock: bind: is a directory",
      "socket-is-directory",
    ],
    ["B: ttrpc times out", hang, "hangs"],
    ["B: a deadline", 'level=error msg="StopContainer failed" error="context deadline exceeded"', "hangs"],
    ["C: the document does not parse", config, "config-broken"],
    [
      "C: parse error",
      "containerd[812]: containerd: (12, 3): parsing error: keys cannot contain new lines",
      "config-broken",
    ],
    ["C: invalid character", "containerd[812]: invalid character at start of key: ]", "config-broken"],
    [
      "C: a version it does not know",
      "containerd: failed to load TOML from /etc/containerd/config.toml: expected containerd config version equal to or less than `3`, got `4`",
      "config-broken",
    ],
    ["left-over shims", shim, "left-over-shims"],
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
  [
    "a command that was cut off",
    "failed to exec in container: failed to start exec: ttrpc: closed: context deadline exceeded",
  ],
  ["an image layer", "httpReadSeeker: failed open: i/o timeout"],
  ["a normal start", "level=info msg=serving... address=/run/containerd/containerd.sock.ttrpc"],
  ["success", "containerd successfully booted in 0.05s"],
] as const)("%s is nothing of containerd's own", ([, line]) => expect(cases(line)).toEqual([]));

describe("several at once, in the order in which to see to them", () => {
  test("the socket before a hang: a daemon that cannot start hangs no more", () => {
    expect(cases(hang, toolkit, directory)).toEqual(["socket-is-directory", "hangs", "toolkit-cannot-signal"]);
  });

  test("the configuration before the socket: it is read first", () => {
    expect(cases(directory, config)).toEqual(["config-broken", "socket-is-directory"]);
  });

  test("a configuration that a later start got past is mended", () => {
    expect(cases(config, directory)).toEqual(["socket-is-directory"]);
  });

  test("shims last of all causes", () => {
    expect(cases(shim, directory)).toEqual(["socket-is-directory", "left-over-shims"]);
  });
});

test("the newest line stands for its case, with the number of lines", () => {
  expect(runtimeSigns(["1 ttrpc timeout", "2 ttrpc timeout"])).toEqual([
    { case: "hangs", line: "2 ttrpc timeout", count: 2, vague: false },
  ]);
});

test("a call that ran out of time is one pod's trouble; where it goes on, the daemon does not answer", () => {
  const slow = 'msg="StopContainer for \\"3f2a\\" failed" error="failed to kill container: context deadline exceeded"';
  expect(runtimeSigns([slow, slow])).toMatchObject([{ case: "hangs", count: 2, vague: true }]);
  expect(runtimeSigns([slow, slow, slow])).toMatchObject([{ case: "hangs", count: 3, vague: false }]);
  expect(runtimeSigns([hang, slow, "a timeout"])).toMatchObject([{ line: hang, count: 3, vague: false }]);
  expect(runtimeSigns([slow, "timeout"])).toMatchObject([{ line: slow, vague: true }]);
});

test("of a journal only telling lines are kept, shortened", () => {
  const kept = tellingJournal(
    `secret token=abc\r\n${directory}\r\nlevel=info msg="image pulled"\n${config}${"x".repeat(900)}`,
  );
  expect(kept).toHaveLength(2);
  expect(kept[0]).toBe(directory);
  expect(kept[1]?.length).toBe(300);
  expect(runtimeSigns(kept).map((sign) => sign.case)).toEqual(cases(directory, config));
});

test("no journal makes it throw", () => {
  fc.assert(fc.property(fc.string(), (text) => void runtimeSigns(tellingJournal(text))));
});

describe("words that others use, too", () => {
  test.for([
    ["invalid character at start of key: ]", "config-broken", true],
    ["parse error", "config-broken", true],
    ["level=error msg=timeout", "hangs", true],
    ["/etc/containerd/config.toml: invalid character at start of key: ]", "config-broken", false],
    ["failed to load TOML", "config-broken", false],
    ["ttrpc: closed: timeout", "hangs", false],
    ["context deadline exceeded", "hangs", true],
  ] as const)("%s", ([line, kind, vague]) => {
    expect(runtimeSigns([line])).toEqual([{ case: kind, line, count: 1, vague }]);
  });

  test("count for nothing beside a clear sign of another trouble", () => {
    expect(cases("parse error", directory)).toEqual(["socket-is-directory"]);
    expect(cases(directory, "parse error")).toEqual(["socket-is-directory"]);
    expect(cases(hang, "parse error")).toEqual(["hangs"]);
    expect(cases("timeout", "parse error")).toEqual(["config-broken", "hangs"]);
  });

  test("the clear line stands for its case, whichever comes last", () => {
    expect(runtimeSigns([config, "parse error"])).toEqual([
      { case: "config-broken", line: config, count: 2, vague: false },
    ]);
    expect(runtimeSigns(["parse error", config])[0]?.line).toBe(config);
  });
});
