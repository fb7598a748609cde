import { expect, test } from "vitest";
import { launchTemplate } from "../../../../policies/facts/launch-templates";
import { gpuNodeGroup, scalingGroup } from "../../../../policies/facts/node-sources";
import { capacityReservationTarget as rule } from "../../../../policies/rules/machines/capacity-reservation-target";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const block = "capacityReservationSpecification";
const target = `${block}.capacityReservationTarget`;
const specified = (capacityReservationTarget: unknown, more: object = {}) => ({
  [block]: { capacityReservationTarget, ...more },
});
const one = { capacityReservationId: "cr-0" };
const group = { capacityReservationResourceGroupArn: "arn:aws:resource-groups:eu-west-1:123456789012:group/gpu" };

test.for([
  ["a reservation", specified(one), []],
  ["a group", specified(group), []],
  ["blocks in lists", { [block]: [{ capacityReservationTarget: [one] }] }, []],
  ["a preference alone", { [block]: { capacityReservationPreference: "none" } }, []],
  ["both of them", specified(one, { capacityReservationPreference: "capacity-reservations-only" }), []],
  ["nothing about reservations", {}, []],
  ["null counts as nothing", { [block]: null }, []],
  ["an empty target", specified({}), [`fail ${target}`]],
  ["an empty id", specified({ capacityReservationId: "" }), [`fail ${target}`]],
  ["a preference, and an empty target", specified({}, { capacityReservationPreference: "open" }), [`fail ${target}`]],
  ["two targets", specified({ ...one, ...group }), [`fail ${target}`]],
  ["a target of a wrong type", specified("cr-0"), [`fail ${target}`]],
  ["an empty specification", { [block]: {} }, [`fail ${block}`]],
  ["id unknown", specified({ capacityReservationId: unknown }), [`unknown ${target}.capacityReservationId`]],
  [
    "an id, and group unknown",
    specified({ ...one, capacityReservationResourceGroupArn: unknown }),
    [`unknown ${target}.capacityReservationResourceGroupArn`],
  ],
  ["target unknown", specified(unknown), [`unknown ${target}`]],
  ["all unknown", { [block]: unknown }, [`unknown ${block}`]],
  [
    "preference unknown",
    { [block]: { capacityReservationPreference: unknown } },
    [`unknown ${block}.capacityReservationPreference`],
  ],
] as const)("launch template: %s", ([, properties, expected]) => {
  expect(verdicts(rule, [resource(launchTemplate, properties)])).toEqual(expected);
});

const arns = ["arn:aws:resource-groups:eu-west-1:123456789012:group/gpu"];

test.for([
  [scalingGroup, specified({ capacityReservationIds: ["cr-0", "cr-1"] }), []],
  [scalingGroup, specified({ capacityReservationResourceGroupArns: arns }), []],
  [scalingGroup, specified({ capacityReservationIds: [] }), [`fail ${target}`]],
  [
    scalingGroup,
    specified({ capacityReservationIds: ["cr-0"], capacityReservationResourceGroupArns: arns }),
    [`fail ${target}`],
  ],
  [scalingGroup, { [block]: {} }, [`fail ${block}`]],
  [scalingGroup, specified({ capacityReservationIds: unknown }), [`unknown ${target}.capacityReservationIds`]],
  ["aws:ec2/instance:Instance", specified(one), []],
  ["aws:ec2/instance:Instance", specified({}), [`fail ${target}`]],
  ["aws:ec2/instance:Instance", { instanceMarketOptions: { marketType: "capacity-block" } }, [`fail ${target}`]],
  ["aws:ec2/instance:Instance", { instanceMarketOptions: { marketType: "spot" } }, []],
  [gpuNodeGroup, {}, []],
  [gpuNodeGroup, { [block]: {} }, []],
  [gpuNodeGroup, { capacityReservation: { id: "cr-0" } }, []],
  [gpuNodeGroup, { capacityReservation: { id: unknown } }, ["unknown capacityReservation.id"]],
  [gpuNodeGroup, { capacityReservation: {} }, ["fail capacityReservation"]],
  [gpuNodeGroup, { capacityReservation: { id: "cr-0", resourceGroupArn: arns[0] } }, ["fail capacityReservation"]],
  [
    gpuNodeGroup,
    { capacityReservation: { id: "cr-0", resourceGroupArn: unknown } },
    ["unknown capacityReservation.resourceGroupArn"],
  ],
] as const)("%s %j", ([type, properties, expected]) => {
  expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
});

test("the component is blamed, not the template it makes", () => {
  const component = resource(gpuNodeGroup, { capacityReservation: {} });
  const child = resource(launchTemplate, specified({}), { name: "child", parent: component.urn });
  expect(findings(rule, [component, child]).map(({ urn }) => urn)).toEqual([component.urn]);
});

test("a template of a name that is exempt is left alone", () => {
  const policyConfig = { [rule.id]: { exempt: ["old-*"] } };
  const templates = ["old-gpu", "gpu"].map((name) => resource(launchTemplate, specified({}), { name }));
  expect(findings(rule, templates, { policyConfig }).map(({ name }) => name)).toEqual(["gpu"]);
  expect(verdicts(rule, templates.slice(0, 1), { policyConfig })).toEqual([]);
});

