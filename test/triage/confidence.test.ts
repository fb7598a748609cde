import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { confidenceOf } from "../../triage/confidence";

const one = (field: string, value = "x") => ({ object: "node/a", field, value });
const event = one("event FailedMount");
const log = one("log, 3 lines");
const agent = one("condition AcceleratedHardwareReady", "False, DCGMHealthCode2");
const scheduler = [one("event FailedScheduling"), one("condition PodScheduled")];
const state = one("status.allocatable[nvidia.com/gpu]", "missing");

describe("a conclusion is certain by its evidence alone", () => {
  test.for([
    ["nothing", [], "likely"],
    ["an event", [event], "likely"],
    ["several events", [event, one("event Failed")], "likely"],
    ["the line of a log", [log], "likely"],
    ["the condition of an agent", [agent], "likely"],
    ["the scheduler, in an event and in its condition", scheduler, "likely"],
    ["what was not read", [one("status.phase", "not read")], "likely"],
    ["the state of an object", [state], "certain"],
    ["a condition of the kubelet", [one("condition Ready", "False, KubeletNotReady")], "certain"],
    ["an event and the state", [event, state], "certain"],
    ["a log and an event", [log, event], "certain"],
    ["the condition of an agent and what the node advertises", [agent, state], "certain"],
    ["the scheduler and as many nodes as it counted", [...scheduler, one("number", "4")], "certain"],
  ] as const)("%s", ([, evidence, confidence]) => {
    expect(confidenceOf({ atMost: undefined, evidence })).toBe(confidence);
    expect(confidenceOf({ atMost: "likely", evidence })).toBe("likely");
    expect(confidenceOf({ atMost: "possible", evidence })).toBe("possible");
  });
});

test("no check states that a conclusion is certain", () => {
  const files = ["checks", "conclusions"].flatMap((folder) =>
    readdirSync(`triage/${folder}`, { recursive: true, encoding: "utf8" }).map((file) => `triage/${folder}/${file}`),
  );
  for (const file of files.filter((path) => path.endsWith(".ts"))) {
    expect(readFileSync(file, "utf8"), file).not.toContain('"certain"');
  }
});
