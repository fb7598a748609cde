import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  autoscalerHints,
  ephemeralStorageGiB,
  hintConflicts,
} from "../../../../components/nodes/scheduling/autoscaler-hints";
import { instanceType, type InstanceType } from "../../../../components/nodes/machine/instance-types";
import { gpuTaint, kubernetesEffect, type Taint } from "../../../../components/nodes/scheduling/taints";

const node = "k8s.io/cluster-autoscaler/node-template";
const tags = (...args: Parameters<typeof autoscalerHints>) =>
  Object.fromEntries(autoscalerHints(...args).map(({ key, value }) => [key, value]));

test("the tags of a g5.xlarge group", () => {
  const labels = { tier: "gpu", "nvidia.com/gpu": "true", "k8s.amazonaws.com/accelerator": "nvidia-a10g" };
  expect(tags({ labels, taints: [gpuTaint], gpus: 1, ephemeralStorageGiB: 88 })).toEqual({
    [`${node}/label/tier`]: "gpu",
    [`${node}/label/nvidia.com/gpu`]: "true",
    [`${node}/label/k8s.amazonaws.com/accelerator`]: "nvidia-a10g",
    [`${node}/taint/nvidia.com/gpu`]: "true:NoSchedule",
    [`${node}/resources/nvidia.com/gpu`]: "1",
    [`${node}/resources/ephemeral-storage`]: "88Gi",
  });
});

test("no GPU, no GPU resource", () => {
  expect(tags({ labels: {}, taints: [], gpus: 0, ephemeralStorageGiB: 25 })).toEqual({
    [`${node}/resources/ephemeral-storage`]: "25Gi",
  });
});

test.for([
  ["the first of two hard ones", ["NO_EXECUTE", "NO_SCHEDULE"], "a:NoExecute"],
  ["the hard one behind a soft one", ["PREFER_NO_SCHEDULE", "NO_SCHEDULE"], "a:NoSchedule"],
  ["the hard one before a soft one", ["NO_SCHEDULE", "PREFER_NO_SCHEDULE"], "a:NoSchedule"],
] as const)("one key has one tag: %s", ([, effects, expected]) => {
  const taints = effects.map((effect): Taint => ({ key: "team", value: "a", effect }));
  expect(tags({ labels: {}, taints, gpus: 0, ephemeralStorageGiB: 1 })[`${node}/taint/team`]).toBe(expected);
});

test("every label and taint has its tag, under a name of its own", () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9./-]{0,20}$/);
  const taint = fc.record({
    key: name,
    value: fc.stringMatching(/^[a-z0-9]{0,10}$/),
    effect: fc.constantFrom("NO_SCHEDULE", "NO_EXECUTE"),
  });
  const unique = { selector: (one: { key: string }) => one.key };
  fc.assert(
    fc.property(fc.dictionary(name, name), fc.uniqueArray(taint, unique), fc.nat(8), (labels, taints, gpus) => {
      const source = { labels, taints: taints as Taint[], gpus, ephemeralStorageGiB: 88 };
      const found = tags(source);
      for (const [key, value] of Object.entries(labels)) expect(found[`${node}/label/${key}`]).toBe(value);
      for (const { key, value, effect } of source.taints) {
        expect(found[`${node}/taint/${key}`]).toBe(`${value}:${kubernetesEffect(effect)}`);
      }
      const names = autoscalerHints(source).map((hint) => hint.name);
      expect(new Set(names).size).toBe(names.length);
      expect(names.length).toBe(Object.keys(labels).length + taints.length + (gpus > 0 ? 2 : 1));
    }),
  );
});

describe("ephemeral storage", () => {
  const g5 = instanceType("g5.xlarge") as InstanceType;
  test.for([
    ["the root volume", 100, "none", 88],
    ["the instance store of 250 GB", 100, "raid0", 207],
    ["never nothing", 1, "none", 1],
  ] as const)("%s", ([, disk, storage, expected]) => expect(ephemeralStorageGiB(g5, disk, storage)).toBe(expected));
});

test("a name too long for a tag key", () => {
  const long = `${"d".repeat(30)}.example.com/${"n".repeat(63)}`;
  expect(hintConflicts(["team", long], "label", "labels")).toEqual([
    {
      code: "out-of-range",
      path: "labels",
      got: long,
      why: "The autoscaler's tag for it has a key of 152 characters, and AWS allows 128.",
      fix: "shorten the name to 82 characters or fewer",
    },
  ]);
});
