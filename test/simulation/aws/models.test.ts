import { describe, expect, test } from "vitest";
import { unknownSentinel, type Properties } from "../../../components/core/wire";
import { awsModels } from "../../../simulation/aws/models";
import { types } from "../../../simulation/aws/types";
import { changesOf } from "../../../simulation/cloud/changes";
import type { ResourceModel } from "../../../simulation/cloud/model";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";
import { plannedCreate } from "../../../simulation/provider/resources/outputs";
import { makeNetwork, newCloud, nightly, permission, put, queuePolicy, schedulerTrust, trust } from "./support";

const modelOf = (type: string) => awsModels.find((model) => model.type === type);

/** Creates one object per model with minimal inputs, so that the cloud adds all outputs. */
async function makeAll(cloud: SimulatedCloud): Promise<void> {
  const { vpc, subnet, gateway } = await makeNetwork(cloud);
  const vpcId = vpc.id;
  const make = async (type: string, inputs: Properties) => (await cloud.create(type, inputs)).id;
  const allocationId = await make(types.eip, {});
  await make(types.natGateway, { allocationId, subnetId: subnet.id });
  const routeTableId = await make(types.routeTable, { vpcId });
  await make(types.route, { routeTableId, destinationCidrBlock: "0.0.0.0/0", gatewayId: gateway.id });
  await make(types.routeTableAssociation, { routeTableId, subnetId: subnet.id });
  await make(types.defaultRouteTable, { defaultRouteTableId: vpc.computed["defaultRouteTableId"] });
  await make(types.defaultSecurityGroup, { vpcId });
  await make(types.vpcEndpoint, { vpcId, serviceName: "com.amazonaws.ap-northeast-2.s3" });
  await make(types.flowLog, { vpcId, trafficType: "ALL" });
  const securityGroupId = await make(types.securityGroup, { vpcId, namePrefix: "nodes-", description: "Nodes" });
  const rule = { securityGroupId, ipProtocol: "-1", cidrIpv4: "0.0.0.0/0" };
  await make(types.ingressRule, rule);
  await make(types.egressRule, rule);
  await make(types.launchTemplate, { namePrefix: "nodes-" });
  const role = await make(types.role, { namePrefix: "nodes-", assumeRolePolicy: trust });
  await make(types.rolePolicy, { role, policy: permission });
  const policyArn = await make(types.policy, { policy: permission });
  await make(types.rolePolicyAttachment, { role, policyArn });
  await make(types.instanceProfile, { namePrefix: "nodes-", role });
  const targetKeyId = await make(types.key, {});
  await make(types.alias, { namePrefix: "alias/lab-", targetKeyId });
  await make(types.logGroup, { namePrefix: "/lab/" });
  const scheduler = await make(types.role, { namePrefix: "scheduler-", assumeRolePolicy: schedulerTrust });
  const groupName = await make(types.scheduleGroup, { namePrefix: "lab-" });
  const roleArn = cloud.get(types.role, scheduler)?.computed["arn"];
  await make(types.schedule, { ...nightly, groupName, target: { arn: "arn:aws:sqs:::a", roleArn } });
  const queueUrl = await make(types.queue, { namePrefix: "lab-", messageRetentionSeconds: 60 });
  await make(types.queuePolicy, { queueUrl, policy: queuePolicy });
  const ruleName = await make(types.eventRule, { eventPattern: "{}" });
  await make(types.eventTarget, { rule: ruleName, arn: "arn:aws:sqs:::a" });
  await make(types.metricAlarm, { comparisonOperator: "GreaterThanThreshold", evaluationPeriods: 1 });
  await make(types.budget, { namePrefix: "lab-", budgetType: "COST", timeUnit: "MONTHLY", limitAmount: "100" });
  put(cloud, types.autoscalingGroup, "nodes", {});
  await make(types.document, { name: "end-nodes", documentType: "Automation", content: "{}" });
  await make(types.autoscalingTag, { autoscalingGroupName: "nodes", tag: { key: "a", value: "b" } });
}

/** Paths of the unknown values of a preview in an account that has none of the objects that the inputs name. */
function unknownOutputs(model: ResourceModel, inputs: Properties): string[] {
  const planned = plannedCreate(model, { cloud: newCloud(), inputs, provider: {} });
  return Object.keys(planned).filter((key) => !Object.hasOwn(inputs, key));
}

