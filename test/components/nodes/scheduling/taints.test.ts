import fc from "fast-check";
import { expect, test } from "vitest";
import * as v from "valibot";
import {
  autoscalerTaint,
  gpuTaint,
  kubernetesEffect,
  mergeTaints,
  taintConflicts,
  taintList,
  type Taint,
} from "../../../../components/nodes/scheduling/taints";
import { check, problemsIn } from "../../../../components/core/schema";
import { testProblems } from "../../../support/problems";

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

const team = { key: "team", value: "a", effect: "NO_SCHEDULE" };
const list = v.pipe(
  taintList(),
  check((taints: readonly Taint[], at) => taintConflicts(taints, at, [gpuTaint])),
);
const judge = (taints: unknown) => problemsIn(list, taints, "taints");

test.for([
  ["none", []],
  ["one", [team]],
  ["without a value", [{ key: "team", effect: "NO_EXECUTE" }]],
  ["the group's own again", [{ ...gpuTaint }]],
  ["one key, two effects", [team, { ...team, effect: "NO_EXECUTE" }]],
  ["the group's own key with another effect", [{ ...gpuTaint, effect: "NO_EXECUTE" }]],
] as const)("valid: %s", ([, taints]) => expect(judge(taints)).toEqual([]));

testProblems(judge, [
  ["team=a:NoSchedule", "wrong-type taints"],
  [["team=a:NoSchedule"], "wrong-type taints[0]"],
  [[{ ...team, effect: "NoSchedule" }], "not-allowed taints[0].effect"],
  [[{ ...team, effect: "PreferNoSchedule" }], "not-allowed taints[0].effect"],
  [[{ ...team, effect: "NEVER" }], "not-allowed taints[0].effect"],
  [[null], "wrong-type taints[0]"],
  [[{ ...team, operator: "Exists" }], "unknown-key taints[0].operator"],
  [[{ ...team, Value: "b" }], "unknown-key taints[0].Value"],
  [[{ effect: "NO_SCHEDULE" }], "missing taints[0].key"],
  [[{ ...team, value: true }], "wrong-type taints[0].value"],
  [[team, team], "conflict taints[1]"],
  [[{ ...gpuTaint, value: "false" }], "conflict taints[0]"],
]);

test("a group has at most 50 taints", () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => ({ key: `k${i}`, effect: "NO_SCHEDULE" }));
  expect(judge(many(49))).toEqual([]);
  expect(judge(many(50))).toMatchObject([{ code: "out-of-range", path: "taints", got: 50 }]);
});

test("any value can be checked", () => {
  fc.assert(fc.property(fc.anything(), (got) => Array.isArray(judge(got))));
});
