import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  autoscalerTaint,
  gpuTaint,
  kubernetesEffect,
  mergeTaints,
  taintProblems,
  type Taint,
} from "../../../../components/nodes/scheduling/taints";

test.for([
  ["NO_SCHEDULE", "NoSchedule"],
  ["NO_EXECUTE", "NoExecute"],
  ["PREFER_NO_SCHEDULE", "PreferNoSchedule"],
] as const)("EKS's %s is Kubernetes' %s", ([eks, kubernetes]) => expect(kubernetesEffect(eks)).toBe(kubernetes));

test("the texts of a taint", () => {
  expect(autoscalerTaint(gpuTaint)).toBe("true:NoSchedule");
  const bare: Taint = { key: "team", effect: "NO_EXECUTE" };
  expect(autoscalerTaint(bare)).toBe(":NoExecute");
});

test("merging keeps the group's own taints first, and once", () => {
  const team: Taint = { key: "team", value: "a", effect: "NO_SCHEDULE" };
  expect(mergeTaints([gpuTaint], [team, { ...gpuTaint }])).toEqual([gpuTaint, team]);
});

test("merging leaves out what is no taint", () => {
  const more = [null, undefined, "team=a:NoSchedule", [], 1] as unknown as Taint[];
  expect(mergeTaints([gpuTaint], more)).toEqual([gpuTaint]);
});

describe("problems", () => {
  const team = { key: "team", value: "a", effect: "NO_SCHEDULE" };

  test.for([
    ["none", []],
    ["one", [team]],
    ["without a value", [{ key: "team", effect: "NO_EXECUTE" }]],
    ["the group's own again", [{ ...gpuTaint }]],
    ["one key, two effects", [team, { ...team, effect: "NO_EXECUTE" }]],
    ["the group's own key with another effect", [{ ...gpuTaint, effect: "NO_EXECUTE" }]],
  ] as const)("none: %s", ([, taints]) => expect(taintProblems(taints, "taints", [gpuTaint])).toEqual([]));

  test.for([
    ["no list", "team=a:NoSchedule", "taints", "It must be a list."],
    ["kubectl's form", ["team=a:NoSchedule"], "taints[0]", "It must be an object with key, value and effect."],
    [
      "Kubernetes' spelling",
      [{ ...team, effect: "NoSchedule" }],
      "taints[0].effect",
      "This is Kubernetes' spelling, not EKS's.",
    ],
    [
      "another effect",
      [{ ...team, effect: "NEVER" }],
      "taints[0].effect",
      'It must be one of "NO_SCHEDULE", "NO_EXECUTE", "PREFER_NO_SCHEDULE".',
    ],
    ["null", [null], "taints[0]", "It must be an object with key, value and effect."],
    ["another key", [{ ...team, operator: "Exists" }], "taints[0].operator", "There is no such key."],
    ["no key", [{ effect: "NO_SCHEDULE" }], "taints[0].key", "It must be a text."],
    ["a value that is no text", [{ ...team, value: true }], "taints[0].value", "It must be a text."],
    [
      "the same twice",
      [team, team],
      "taints[1]",
      "A node has one taint of each key and effect, and taints[0] has this key and effect already.",
    ],
    [
      "the group's own with another value",
      [{ ...gpuTaint, value: "false" }],
      "taints[0]",
      'A node has one taint of each key and effect, and the group\'s own (value "true") has this key and effect already.',
    ],
  ] as const)("%s", ([, taints, path, why]) => {
    expect(taintProblems(taints, "taints", [gpuTaint]).map((p) => [p.path, p.why])).toEqual([[path, why]]);
  });

  test("a misspelt key is told the right one", () => {
    expect(taintProblems([{ ...team, Value: "b" }], "taints", [])).toEqual([
      {
        code: "unknown-key",
        path: "taints[0].Value",
        got: "b",
        why: "There is no such key.",
        fix: "did you mean taints[0].value?",
      },
    ]);
  });

  test("Kubernetes' spelling is told EKS's", () => {
    expect(taintProblems([{ ...team, effect: "PreferNoSchedule" }], "taints", [])[0]?.fix).toBe(
      'write "PREFER_NO_SCHEDULE"',
    );
  });

  test("50 taints a group are the most", () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => ({ key: `k${i}`, effect: "NO_SCHEDULE" }));
    expect(taintProblems(many(49), "taints", [gpuTaint])).toEqual([]);
    expect(taintProblems(many(50), "taints", [gpuTaint])).toMatchObject([{ got: 50, fix: "keep 49 or fewer" }]);
  });

  test("anything can be judged", () => {
    fc.assert(fc.property(fc.anything(), (got) => Array.isArray(taintProblems(got, "taints", [gpuTaint]))));
  });
});