test("a preview makes exactly the outputs unknown that the cloud adds", async () => {
  const cloud = newCloud();
  await makeAll(cloud);
  expect([...cloud.unsimulated]).toEqual([]);
  for (const model of awsModels) {
    const { type, derivedOutputs: live } = model;
    const [object] = cloud.find(type).slice(-1);
    if (!object) throw new Error(`${type} was not created`);
    const { inputs, computed } = object;
    const added = Object.keys({ ...computed, ...live?.(object, cloud) }).filter((key) => !Object.hasOwn(inputs, key));
    expect({ type, added: unknownOutputs(model, inputs).sort() }).toEqual({ type, added: added.sort() });
    const open = Object.fromEntries(Object.keys(inputs).map((key) => [key, unknownSentinel]));
    expect({ type, added: unknownOutputs(model, open).sort() }).toEqual({ type, added: added.sort() });
  }
});

test("ids are unique per type", async () => {
  const cloud = newCloud();
  await makeAll(cloud);
  const ids = cloud.history.map(({ type, id }) => `${type} ${id}`);
  expect(new Set(ids).size).toBe(ids.length);
});

describe("replacements", () => {
  test.for([
    [types.vpc, "cidrBlock", true],
    [types.vpc, "enableDnsHostnames", false],
    [types.subnet, "availabilityZone", true],
    [types.subnet, "cidrBlock", true],
    [types.subnet, "vpcId", true],
    [types.subnet, "mapPublicIpOnLaunch", false],
    [types.internetGateway, "vpcId", false],
    [types.eip, "domain", true],
    [types.natGateway, "allocationId", true],
    [types.natGateway, "subnetId", true],
    [types.natGateway, "connectivityType", true],
    [types.routeTable, "vpcId", true],
    [types.route, "destinationCidrBlock", true],
    [types.route, "natGatewayId", false],
    [types.routeTableAssociation, "subnetId", true],
    [types.routeTableAssociation, "routeTableId", false],
    [types.vpcEndpoint, "serviceName", true],
    [types.vpcEndpoint, "vpcEndpointType", true],
    [types.vpcEndpoint, "routeTableIds", false],
    [types.flowLog, "trafficType", true],
    [types.securityGroup, "description", true],
    [types.securityGroup, "namePrefix", true],
    [types.securityGroup, "ingress", false],
    [types.ingressRule, "securityGroupId", true],
    [types.ingressRule, "fromPort", false],
    [types.egressRule, "description", false],
    [types.launchTemplate, "namePrefix", true],
    [types.launchTemplate, "userData", false],
    [types.role, "path", true],
    [types.role, "assumeRolePolicy", false],
    [types.rolePolicy, "role", true],
    [types.rolePolicy, "policy", false],
    [types.rolePolicyAttachment, "policyArn", true],
    [types.policy, "description", true],
    [types.policy, "policy", false],
    [types.instanceProfile, "role", false],
    [types.eventRule, "eventPattern", false],
    [types.eventTarget, "rule", true],
    [types.key, "keyUsage", true],
    [types.key, "policy", false],
    [types.alias, "name", true],
    [types.alias, "targetKeyId", false],
    [types.logGroup, "name", true],
    [types.logGroup, "retentionInDays", false],
    [types.autoscalingTag, "autoscalingGroupName", true],
  ] as const)("%s, %s: %s", ([type, property, replaced]) => {
    const model = modelOf(type);
    const changes = model && changesOf(model, { [property]: "old", tags: {} }, { [property]: "new", tags: {} });
    expect(changes).toEqual([{ path: property, kind: "update", replaces: replaced }]);
    expect(model && changesOf(model, { tags: { a: "b" } }, { tags: {} })).toMatchObject([{ replaces: false }]);
  });

  test("a tag of an Auto Scaling group is replaced for another key", () => {
    const model = modelOf(types.autoscalingTag);
    const replaced = (tag: object) =>
      model && changesOf(model, { tag: { key: "a", value: "b" } }, { tag }).map(({ replaces }) => replaces);
    expect(replaced({ key: "c", value: "b" })).toEqual([true]);
    expect(replaced({ key: "a", value: "c" })).toEqual([false]);
  });

  test("only a policy attachment is always deleted before it is replaced", () => {
    expect(awsModels.filter(({ deleteBeforeReplace }) => deleteBeforeReplace).map(({ type }) => type)).toEqual([
      types.rolePolicyAttachment,
    ]);
  });
});

test.for([
  [["tags"], ["tagsAll"]],
  [["tags.Name"], ["tagsAll"]],
  [["cidrBlock"], []],
] as const)("a change of %s makes %s unknown", ([changed, unknown]) => {
  expect(modelOf(types.vpc)?.recomputes?.(changed)).toEqual(unknown);
  expect(modelOf(types.role)?.recomputes?.(changed)).toEqual(unknown);
});

test("another target makes an alias's targetKeyArn unknown", () => {
  expect(modelOf(types.alias)?.recomputes?.(["targetKeyId"])).toEqual(["targetKeyArn"]);
  expect(modelOf(types.alias)?.recomputes?.([])).toEqual([]);
});
