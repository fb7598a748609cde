import { expect, test } from "vitest";
import { Reader } from "../../../components/core/reader/reader";
import { Undetermined } from "../../../components/core/reader/truth";
import { allowsMarket, requiresGpu } from "../../../policies/facts/karpenter";
import { unknown } from "../support/verdicts";

const capacity = (operator: string, ...values: string[]) => ({ key: "karpenter.sh/capacity-type", operator, values });

/** @see https://karpenter.sh/docs/concepts/nodepools/#capacity-type */
test.for([
  ["nothing", [], { spot: false, "on-demand": true, reserved: false }],
  ["spot", [capacity("In", "spot")], { spot: true, "on-demand": false }],
  ["both", [capacity("In", "spot", "on-demand")], { spot: true, "on-demand": true, reserved: false }],
  ["reservations", [capacity("In", "reserved")], { spot: false, "on-demand": false, reserved: true }],
  ["all but spot", [capacity("NotIn", "spot")], { spot: false, "on-demand": true }],
] as const)("the markets of a pool that requires %s", ([, requirements, expected]) => {
  for (const [market, allowed] of Object.entries(expected)) {
    expect([market, allowsMarket(new Reader(requirements).list(), market)]).toEqual([market, allowed]);
  }
});

test("unknown requirements allow any market", () => {
  expect(allowsMarket(new Reader(unknown).list(), "spot")).toBeInstanceOf(Undetermined);
});

const label = "karpenter.k8s.aws/instance-gpu-count";

/** @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/node-selector-requirement/ operators */
test.for([
  [{ key: label, operator: "Gt", values: ["0"] }, true],
  [{ key: label, operator: "Gte", values: ["1"] }, true],
  [{ key: label, operator: "Gte", values: ["0"] }, false],
  [{ key: label, operator: "Lt", values: ["1"] }, false],
  [{ key: label, operator: "Lte", values: ["0"] }, false],
  [{ key: label, operator: "In", values: ["1", "4"] }, true],
  [{ key: label, operator: "DoesNotExist" }, false],
  [{ key: "eks.amazonaws.com/instance-gpu-memory", operator: "Gt", values: ["16384"] }, true],
] as const)("%j is for GPUs: %s", ([requirement, expected]) => {
  expect(requiresGpu(new Reader([requirement]).list())).toBe(expected);
});
