import * as pulumi from "@pulumi/pulumi";
import { beforeEach, expect, test } from "vitest";
import { faultSwitch, InputError } from "../../../../components";
import { inDays } from "../../../../components/core/faults";

const later = inDays(2, new Date());

/** The switch in a stack with this configuration, or the problems. */
async function read(config: Readonly<Record<string, string>>, stack = "sharing-lab", namespace?: string) {
  await pulumi.runtime.setMocks({ newResource: () => ({ id: "", state: {} }), call: () => ({}) }, "own-lab", stack);
  pulumi.runtime.setAllConfig(config);
  try {
    return namespace === undefined ? faultSwitch() : faultSwitch(new pulumi.Config(namespace));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return error.problems.map(({ code, path }) => `${code} ${path}`);
  }
}

beforeEach(() => () => pulumi.runtime.setAllConfig({}));

test.for([
  [{}, { isOn: false, expires: undefined }],
  [
    { "own-lab:fault": "off", "own-lab:expires": "2020-01-01" },
    { isOn: false, expires: undefined },
  ],
  [
    { "own-lab:fault": "on", "own-lab:expires": later },
    { isOn: true, expires: later },
  ],
] as const)("%j", async ([config, expected]) => {
  expect(await read(config)).toEqual(expected);
});

test.for([
  [{ "own-lab:fault": "true" }, "sharing-lab", ["not-allowed fault"]],
  [{ "own-lab:fault": "on" }, "sharing-lab", ["missing expires"]],
  [{ "own-lab:fault": "on", "own-lab:expires": "soon" }, "sharing-lab", ["wrong-type expires"]],
  [{ "own-lab:fault": "on", "own-lab:expires": "2020-01-01" }, "sharing-lab", ["not-allowed expires"]],
  [{ "own-lab:fault": "on" }, "prod", ["not-allowed stack", "missing expires"]],
] as const)("%j in the stack %s is rejected", async ([config, stack, problems]) => {
  expect(await read(config, stack)).toEqual(problems);
});

test("reads the keys of another namespace", async () => {
  const config = { "sharing:fault": "on", "sharing:expires": later };
  expect(await read(config, "lab-1", "sharing")).toEqual({ isOn: true, expires: later });
  expect(await read(config, "lab-1")).toEqual({ isOn: false, expires: undefined });
});
