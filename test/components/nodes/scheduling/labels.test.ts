import { expect, test } from "vitest";
import * as v from "valibot";
import { labelConflicts, labelMap, type Labels } from "../../../../components/nodes/scheduling/labels";
import { check, problemsIn } from "../../../../components/core/schema";
import { testProblems } from "../../../support/problems";

const labels = v.pipe(
  labelMap(),
  check((given: Labels, at) => labelConflicts(given, at, { tier: "gpu" })),
);
const judge = (given: unknown) => problemsIn(labels, given, "labels");

test.for([
  ["none", {}],
  ["a plain one", { team: "research" }],
  ["an empty value", { team: "" }],
  ["a domain", { "example.com/team": "a.b_c-d" }],
  ["the group's own again", { tier: "gpu" }],
  ["a domain the kubelet may set", { "node.kubernetes.io/team": "a", "sub.node.kubernetes.io/team": "a" }],
  ["a domain that only ends alike", { "notkubernetes.io/team": "a" }],
  ["63 characters", { ["k".repeat(63)]: "v".repeat(63) }],
] as const)("valid: %s", ([, labels]) => expect(judge(labels)).toEqual([]));

testProblems(judge, [
  [["a"], "wrong-type labels"],
  [null, "wrong-type labels"],
  [{ tier: "primary" }, 'conflict labels["tier"]'],
  [{ "my team": "a" }, 'not-allowed labels["my team"]'],
  [{ ["k".repeat(64)]: "a" }, `not-allowed labels["${"k".repeat(64)}"]`],
  [{ "Example.com/a": "a" }, 'not-allowed labels["Example.com/a"]'],
  [{ "/a": "a" }, 'not-allowed labels["/a"]'],
  [{ team: "a b" }, "not-allowed labels.team"],
  [{ team: "v".repeat(64) }, "not-allowed labels.team"],
  [{ team: true }, "wrong-type labels.team"],
  [{ team: null }, "wrong-type labels.team"],
  [{ "node-role.kubernetes.io/worker": "true" }, 'not-allowed labels["node-role.kubernetes.io/worker"]'],
  [{ "eks.amazonaws.com/nodegroup": "a" }, 'not-allowed labels["eks.amazonaws.com/nodegroup"]'],
]);
