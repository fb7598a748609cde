import { describe, expect, test } from "vitest";
import type { Properties } from "../../../components/core/wire";
import { scaleNodeGroup } from "../../../simulation/aws/eks/nodes/instances";
import { types } from "../../../simulation/aws/types";
import { changesOf } from "../../../simulation/cloud/changes";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";
import {
  clusterForNodes,
  contents,
  foundation,
  gpuInputs,
  makeAddon,
  makeGroup,
  messageOf,
  providerFor,
} from "../aws/eks/foundation";

const type = (apiVersion: string, kind: string) => `kubernetes:${apiVersion}:${kind}`;
const configMap = type("core/v1", "ConfigMap");
const namespace = type("core/v1", "Namespace");
const release = type("helm.sh/v3", "Release");

const make = (cloud: SimulatedCloud, of: string, name: string, over: Properties = {}, metadata: Properties = {}) =>
  cloud.create(of, { metadata: { name, namespace: "default", ...metadata }, ...over }, providerFor(cloud));
const makeNamespace = (cloud: SimulatedCloud, name: string) =>
  cloud.create(namespace, { metadata: { name } }, providerFor(cloud));
const install = (cloud: SimulatedCloud, chart: string, values: Properties = {}) =>
  cloud.create(release, { name: chart, namespace: "kube-system", chart, skipAwait: true, values }, providerFor(cloud));

const rejected = (code: string, words: string) =>
  `${code}: resource was not successfully created by the Kubernetes API server: ${words}`;

