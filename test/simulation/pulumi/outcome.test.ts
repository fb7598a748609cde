import type { EngineEvent } from "@pulumi/pulumi/automation/events";
import { expect, test } from "vitest";
import { changesOf, nameOf, readEvents } from "../../../simulation/pulumi/outcome";

const urn = (type: string, name: string) => `urn:pulumi:dev::lab::${type}::${name}`;
const vpc = "aws:ec2/vpc:Vpc";
const stack = "pulumi:pulumi:Stack";

type Kind = "resourcePreEvent" | "resOutputsEvent" | "resOpFailedEvent";

function event(kind: Kind, op: string, type: string, name: string, more: object = {}): EngineEvent {
  const state = { custom: type !== stack, outputs: {} };
  return { [kind]: { metadata: { op, type, urn: urn(type, name), new: state, ...more } } } as unknown as EngineEvent;
}

const read = (...events: EngineEvent[]) => readEvents(events);

test("a step lasts from its first to its last event", () => {
  const { steps } = read(
    event("resourcePreEvent", "create", vpc, "a"),
    event("resourcePreEvent", "create", vpc, "b"),
    event("resOutputsEvent", "create", vpc, "b"),
    event("resOutputsEvent", "create", vpc, "a"),
  );
  expect(steps.map(({ name, began, ended }) => [name, began, ended])).toEqual([
    ["a", 0, 3],
    ["b", 1, 2],
  ]);
  expect(steps[0]).toMatchObject({ type: vpc, op: "create", failed: false, custom: true, diff: {} });
});

test("a component with two output events is one step that lasts until the second", () => {
  const { steps } = read(
    event("resourcePreEvent", "create", stack, "lab"),
    event("resOutputsEvent", "create", stack, "lab"),
    event("resourcePreEvent", "create", vpc, "a"),
    event("resOutputsEvent", "create", stack, "lab"),
  );
  expect(steps.map(({ name, began, ended }) => [name, began, ended])).toEqual([
    ["lab", 0, 3],
    ["a", 2, undefined],
  ]);
});

test("each part of a replacement is a step", () => {
  const { steps } = read(
    event("resourcePreEvent", "create-replacement", vpc, "a"),
    event("resOutputsEvent", "create-replacement", vpc, "a"),
    event("resourcePreEvent", "delete-replaced", vpc, "a"),
    event("resOpFailedEvent", "delete-replaced", vpc, "a"),
  );
  expect(steps.map(({ op, failed }) => [op, failed])).toEqual([
    ["create-replacement", false],
    ["delete-replaced", true],
  ]);
});

test("a refresh ends with the operation of its result; same is no change", () => {
  const outcome = read(
    event("resourcePreEvent", "refresh", vpc, "a"),
    event("resourcePreEvent", "refresh", vpc, "b"),
    event("resOutputsEvent", "update", vpc, "a", { detailedDiff: { "tags.Name": { diffKind: "update" } } }),
    event("resOutputsEvent", "same", vpc, "b"),
  );
  expect(outcome.steps.map(({ op }) => op)).toEqual(["update", "same"]);
  expect(changesOf(outcome).map(({ name, began, diff }) => [name, began, diff])).toEqual([
    ["a", 0, { "tags.Name": "update" }],
  ]);
});

test("without a detailed diff, the diff lists the changed inputs", () => {
  const { steps } = read(event("resOutputsEvent", "update", vpc, "a", { diffs: ["tags"] }));
  expect(steps[0]?.diff).toEqual({ tags: "update" });
});

test("diagnostics are warnings and errors, no debug messages", () => {
  const say = (severity: string) => ({ diagnosticEvent: { severity, message: `${severity}\n` } }) as EngineEvent;
  const { diagnostics } = read(say("debug"), say("info"), say("warning"), say("error"));
  expect(diagnostics.map(({ message }) => message)).toEqual(["warning", "error"]);
});

test("collects policy violations", () => {
  const policyEvent = {
    message: "too big\n",
    policyName: "size",
    policyPackName: "lab",
    enforcementLevel: "mandatory",
  };
  const { violations } = read({ policyEvent } as EngineEvent);
  expect(violations).toEqual([{ pack: "lab", policy: "size", level: "mandatory", message: "too big" }]);
});

test("collects the outputs of the stack without secrets", () => {
  const outputs = { name: "myeks", kubeconfig: { "4dabf18193072939515e22adb298388d": "x", ciphertext: "[secret]" } };
  const { outputs: seen } = read(event("resOutputsEvent", "create", stack, "lab", { new: { outputs } }));
  expect(seen).toEqual({ name: "myeks", kubeconfig: "[secret]" });
});

test("a name may contain colons", () => expect(nameOf(urn(vpc, "a::b"))).toBe("a::b"));
