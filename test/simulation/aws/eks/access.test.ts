import { describe, expect, test } from "vitest";
import type { Properties } from "../../../../components/core/wire";
import { principalOf } from "../../../../simulation/aws/eks/access";
import { types } from "../../../../simulation/aws/types";
import { changesOf } from "../../../../simulation/cloud/changes";
import type { SimulatedCloud } from "../../../../simulation/cloud/simulated-cloud";
import { contents, foundation, makeCluster, messageOf, roles } from "./foundation";

const principalArn = "arn:aws:iam::123456789012:role/team/admin";
const policyArn = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy";
const invalid = (words: string) => `InvalidParameterException: ${words}`;

async function withCluster(over: Properties = {}): Promise<SimulatedCloud> {
  const cloud = foundation();
  await makeCluster(cloud, over);
  return cloud;
}

const makeEntry = (cloud: SimulatedCloud, over: Properties = {}) =>
  cloud.create(types.accessEntry, { clusterName: "lab", principalArn, type: "STANDARD", ...over });

const makePolicy = (cloud: SimulatedCloud, over: Properties = {}) =>
  cloud.create(types.accessPolicyAssociation, {
    clusterName: "lab",
    principalArn,
    policyArn,
    accessScope: { type: "cluster" },
    ...over,
  });

const makeAssociation = (cloud: SimulatedCloud, over: Properties = {}) =>
  cloud.create(types.podIdentityAssociation, {
    clusterName: "lab",
    namespace: "kube-system",
    serviceAccount: "autoscaler",
    roleArn: roles.pods,
    ...over,
  });

describe("an access entry", () => {
  test("has an id of cluster and principal", async () => {
    const { id, computed } = await makeEntry(await withCluster());
    expect(id).toBe(`lab:${principalArn}`);
    expect(computed["accessEntryArn"]).toMatch(
      /^arn:aws:eks:ap-northeast-2:123456789012:access-entry\/lab\/role\/123456789012\/admin\/[0-9a-f-]{36}$/,
    );
  });

  test.for<[string, Properties, string]>([
    ["of no cluster", { clusterName: "x" }, "ResourceNotFoundException: No cluster found for name: x."],
    [
      "of a session",
      { principalArn: "arn:aws:sts::123456789012:assumed-role/admin/me" },
      invalid("The principalArn parameter format is not valid"),
    ],
    [
      "of a service",
      { principalArn: "arn:aws:iam::123456789012:role/aws-service-role/x/y" },
      invalid("The caller is not allowed to modify access entries with a principalArn value of a Service Linked Role"),
    ],
    [
      "of the cluster's creator, who has one",
      { principalArn: "arn:aws:iam::123456789012:user/learner" },
      "ResourceInUseException: The specified access entry resource is already in use on this cluster.",
    ],
  ])("is rejected %s", async ([, over, message]) => {
    expect(await messageOf(makeEntry(await withCluster(), over))).toBe(message);
  });

  test("is rejected twice", async () => {
    const cloud = await withCluster();
    await makeEntry(cloud);
    expect(await messageOf(makeEntry(cloud))).toBe(
      "ResourceInUseException: The specified access entry resource is already in use on this cluster.",
    );
  });

  test("is rejected in a cluster with authentication mode CONFIG_MAP", async () => {
    const cloud = await withCluster({ accessConfig: { authenticationMode: "CONFIG_MAP" } });
    const message =
      "InvalidRequestException: The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to " +
      "perform this operation.";
    expect(await messageOf(makeEntry(cloud))).toBe(message);
    expect(await messageOf(makePolicy(cloud))).toBe(message);
  });

  test("is deleted with its policies", async () => {
    const cloud = await withCluster();
    const before = contents(cloud);
    await makeEntry(cloud);
    await makePolicy(cloud);
    await cloud.delete(types.accessEntry, `lab:${principalArn}`);
    expect(contents(cloud)).toEqual(before);
  });

  test("is deleted with its cluster", async () => {
    const cloud = await withCluster();
    await makeEntry(cloud);
    await makePolicy(cloud);
    await makeAssociation(cloud);
    await cloud.delete(types.cluster, "lab");
    expect(contents(cloud)).toEqual(contents(foundation()));
  });
});

describe("an access policy", () => {
  test.for<[string, Properties, string]>([
    [
      "for a principal without an entry",
      { principalArn: "arn:aws:iam::123456789012:role/x" },
      "ResourceNotFoundException: The specified principalArn could not be found. You can view your available access " +
        "entries with 'list-access-entries'.",
    ],
    [
      "of another partition",
      { policyArn: "arn:aws-cn:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy" },
      invalid("The specified policyArn could not be found."),
    ],
    [
      "in no namespace",
      { accessScope: { type: "namespace" } },
      invalid("At least 1 namespace must be provided if the type is set as namespace"),
    ],
    [
      "in the cluster and a namespace",
      { accessScope: { type: "cluster", namespaces: ["a"] } },
      invalid("accessScope should not include namespaces if the type is not set as namespace"),
    ],
    ["in a namespace: never", { accessScope: { type: "namespace", namespaces: ["a"] } }, "no error"],
  ])("is rejected %s", async ([, over, message]) => {
    const cloud = await withCluster();
    await makeEntry(cloud);
    expect(await messageOf(makePolicy(cloud, over))).toBe(message);
  });

  test("has an id of all three", async () => {
    const cloud = await withCluster();
    await makeEntry(cloud);
    expect((await makePolicy(cloud)).id).toBe(`lab#${principalArn}#${policyArn}`);
  });
});

