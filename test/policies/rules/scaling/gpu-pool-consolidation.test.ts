import { expect, test } from "vitest";
import { gpuPoolConsolidation as rule } from "../../../../policies/rules/scaling/gpu-pool-consolidation";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const type = "kubernetes:karpenter.sh/v1:NodePool";
const policy = "spec.disruption.consolidationPolicy";
const budgets = "spec.disruption.budgets";
const requirement = (...values: unknown[]) => ({ key: "node.kubernetes.io/instance-type", operator: "In", values });
const pool = (disruption: unknown, more: object = {}, requirements: unknown = [requirement("g5.xlarge")]) => ({
  spec: { template: { spec: { requirements } }, disruption, ...more },
});
const ofGroup = (group: string, budgets?: unknown, needed: object = requirement("g5.xlarge")) => ({
  spec: {
    template: { spec: { nodeClassRef: { group }, requirements: [needed] } },
    disruption: { consolidationPolicy: "WhenEmpty", budgets },
  },
});
const auto = (...budgets: object[]) => ofGroup("eks.amazonaws.com", budgets);
const moving = (budgets?: unknown) => ({ consolidationPolicy: "WhenEmptyOrUnderutilized", budgets });

test.for([
  ["empty nodes", pool({ consolidationPolicy: "WhenEmpty" }), []],
  ["nodes in use", pool(moving()), [`fail ${policy}`]],
  ["the default of Karpenter", pool({ consolidateAfter: "1m" }), [`fail ${policy}`]],
  ["an unknown disruption", pool(unknown), ["unknown spec.disruption"]],
  ["no disruption at all", pool(undefined), [`fail ${policy}`]],
  ["balanced", pool({ consolidationPolicy: "Balanced" }), [`fail ${policy}`]],
  ["a word that Karpenter rejects", pool({ consolidationPolicy: "hunter2" }), [`fail ${policy}`]],
  ["a budget of no nodes", pool(moving([{ nodes: "0" }])), []],
  ["a budget of no nodes in use", pool(moving([{ nodes: "0%", reasons: ["Drifted", "Underutilized"] }])), []],
  ["a budget of one node", pool(moving([{ nodes: "1" }])), [`fail ${policy}`]],
  ["a budget for other reasons", pool(moving([{ nodes: "0", reasons: ["Drifted"] }])), [`fail ${policy}`]],
  ["a budget at times", pool(moving([{ nodes: "0", schedule: "0 9 * * *" }])), [`fail ${policy}`]],
  ["a fixed number of nodes", pool(moving(), { replicas: 1 }), []],
  ["system nodes", pool(moving(), {}, [requirement("m7i.large")]), []],
  ["nothing", {}, []],
  ["empty nodes of Karpenter", ofGroup("karpenter.k8s.aws"), []],
  ["empty nodes of Auto Mode", ofGroup("eks.amazonaws.com"), [`advise ${budgets}`]],
  ["a tenth of the nodes of Auto Mode", ofGroup("eks.amazonaws.com", [{ nodes: "10%" }]), [`advise ${budgets}`]],
  ["Auto Mode that keeps nodes in use only", auto({ nodes: "0", reasons: ["Underutilized"] }), [`advise ${budgets}`]],
  ["Auto Mode that keeps drifted nodes", auto({ nodes: "100%" }, { nodes: "0", reasons: ["Drifted"] }), []],
  ["Auto Mode with a window", auto({ nodes: "0", reasons: ["Drifted"], schedule: "0 9 * * *", duration: "8h" }), []],
  ["Auto Mode that keeps all nodes", auto({ nodes: "0%" }), []],
  ["Auto Mode with unknown budgets", ofGroup("eks.amazonaws.com", unknown), [`unknown ${budgets}`]],
  ["system nodes of Auto Mode", ofGroup("eks.amazonaws.com", [], requirement("m7i.large")), []],
  ["an unknown group", ofGroup(unknown), ["unknown spec.template.spec.nodeClassRef.group"]],
  ["an unknown policy", pool({ consolidationPolicy: unknown }), [`unknown ${policy}`]],
  ["unknown budgets", pool(moving(unknown)), ["unknown spec.disruption.budgets"]],
  ["unknown nodes of a budget", pool(moving([{ nodes: unknown }])), ["unknown spec.disruption.budgets[0].nodes"]],
  [
    "an unknown schedule",
    pool(moving([{ nodes: "0", schedule: unknown }])),
    ["unknown spec.disruption.budgets[0].schedule"],
  ],
  ["unknown reasons", pool(moving([{ nodes: "0", reasons: unknown }])), ["unknown spec.disruption.budgets[0].reasons"]],
  [
    "an unknown reason",
    pool(moving([{ nodes: "0", reasons: [unknown] }])),
    ["unknown spec.disruption.budgets[0].reasons[0]"],
  ],
  ["an unknown number of nodes", pool(moving(), { replicas: unknown }), ["unknown spec.replicas"]],
  ["unknown requirements", pool(moving(), {}, unknown), ["unknown spec.template.spec.requirements"]],
  [
    "an unknown type",
    pool(moving(), {}, [requirement(unknown)]),
    ["unknown spec.template.spec.requirements[0].values[0]"],
  ],
  [
    "an unknown label",
    pool(moving(), {}, [{ ...requirement("g5.xlarge"), key: unknown }]),
    ["unknown spec.template.spec.requirements[0].key"],
  ],
  [
    "an unknown operator",
    pool(moving(), {}, [{ ...requirement("g5.xlarge"), operator: unknown }]),
    ["unknown spec.template.spec.requirements[0].operator"],
  ],
] as const)("%s", ([, properties, expected]) => {
  expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
});

test("an exempt pool", () => {
  const options = { policyConfig: { [rule.id]: { exempt: ["it"] } } };
  expect(verdicts(rule, [resource(type, pool(moving()))], options)).toEqual([]);
});

test("the messages", () => {
  expect(findings(rule, [resource(type, pool(moving()))])[0]?.message).toMatchSnapshot();
  expect(findings(rule, [resource(type, auto())])[0]?.message).toMatchSnapshot();
});