describe("an object", () => {
  test("has an id of namespace and name, or of its name", async () => {
    const cloud = await clusterForNodes();
    expect((await make(cloud, configMap, "a")).id).toBe("default/a");
    expect((await makeNamespace(cloud, "lab")).id).toBe("lab");
  });

  test("has a unique name in its namespace", async () => {
    const cloud = await clusterForNodes();
    await make(cloud, configMap, "a");
    expect(await messageOf(make(cloud, configMap, "a"))).toBe(
      rejected("AlreadyExists", 'configmaps "a" already exists'),
    );
    expect(await messageOf(make(cloud, configMap, "a", {}, { namespace: "kube-system" }))).toBe("no error");
    expect(await messageOf(make(cloud, type("core/v1", "Secret"), "a"))).toBe("no error");
  });

  test.for([
    [type("networking.k8s.io/v1", "NetworkPolicy"), 'networkpolicies "a" already exists'],
    [type("networking.k8s.io/v1", "Ingress"), 'ingresses "a" already exists'],
  ] as const)("has the resource name of the API: %s", async ([of, words]) => {
    const cloud = await clusterForNodes();
    await make(cloud, of, "a");
    expect(await messageOf(make(cloud, of, "a"))).toBe(rejected("AlreadyExists", words));
  });

  test("requires its namespace", async () => {
    const cloud = await clusterForNodes();
    const inside = () => make(cloud, configMap, "a", {}, { namespace: "lab" });
    expect(await messageOf(inside())).toBe(rejected("NotFound", 'namespaces "lab" not found'));
    await makeNamespace(cloud, "lab");
    expect(await messageOf(inside())).toBe("no error");
  });

  test("can use the namespace of an add-on", async () => {
    const cloud = await clusterForNodes();
    await makeGroup(cloud);
    await makeAddon(cloud, "cert-manager");
    expect(await messageOf(make(cloud, configMap, "a", {}, { namespace: "cert-manager" }))).toBe("no error");
  });

  test("is deleted with its namespace and with its cluster", async () => {
    const cloud = await clusterForNodes();
    const before = contents(cloud);
    await makeNamespace(cloud, "lab");
    await make(cloud, configMap, "a", {}, { namespace: "lab" });
    await make(cloud, configMap, "b");
    await cloud.delete(namespace, "lab", providerFor(cloud));
    expect(cloud.find(configMap).map(({ id }) => id)).toEqual(["default/b"]);
    await install(cloud, "gpu-operator");
    cloud.remove(types.cluster, "lab");
    expect(contents(cloud).filter((each) => each.startsWith("kubernetes"))).toEqual([]);
    expect(before).not.toEqual([]);
  });

  test("of a custom kind requires its definition, from a program or a chart", async () => {
    const rule = type("monitoring.coreos.com/v1", "PrometheusRule");
    const cloud = await clusterForNodes();
    expect(await messageOf(make(cloud, rule, "gpu"))).toBe(
      "NoMatch: creation of resource with kind monitoring.coreos.com/v1/PrometheusRule failed because the Kubernetes API " +
        "server reported that the apiVersion for this resource does not exist. Verify that any required CRDs have been " +
        'created: no matches for kind "PrometheusRule" in version "monitoring.coreos.com/v1"',
    );
    await install(cloud, "kube-prometheus-stack");
    expect(await messageOf(make(cloud, rule, "gpu"))).toBe("no error");

    const job = type("kubeflow.org/v2beta1", "MPIJob");
    const definition = type("apiextensions.k8s.io/v1", "CustomResourceDefinition");
    const other = { group: "kubeflow.org", names: { kind: "TFJob" } };
    await cloud.create(definition, { metadata: { name: "tfjobs.kubeflow.org" }, spec: other }, providerFor(cloud));
    const spec = { group: "kubeflow.org", names: { kind: "MPIJob" } };
    expect(await messageOf(make(cloud, job, "nccl"))).toContain('no matches for kind "MPIJob"');
    const metadata = { name: "mpijobs.kubeflow.org" };
    await cloud.create(definition, { metadata, spec }, providerFor(cloud));
    expect(await messageOf(make(cloud, job, "nccl"))).toBe("no error");
  });

  test("has a default namespace", () => {
    const cloud = foundation();
    const refine = (of: string) => cloud.modelOf(of).normalize?.({ metadata: { name: "a" } });
    expect(refine(configMap)).toEqual({ metadata: { name: "a", namespace: "default" } });
    expect(refine(namespace)).toEqual({ metadata: { name: "a" } });
  });

  test.for([
    [configMap, ["metadata.name", "metadata.namespace", "data", "binaryData"], ["metadata.labels"]],
    [type("core/v1", "Secret"), ["metadata.name", "type", "data", "stringData"], ["metadata.labels"]],
    [type("core/v1", "PersistentVolumeClaim"), ["spec.accessModes", "spec.storageClassName"], ["spec.resources"]],
    [type("core/v1", "PersistentVolume"), ["spec.csi", "spec.hostPath"], ["spec.capacity"]],
    [type("core/v1", "ResourceQuota"), ["spec.scopes"], ["spec.hard"]],
    [type("apps/v1", "Deployment"), ["metadata.name", "metadata.namespace", "spec.selector"], ["spec.template"]],
    [type("apps/v1", "DaemonSet"), ["metadata.name", "spec.selector"], ["spec.template"]],
    [type("apps/v1", "StatefulSet"), ["spec.selector", "spec.revisionHistoryLimit"], ["spec.replicas"]],
    [type("batch/v1", "Job"), ["metadata.name", "spec.template"], ["spec.suspend"]],
    [type("core/v1", "Pod"), ["metadata.name", "spec.containers"], ["spec.tolerations", "metadata.labels"]],
    [type("policy/v1", "PodDisruptionBudget"), ["metadata.name"], ["spec.selector"]],
    [type("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"), ["roleRef"], ["subjects"]],
  ] as const)("%s is replaced for %j, and not for %j", ([of, replacing, others]) => {
    const set = (value: string) => {
      const object: Record<string, unknown> = {};
      for (const path of [...replacing, ...others]) {
        const [first = "", second] = path.split(".");
        object[first] = second === undefined ? value : { ...(object[first] as Properties), [second]: value };
      }
      return object;
    };
    const changes = changesOf(foundation().modelOf(of), set("old"), set("new"));
    expect(changes.filter(({ replaces }) => replaces).map(({ path }) => path)).toEqual(replacing);
  });

  // @see https://github.com/pulumi/pulumi-kubernetes/blob/v4.32.0/provider/pkg/provider/diff_test.go
  test.for<[string, string, Properties, Properties, readonly string[]]>([
    ["ConfigMap", "enableConfigMapMutable", { data: { a: "b" } }, {}, []],
    ["ConfigMap", "enableConfigMapMutable", { data: { a: "b" } }, { immutable: true }, ["data.a"]],
    ["ConfigMap", "enableSecretMutable", { data: { a: "b" } }, {}, ["data.a"]],
    ["Secret", "enableSecretMutable", { stringData: { a: "b" } }, {}, []],
    ["Secret", "enableSecretMutable", { stringData: { a: "b" } }, { immutable: true }, ["stringData.a"]],
    ["Secret", "enableSecretMutable", { type: "tls" }, {}, ["type"]],
  ])("%s with %s: %j with %j", ([kind, name, news, both, replacing]) => {
    const olds = Object.fromEntries(
      Object.entries(news).map(([key, value]) => [key, typeof value === "string" ? "old" : { a: "old" }]),
    );
    for (const on of [true, "true"]) {
      const of = foundation().modelOf(type("core/v1", kind));
      const changes = changesOf(of, { ...olds, ...both }, { ...news, ...both }, [], { [name]: on });
      expect(changes).toHaveLength(1);
      expect(changes.filter(({ replaces }) => replaces).map(({ path }) => path)).toEqual(replacing);
    }
  });

  test("cannot exist in two clusters of one cloud", async () => {
    const cloud = await clusterForNodes();
    await make(cloud, configMap, "a");
    const cluster = cloud.get(types.cluster, "lab");
    const other = `https://OTHER.eks.amazonaws.com`;
    cloud.put({
      type: types.cluster,
      id: "other",
      inputs: { ...cluster?.inputs, name: "other" },
      computed: { endpoint: other },
    });
    const principalArn = cloud.account.caller;
    cloud.put({
      type: types.accessEntry,
      id: "x",
      inputs: { clusterName: "other", principalArn, kubernetesGroups: ["a"] },
      computed: {},
    });
    const provider = { kubeconfig: JSON.stringify({ clusters: [{ cluster: { server: other } }] }) };
    await expect(cloud.create(configMap, { metadata: { name: "a", namespace: "default" } }, provider)).rejects.toThrow(
      "The simulation cannot keep kubernetes:core/v1:ConfigMap default/a in two clusters at the same time.",
    );
  });
});