describe("a pod identity association", () => {
  test.for<[string, Properties, string]>([
    ["of no cluster", { clusterName: "x" }, "ResourceNotFoundException: No cluster found for name: x."],
    ["of a role that is not there", { roleArn: "arn:x" }, invalid("Role provided in the request does not exist.")],
    [
      "of a role that pods may not assume",
      { roleArn: roles.nodes },
      invalid("The trust policy of the role does not allow pods.eks.amazonaws.com to assume it"),
    ],
  ])("is rejected %s", async ([, over, message]) => {
    expect(await messageOf(makeAssociation(await withCluster(), over))).toBe(message);
  });

  test("is rejected twice for one service account", async () => {
    const cloud = await withCluster();
    const { id, computed } = await makeAssociation(cloud);
    expect(computed).toMatchObject({
      associationId: id,
      associationArn: `arn:aws:eks:ap-northeast-2:123456789012:podidentityassociation/lab/${id}`,
    });
    expect(await messageOf(makeAssociation(cloud))).toBe(`ResourceInUseException: Association already exists: ${id}`);
    expect(await messageOf(makeAssociation(cloud, { namespace: "default" }))).toBe("no error");
  });
});

test("a pod identity association cannot be updated to a role that pods may not assume", async () => {
  const cloud = await withCluster();
  const { id, inputs } = await makeAssociation(cloud);
  const update = cloud.update(types.podIdentityAssociation, id, { ...inputs, roleArn: roles.nodes });
  expect(await messageOf(update)).toContain("does not allow pods.eks.amazonaws.com to assume it");
});

describe("an OIDC provider", () => {
  const url = "https://oidc.eks.ap-northeast-2.amazonaws.com/id/1";
  const make = (cloud: SimulatedCloud, over: Properties = {}) =>
    cloud.create(types.openIdConnectProvider, { url, clientIdLists: ["sts.amazonaws.com"], ...over });

  test("has its ARN as id, and its URL without the scheme", async () => {
    const { id, computed } = await make(foundation());
    expect(id).toBe("arn:aws:iam::123456789012:oidc-provider/oidc.eks.ap-northeast-2.amazonaws.com/id/1");
    expect(computed).toMatchObject({ arn: id, url: url.slice("https://".length) });
    expect(computed["thumbprintLists"]).toEqual([expect.stringMatching(/^[0-9a-f]{40}$/)]);
  });

  test("is rejected twice in an account", async () => {
    const cloud = foundation();
    await make(cloud);
    expect(await messageOf(make(cloud, { url: url.slice("https://".length) }))).toBe(
      `EntityAlreadyExists: Provider with url ${url} already exists.`,
    );
  });

  test("remains when its cluster is deleted", async () => {
    const cloud = await withCluster();
    await make(cloud);
    await cloud.delete(types.cluster, "lab");
    expect(cloud.find(types.openIdConnectProvider)).toHaveLength(1);
  });
});

test.for([
  [types.accessEntry, ["clusterName", "principalArn", "type"], ["kubernetesGroups", "tags", "userName"]],
  [types.accessPolicyAssociation, ["accessScope", "clusterName", "policyArn", "principalArn"], []],
  [types.podIdentityAssociation, ["clusterName", "namespace", "serviceAccount"], ["roleArn", "tags"]],
  [types.openIdConnectProvider, ["url"], ["clientIdLists", "tags", "thumbprintLists"]],
] as const)("%s is replaced for %j, and not for %j", ([type, replacing, others]) => {
  const kind = foundation().modelOf(type);
  const all = [...replacing, ...others];
  const olds = Object.fromEntries(all.map((key) => [key, "old"]));
  const news = Object.fromEntries(all.map((key) => [key, "new"]));
  const changes = changesOf(kind, olds, news).filter(({ replaces }) => replaces);
  expect(changes.map(({ path }) => path)).toEqual(replacing);
});

test.for([
  ["arn:aws:sts::123456789012:assumed-role/Admin/me", "arn:aws:iam::123456789012:role/Admin"],
  ["arn:aws:iam::123456789012:user/me", "arn:aws:iam::123456789012:user/me"],
] as const)("the principal behind %s", ([caller, principal]) => {
  expect(principalOf(caller)).toBe(principal);
});
