import { describe, expect, test } from "vitest";
import type { Properties } from "../../../components/core/wire";
import { types } from "../../../simulation/aws/types";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";
import { kubernetesTypes } from "../../../simulation/kubernetes/cluster-objects";
import { clusterInputs, foundation, makeCluster, messageOf, providerFor, roles } from "../aws/eks/foundation";

const { namespace, release } = kubernetesTypes;
const space = { metadata: { name: "lab" } };
const chart = { name: "a", namespace: "default", chart: "a", skipAwait: true };

const unreachable = "Unreachable: configured Kubernetes cluster is unreachable: ";
const loading = "unable to load schema information from the API server: ";
const unauthenticated = "the server has asked for the client to provide credentials";

async function withCluster(over: Properties = {}): Promise<SimulatedCloud> {
  const cloud = foundation();
  await makeCluster(cloud, over);
  return cloud;
}

describe("without a connection to the cluster", () => {
  test("nothing can be created", async () => {
    const cloud = await withCluster();
    const none =
      "unable to load Kubernetes client configuration from kubeconfig file. invalid configuration: no " +
      "configuration has been provided, try setting KUBERNETES_MASTER environment variable";
    expect(await messageOf(cloud.create(namespace, space))).toBe(unreachable + none);
    expect(await messageOf(cloud.create(release, chart, { kubeconfig: "apiVersion: v1" }))).toBe(
      `Unreachable: can't create Helm Release with unreachable cluster: ${none}`,
    );
  });

  test("a private endpoint cannot be reached", async () => {
    const vpcConfig = { ...(clusterInputs["vpcConfig"] as Properties), endpointPublicAccess: false };
    const cloud = await withCluster({ vpcConfig });
    expect(await messageOf(cloud.create(namespace, space, providerFor(cloud)))).toMatch(/dial tcp: i\/o timeout$/);
  });
});

describe("after the deletion of the cluster", () => {
  async function lost() {
    const cloud = await withCluster();
    const provider = providerFor(cloud);
    await cloud.create(namespace, space, provider);
    await cloud.create(release, chart, provider);
    cloud.remove(types.cluster, "lab");
    return { cloud, provider };
  }

  test("its objects cannot be updated, read or deleted", async () => {
    const { cloud, provider } = await lost();
    const noHost =
      /unable to load schema information from the API server: Get "https:\/\/.+\/openapi\/v2\?timeout=32s": dial tcp: lookup .+: no such host$/;
    expect(await messageOf(cloud.update(namespace, "lab", space, provider))).toMatch(noHost);
    expect(await messageOf(cloud.delete(namespace, "lab", provider))).toMatch(/PULUMI_K8S_DELETE_UNREACHABLE/);
    expect(() => cloud.read(namespace, "lab", provider)).toThrow(
      "Unreachable: failed to read resource state due to unreachable cluster. If the cluster was deleted, you can remove",
    );
    expect(await messageOf(cloud.update(release, "default/a", chart, provider))).toMatch(noHost);
    expect(await messageOf(cloud.delete(release, "default/a", provider))).toMatch(
      /^Unreachable: can't delete Helm Release with unreachable cluster. Reason: "unable to load .* no such host"$/,
    );
    expect(() => cloud.read(release, "default/a", provider)).toThrow("failed to read resource state");
  });

  test.for([true, "true"])("deleteUnreachable (%j) deletes objects, but no releases", async (deleteUnreachable) => {
    const { cloud, provider } = await lost();
    const forgetful = { ...provider, deleteUnreachable };
    expect(await messageOf(cloud.delete(namespace, "lab", forgetful))).toBe("no error");
    expect(cloud.read(namespace, "lab", forgetful)).toBeUndefined();
    expect(await messageOf(cloud.create(namespace, space, forgetful))).toContain("no such host");
    expect(await messageOf(cloud.delete(release, "default/a", forgetful))).toContain("can't delete Helm Release");
  });

  test("a new cluster with the same name is another cluster", async () => {
    const { cloud, provider } = await lost();
    await makeCluster(cloud);
    expect(await messageOf(cloud.create(namespace, space, provider))).toContain("no such host");
    expect(await messageOf(cloud.create(namespace, space, providerFor(cloud)))).toBe("no error");
  });
});

