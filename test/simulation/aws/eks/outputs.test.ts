import { expect, test } from "vitest";
import { isRecord } from "../../../../components/core/reader/records";
import type { Properties } from "../../../../components/core/wire";
import { clusterKey } from "../../../../simulation/aws/eks/cluster/cluster-parts";
import { eksTypes } from "../../../../simulation/aws/eks/types";
import { kubernetesTypes } from "../../../../simulation/kubernetes/types";
import { valuesAt } from "../../../../simulation/world/paths";
import { clusterForNodes, clusterInputs, groupInputs, providerFor, roles } from "./foundation";

const principalArn = "arn:aws:iam::123456789012:role/admin";
const vpcConfig = { subnetIds: ["subnet-a", "subnet-b"] };
const { launchTemplate: _, nodeGroupName: __, ...group } = groupInputs;
const { clusterName, nodeRoleArn, subnetIds, scalingConfig } = group;

/** Each type with as few inputs as it can be made with, so that the cloud adds all it can. */
const least: [string, Properties][] = [
  [eksTypes.cluster, { name: "other", roleArn: roles.cluster, vpcConfig }],
  [eksTypes.nodeGroup, { clusterName, nodeRoleArn, subnetIds, scalingConfig, nodeGroupNamePrefix: "x-" }],
  [eksTypes.addon, { clusterName: "lab", addonName: "eks-pod-identity-agent" }],
  [eksTypes.accessEntry, { clusterName: "lab", principalArn }],
  [
    eksTypes.accessPolicyAssociation,
    {
      clusterName: "lab",
      principalArn: "arn:aws:iam::123456789012:user/learner",
      policyArn: "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy",
      accessScope: { type: "cluster" },
    },
  ],
  [eksTypes.podIdentityAssociation, { clusterName: "lab", namespace: "a", serviceAccount: "b", roleArn: roles.pods }],
  [eksTypes.openIdConnectProvider, { url: "https://a", clientIdLists: ["b"] }],
  [kubernetesTypes.release, { name: "a", namespace: "default", chart: "gpu-operator", skipAwait: true }],
  [kubernetesTypes.namespace, { metadata: { name: "a" } }],
];

test.for(least)("a preview knows what it does not know of %s", async ([type, given]) => {
  const world = await clusterForNodes({}, { name: clusterInputs["name"] });
  const kind = world.kindOf(type);
  const inputs = kind.refine?.(given) ?? given;
  const { computed } = await world.create(type, inputs, providerFor(world));
  const computes = kind.computes ?? [];

  expect(added(inputs, computed).filter((path) => !computes.includes(path))).toEqual([]);
  expect(computes.filter((path) => valuesAt(computed, path).length === 0)).toEqual([]);
});

/** What an object has that was not asked for; whole where nothing of it was. */
function added(inputs: Properties, computed: Properties, at = ""): string[] {
  return Object.entries(computed).flatMap(([key, value]) => {
    const given = inputs[key];
    if (key === clusterKey) return [];
    if (given === undefined) return [`${at}${key}`];
    return isRecord(given) && isRecord(value) ? added(given, value, `${at}${key}.`) : [];
  });
}