describe("pods that Pulumi waits for", () => {
  const deployment = type("apps/v1", "Deployment");
  const gpuPod = {
    containers: [{ name: "a", resources: { limits: { "nvidia.com/gpu": 1 } } }],
    tolerations: [{ key: "nvidia.com/gpu", operator: "Exists" }],
  };
  const pending = (id: string, name: string) =>
    `resource "${id}" was successfully created, but the Kubernetes API server reported that it failed to fully ` +
    `initialize or become live: '${name}' timed out waiting to be Ready`;

  test.for([
    [deployment, { template: { spec: { containers: [] } } }],
    [type("apps/v1", "StatefulSet"), { template: { spec: { containers: [] } } }],
    [type("batch/v1", "Job"), { template: { spec: { containers: [] } } }],
    [type("core/v1", "Pod"), { containers: [] }],
  ] as const)("of %s require a node", async ([of, spec]) => {
    const cloud = await clusterForNodes();
    expect(await messageOf(make(cloud, of, "a", { spec }))).toBe(pending("default/a", "a"));
    await makeGroup(cloud);
    expect(await messageOf(make(cloud, of, "b", { spec }))).toBe("no error");
  });

  test("without requirements run on any node", async () => {
    const cloud = await clusterForNodes();
    await makeGroup(cloud);
    expect(await messageOf(make(cloud, deployment, "a"))).toBe("no error");
  });

  test("are not those of a DaemonSet or of an object with skipAwait", async () => {
    const cloud = await clusterForNodes();
    const spec = { template: { spec: { containers: [] } } };
    const annotations = { "pulumi.com/skipAwait": "true" };
    expect(await messageOf(make(cloud, type("apps/v1", "DaemonSet"), "a", { spec }))).toBe("no error");
    expect(await messageOf(make(cloud, deployment, "a", { spec }, { annotations }))).toBe("no error");
  });

  test("that request a GPU require a GPU node and a device plugin", async () => {
    const cloud = await clusterForNodes();
    await makeGroup(cloud);
    await makeGroup(cloud, gpuInputs);
    const pod = (name: string) => make(cloud, type("core/v1", "Pod"), name, { spec: gpuPod });
    await install(cloud, "gpu-operator");
    expect(await messageOf(pod("a"))).toBe(pending("default/a", "a"));
    scaleNodeGroup(cloud, "gpu", 1);
    expect(await messageOf(pod("b"))).toBe("no error");
    cloud.drift(release, "kube-system/gpu-operator", { values: { devicePlugin: { enabled: false } } });
    expect(await messageOf(pod("c"))).toBe(pending("default/c", "c"));
    await install(cloud, "nvidia-device-plugin");
    expect(await messageOf(pod("d"))).toBe("no error");
  });
});