describe("a principal", () => {
  const entry = (cloud: SimulatedCloud, principalArn: string, over: Properties = {}) =>
    cloud.create(types.accessEntry, { clusterName: "lab", principalArn, ...over });
  const policy = (
    cloud: SimulatedCloud,
    principalArn: string,
    name: string,
    accessScope: Properties = { type: "cluster" },
  ) =>
    cloud.create(types.accessPolicyAssociation, {
      clusterName: "lab",
      principalArn,
      policyArn: `arn:aws:eks::aws:cluster-access-policy/${name}`,
      accessScope,
    });

  test("without an access entry is not authenticated", async () => {
    const cloud = await withCluster({
      accessConfig: { authenticationMode: "API", bootstrapClusterCreatorAdminPermissions: false },
    });
    const create = () => cloud.create(namespace, space, providerFor(cloud));
    expect(await messageOf(create())).toBe(unreachable + loading + unauthenticated);
    await entry(cloud, cloud.account.caller);
    expect(await messageOf(create())).toBe(
      `Forbidden: namespaces is forbidden: User "${cloud.account.caller}" has no access to it`,
    );
    await policy(cloud, cloud.account.caller, "AmazonEKSClusterAdminPolicy");
    expect(await messageOf(create())).toBe("no error");
  });

  test.for([
    ["with the view policy", "AmazonEKSViewPolicy", { type: "cluster" }],
    ["with the admin policy in a namespace", "AmazonEKSClusterAdminPolicy", { type: "namespace", namespaces: ["a"] }],
  ] as const)("%s cannot install a release", async ([, name, scope]) => {
    const cloud = await withCluster();
    await entry(cloud, roles.pods);
    await policy(cloud, roles.pods, name, scope);
    const provider = providerFor(cloud, "--role", roles.pods);
    expect(await messageOf(cloud.create(release, chart, provider))).toBe(
      `Forbidden: secrets is forbidden: User "${roles.pods}" has no access to it`,
    );
  });

  test("with read access cannot update or delete", async () => {
    const cloud = await withCluster();
    await cloud.create(namespace, space, providerFor(cloud));
    await cloud.create(release, chart, providerFor(cloud));
    await entry(cloud, roles.pods);
    const provider = providerFor(cloud, "--role", roles.pods);
    expect(await messageOf(cloud.update(namespace, "lab", space, provider))).toContain("namespaces is forbidden");
    expect(await messageOf(cloud.delete(namespace, "lab", provider))).toContain("namespaces is forbidden");
    expect(await messageOf(cloud.update(release, "default/a", chart, provider))).toContain("secrets is forbidden");
    expect(await messageOf(cloud.delete(release, "default/a", provider))).toContain("secrets is forbidden");
  });

  test("with Kubernetes groups counts as an admin", async () => {
    const cloud = await withCluster();
    await entry(cloud, roles.pods, { kubernetesGroups: ["lab-admins"] });
    expect(await messageOf(cloud.create(namespace, space, providerFor(cloud, "--role-arn", roles.pods)))).toBe(
      "no error",
    );
  });

  test("that created a cluster with an aws-auth ConfigMap is its only admin", async () => {
    const cloud = await withCluster({ accessConfig: { authenticationMode: "CONFIG_MAP" } });
    expect(await messageOf(cloud.create(namespace, space, providerFor(cloud, "--role", roles.pods)))).toContain(
      unauthenticated,
    );
    expect(await messageOf(cloud.create(namespace, space, providerFor(cloud)))).toBe("no error");
  });
});
