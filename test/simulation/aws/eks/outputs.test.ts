import { expect, test } from "vitest";
import { isRecord } from "../../../../components/core/reader/records";
import { unknownSentinel, type Properties } from "../../../../components/core/wire";
import { clusterKey } from "../../../../simulation/aws/eks/owned-objects";
import { types } from "../../../../simulation/aws/types";
import { createCloud } from "../../../../simulation/create-cloud";
import { kubernetesTypes } from "../../../../simulation/kubernetes/cluster-objects";
import { plannedCreate } from "../../../../simulation/provider/resources/outputs";
import { clusterForNodes, clusterInputs, groupInputs, providerFor, roles } from "./foundation";

const principalArn = "arn:aws:iam::123456789012:role/admin";
const vpcConfig = { subnetIds: ["subnet-a", "subnet-b"] };
const { launchTemplate: _, nodeGroupName: __, ...group } = groupInputs;
const { clusterName, nodeRoleArn, subnetIds, scalingConfig } = group;

/** Minimal inputs of each type, so that the cloud adds all outputs. */
const least: [string, Properties][] = [
  [types.cluster, { name: "other", roleArn: roles.cluster, vpcConfig }],
  [types.nodeGroup, { clusterName, nodeRoleArn, subnetIds, scalingConfig, nodeGroupNamePrefix: "x-" }],
  [types.addon, { clusterName: "lab", addonName: "eks-pod-identity-agent" }],
  [types.accessEntry, { clusterName: "lab", principalArn }],
  [
    types.accessPolicyAssociation,
    {
      clusterName: "lab",
      principalArn: "arn:aws:iam::123456789012:user/learner",
      policyArn: "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy",
      accessScope: { type: "cluster" },
    },
  ],
  [types.podIdentityAssociation, { clusterName: "lab", namespace: "a", serviceAccount: "b", roleArn: roles.pods }],
  [types.openIdConnectProvider, { url: "https://a", clientIdLists: ["b"] }],
  [kubernetesTypes.release, { name: "a", namespace: "default", chart: "gpu-operator", skipAwait: true }],
  [kubernetesTypes.namespace, { metadata: { name: "a" } }],
];

test.for(least)("a preview makes the outputs of %s unknown", async ([type, given]) => {
  const cloud = await clusterForNodes({}, { name: clusterInputs["name"] });
  const kind = cloud.modelOf(type);
  const inputs = kind.normalize?.(given) ?? given;
  const { computed } = await cloud.create(type, inputs, providerFor(cloud));
  const outputs = added(inputs, computed).sort();
  expect(outputs).not.toEqual([]);

  const before = createCloud();
  expect(added(inputs, plannedCreate(kind, { cloud: before, inputs, provider: {} })).sort()).toEqual(outputs);
  const open = Object.fromEntries(Object.keys(inputs).map((key) => [key, unknownSentinel]));
  const planned = plannedCreate(kind, { cloud: before, inputs: open, provider: {} });
  expect(added(open, planned).sort()).toEqual(outputs.filter((path) => !path.includes(".")));
});

/** The outputs of an object that are not inputs. */
function added(inputs: Properties, computed: Properties, at = ""): string[] {
  return Object.entries(computed).flatMap(([key, value]) => {
    const given = inputs[key];
    if (key === clusterKey) return [];
    if (given === undefined) return [`${at}${key}`];
    return isRecord(given) && isRecord(value) ? added(given, value, `${at}${key}.`) : [];
  });
}