test("messages, without the secret in place of an id", () => {
  const message = (type: string, properties: object) =>
    findings(rule, [resource(type, { ...properties })]).map((finding) => finding.message);
  expect(message(launchTemplate, specified({ ...group, capacityReservationId: "hunter2" }))).toMatchInlineSnapshot(`
    [
      "capacityReservationSpecification.capacityReservationTarget: got two targets. EC2 accepts one target, and rejects two. Without one, a targeted reservation stays unused while you pay for it.
    fix: set either capacityReservationSpecification.capacityReservationTarget.capacityReservationId or capacityReservationSpecification.capacityReservationTarget.capacityReservationResourceGroupArn",
    ]
  `);
  expect(message(launchTemplate, { [block]: {} })).toMatchInlineSnapshot(`
    [
      "capacityReservationSpecification: got neither a preference nor a target. The block has no effect: instances start on demand while you pay for the reservation.
    fix: set either capacityReservationSpecification.capacityReservationTarget.capacityReservationId or capacityReservationSpecification.capacityReservationTarget.capacityReservationResourceGroupArn",
    ]
  `);
  expect(message(gpuNodeGroup, { capacityReservation: { name: "hunter2" } })).toMatchInlineSnapshot(`
    [
      "capacityReservation: got no target. EC2 accepts one target, and rejects two. Without one, a targeted reservation stays unused while you pay for it.
    fix: set either capacityReservation.id or capacityReservation.resourceGroupArn",
    ]
  `);
});

const market = { instanceMarketOptions: { marketType: "capacity-block" } };
const named = specified({ capacityReservationId: "cr-0" });
const laterGroup = { capacityReservationResourceGroupArn: unknown };
const template = (properties: object) => resource(launchTemplate, { ...properties }, { name: "template" });
const blocks = (more: object, behind?: ReturnType<typeof template>) =>
  resource(
    "aws:eks/nodeGroup:NodeGroup",
    { capacityType: "CAPACITY_BLOCK", ...more },
    { name: "blocks", ...(behind && { propertyDependencies: { launchTemplate: [behind.urn] } }) },
  );

test.for([
  ["with its id", { ...market, ...named }, []],
  ["with an id known after the update", { ...market, ...specified({ capacityReservationId: unknown }) }, ["unknown"]],
  ["without a target", market, ["fail", "fail"]],
  ["with a resource group that contains it", { ...market, ...specified(group) }, []],
  ["with a group known after the update", { ...market, ...specified(laterGroup) }, ["unknown"]],
  ["with an empty id", { ...market, ...specified({ capacityReservationId: "" }) }, ["fail", "fail", "fail"]],
  ["of the market on demand, with its id", named, ["fail"]],
  ["of the market on demand, with a group", specified(group), ["fail"]],
  ["of an unknown market", { instanceMarketOptions: { marketType: unknown }, ...named }, ["unknown"]],
] as const)("a launch template of a Capacity Block %s", ([, properties, expected]) => {
  const used = template(properties);
  const said = verdicts(rule, [blocks({ launchTemplate: { id: "lt-0" } }, used), used]);
  expect([...new Set(said.map((verdict) => verdict.split(" ")[0]))]).toEqual([...new Set(expected)]);
  if (!said.some((one) => one.startsWith("unknown"))) expect(said).toHaveLength(expected.length);
});

test.for([
  ["without a launch template", {}, ["fail capacityType"]],
  ["with a launch template outside the stack", { launchTemplate: { id: "lt-0" } }, []],
  ["of another market", { capacityType: "ON_DEMAND" }, []],
  ["of an unknown market", { capacityType: unknown }, ["unknown capacityType"]],
] as const)("a node group of Capacity Blocks %s", ([, more, expected]) => {
  expect(verdicts(rule, [blocks(more)])).toEqual(expected);
});

test("what a Capacity Block lacks: the id, or only the market", () => {
  const message = (properties: object) => {
    const used = template(properties);
    return findings(rule, [blocks({ launchTemplate: { id: "lt-0" } }, used), used]).map((finding) => finding.message);
  };
  expect(message(named)).toMatchInlineSnapshot(`
    [
      "capacityType: got a Capacity Block whose launch template has another market type. EC2 starts instances in a Capacity Block only with the market type of Capacity Blocks.
    fix: set instanceMarketOptions.marketType to "capacity-block" in the launch template of the group",
    ]
  `);
  expect(message(market)[0]).toMatchInlineSnapshot(`
    "capacityReservationSpecification.capacityReservationTarget: got a Capacity Block that is not named. EC2 starts instances in a Capacity Block only if the launch template or the instance names the block.
    fix: set instanceMarketOptions.marketType to "capacity-block", and set either capacityReservationSpecification.capacityReservationTarget.capacityReservationId or capacityReservationSpecification.capacityReservationTarget.capacityReservationResourceGroupArn"
  `);
});
