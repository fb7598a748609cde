import * as ec2 from "@pulumi/aws/ec2";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { recordings, runningRecordings } from "../../../planner/record/record";
import type { Recording } from "../../../planner/record/record";
import { unfinished } from "../../../planner/record/record";
import { plan } from "../../support/plan";

const host = globalThis as { asyncLocalStorage?: unknown };
const vpc = (name: string) => new ec2.Vpc(name, { cidrBlock: "10.0.0.0/16" });
const fails = (reason: string) => Promise.reject(new Error(reason));

/** Ends all programs that wait. A test ends only when its recordings have ended. */
let release: () => void;
let released: Promise<void>;
let late: Promise<unknown>;
let storage: unknown;

beforeEach(() => {
  storage = host.asyncLocalStorage;
  released = new Promise((resolve) => (release = resolve));
  late = Promise.resolve();
});
afterEach(() => {
  expect(host.asyncLocalStorage, "the storage of the SDK").toBe(storage);
});

/** What a recording does in its process while another one starts, and before it has ended. */
const others: Readonly<Record<string, { program: () => unknown; ends?: "fails" | "waits" }>> = {
  "that ends": { program: () => vpc("other") },
  "that throws": { program: () => fails("early"), ends: "fails" },
  "that fails in an apply": { program: () => void vpc("other").cidrBlock.apply(() => fails("apply")), ends: "fails" },
  "that waits": { program: () => released, ends: "waits" },
  "that waits for an output": { program: () => vpc("other").cidrBlock.apply(() => released), ends: "waits" },
  "that registers a resource when it has ended": {
    program: () => void (late = released.then(() => vpc("late"))),
  },
  "that fails and registers a resource later": {
    program: () => ((late = released.then(() => vpc("late"))), fails("early")),
    ends: "fails",
  },
  "that rejects a promise when it has ended": {
    program: () => ((late = released), void released.then(() => fails("stray")), fails("early")),
    ends: "fails",
  },
};

/** Must get what its own program does, whatever the other one does. */
const witness = (name: string, during: () => unknown = () => undefined) =>
  plan(
    async () => {
      const own = vpc(`${name}-vpc`);
      await during();
      const parts = new ec2.Subnet(`${name}-subnet`, { vpcId: own.id, cidrBlock: own.cidrBlock });
      return { stack: pulumi.getStack(), value: new pulumi.Config("of").require("it"), cidr: parts.cidrBlock };
    },
    { stack: name, config: { "of:it": name } },
  );

function expectWitness(name: string, { resources, outputs }: Recording): void {
  expect(resources.map((resource) => resource.name)).toEqual([`eks-gpu-lab-${name}`, `${name}-vpc`, `${name}-subnet`]);
  expect(outputs).toEqual({ stack: name, value: name, cidr: "10.0.0.0/16" });
}

const orders: Readonly<Record<string, (other: () => Promise<unknown>) => Promise<Recording>>> = {
  "after it": async (other) => {
    const run = other();
    await Promise.race([run, turns()]);
    return witness("own", () => (release(), late));
  },
  "at the same time": async (other) => {
    const run = witness("own", () => turns());
    void other().then(release);
    release();
    return run;
  },
  "inside of the own program": (other) => witness("own", () => Promise.race([other(), turns()]).then(release)),
};

/** Enough turns of the event loop for a small program to reach its end. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe.each([true, false])("where one of them is the first of the process: %s", (isFirst) => {
  beforeEach(() => {
    // The recorder treats the first recording of a process in another way.
    if (isFirst) Reflect.deleteProperty(globalThis, recordings);
  });

  const cases = Object.keys(others).flatMap((kind) => Object.keys(orders).map((order) => [kind, order] as const));
  test.each(cases)("a recording beside one %s, %s", async (kind, order) => {
    const { program, ends } = others[kind] as (typeof others)[string];
    let other: Promise<unknown> = Promise.resolve();
    const start = () =>
      (other = plan(program, { stack: "other" }).then(
        () => "ended",
        () => "fails",
      ));
    const recording = await (orders[order] as (typeof orders)[string])(start);
    expectWitness("own", recording);
    expect(await other).toBe(ends === "fails" ? "fails" : "ended");
    await late;
    await turns();
  });

  test("many at once, also nested ones", async () => {
    const names = ["a", "b", "c", "d"];
    const nested = (name: string) =>
      witness(name, async () => expectWitness(`${name}-in`, await witness(`${name}-in`)));
    const all = await Promise.all(names.map((name, at) => (at % 2 ? nested(name) : witness(name, turns))));
    all.forEach((recording, at) => expectWitness(names[at] as string, recording));
  });
});

test("a recording that waits is known with what it waits for, and only until it ends", async () => {
  const cidrBlock = pulumi.output((async () => (await released, "10.0.0.0/16"))());
  const before = runningRecordings().length;
  const recording = plan(() => new ec2.Vpc("waits", { cidrBlock }));
  await turns();
  const [state] = runningRecordings().slice(before);
  expect(state && unfinished(state).message).toContain("Without a result: aws:ec2/vpc:Vpc waits.");
  release();
  await recording;
  expect(runningRecordings()).toHaveLength(before);
});
