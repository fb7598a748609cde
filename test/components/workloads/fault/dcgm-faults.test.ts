import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { dcgmFields, fatalXids, injection, injectScript } from "../../../../components/workloads/fault/dcgm-faults";

test("each fault has its own field, and none of those that are mistaken for them", () => {
  expect(injection("double-bit-ecc", 79)).toMatchObject({ field: 319, value: 1, reason: "NvidiaDoubleBitError" });
  expect(injection("xid", 79)).toMatchObject({ field: 230, value: 79, reason: "NvidiaXID79Error" });
  // The temperature, the clock of the memory, and the sum of errors, which no policy reads.
  for (const wrong of [150, 111, 311]) expect(Object.values(dcgmFields)).not.toContain(wrong);
  expect(fatalXids).toHaveLength(21);
});

describe("the script, with a stand-in for dcgmi", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "dcgm-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function run(dcgmi: string) {
    const programs = {
      dcgmi: `echo "dcgmi $*" >> ${folder}/calls\n${dcgmi}`,
      sleep: `echo "sleep $*" >> ${folder}/calls`,
    };
    for (const [name, body] of Object.entries(programs)) {
      writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
      chmodSync(join(folder, name), 0o755);
    }
    const env = { PATH: `${folder}:/bin:/usr/bin`, NODE_IP: "192.168.1.2", GPU: "0", FIELD: "319", VALUE: "1" };
    const { status, stderr } = spawnSync("/bin/sh", ["-c", injectScript()], { env, encoding: "utf8" });
    return { status, stderr, calls: readFileSync(join(folder, "calls"), "utf8").trim().split("\n") };
  }

  const inject = "dcgmi test --host 192.168.1.2 --inject --gpuid 0 -f 319 -v 1";
  const look = "dcgmi discovery --host 192.168.1.2 -l";

  test("it asks the engine of the node, and injects three times", () => {
    expect(run("exit 0")).toEqual({
      status: 0,
      stderr: "",
      calls: [look, inject, "sleep 20", inject, "sleep 20", inject, "sleep 20"],
    });
  });

  test("it waits for an engine that is not there yet, for two minutes", () => {
    const { status, stderr, calls } = run("exit 1");
    expect([status, stderr]).toEqual([1, "no DCGM engine answers at 192.168.1.2:5555\n"]);
    expect(calls.filter((call) => call === look)).toHaveLength(24);
    expect(calls.filter((call) => call === "sleep 5")).toHaveLength(23);
  });

  test("an engine that refuses fails it", () => {
    const { status, calls } = run('[ "$1" = discovery ]');
    expect([status, calls]).toEqual([1, [look, inject]]);
  });
});
