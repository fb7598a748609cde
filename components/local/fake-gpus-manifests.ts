import type { CustomResourceArgs } from "@pulumi/kubernetes/apiextensions/customResource";
import type { CustomResourceDefinitionArgs } from "@pulumi/kubernetes/apiextensions/v1/customResourceDefinition";
import type { DaemonSetArgs } from "@pulumi/kubernetes/apps/v1/daemonSet";
import type { DeploymentArgs } from "@pulumi/kubernetes/apps/v1/deployment";
import type { NodeArgs } from "@pulumi/kubernetes/core/v1/node";
import { optionalProperty } from "../core/reader/records";
import { workloadImages } from "../core/versions";
import { gpuTolerations } from "../gpu/health/gpu-health";
import { gpuLabels } from "../nodes/gpu-node-group-schema";
import { instanceType, type InstanceType } from "../nodes/machine/instance-types";
import { gpuTaint, kubernetesEffect, mergeTaints, type Taint } from "../nodes/scheduling/taints";
import { systemLabels } from "../nodes/system-node-group-schema";
import type { FakeGpusSettings } from "./fake-gpus-schema";

/** What a fake node offers, as JSON: a Stage of KWOK copies it to the status of the node. */
const capacityAnnotation = "eks-gpu-lab/capacity";

/** The stage of KWOK for that annotation. A cluster has one, so it shows which FakeGpus the cluster has. */
export const capacityStageName = "eks-gpu-lab-capacity";

/** Namespace of the operator, as on AWS. */
export const operatorNamespace = "gpu-operator";

const pluginLabel = "nvidia.com/gpu.deploy.device-plugin";
const part = { "app.kubernetes.io/part-of": "eks-gpu-lab", "app.kubernetes.io/managed-by": "pulumi" };

/** A node with its name. */
type NamedNode = NodeArgs & { readonly metadata: { readonly name: string } };

export function gpuNodes(settings: FakeGpusSettings): NamedNode[] {
  const type = instanceType(settings.instanceType) as InstanceType;
  const labels = { ...gpuLabels(type), ...labelsOfOperator(type), ...settings.labels };
  const taints = mergeTaints([gpuTaint], settings.taints);
  const gpus = settings.devicePlugin ? type.gpus : 0;
  return namesOf("gpu", settings.gpuNodes).map((name) => node(name, type, { labels, taints, gpus }));
}

export function systemNodes(settings: FakeGpusSettings): NamedNode[] {
  const type = instanceType(settings.systemInstanceType) as InstanceType;
  const facts = { labels: systemLabels, taints: [] };
  return namesOf("system", settings.systemNodes).map((name) => node(name, type, facts));
}

/** `gpu-1`, `gpu-2`. */
function namesOf(kind: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${kind}-${index + 1}`);
}

/** What the GPU Operator writes on a node with GPUs. */
function labelsOfOperator({ gpus, gpuModel }: InstanceType): Record<string, string> {
  return {
    "nvidia.com/gpu.present": "true",
    "nvidia.com/gpu.count": String(gpus),
    "nvidia.com/gpu.product": `NVIDIA-${(gpuModel ?? "GPU").replace(/\s+/g, "-")}`,
    [pluginLabel]: "true",
  };
}

interface NodeFacts {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly gpus?: number;
}

function node(name: string, type: InstanceType, { labels, taints, gpus }: NodeFacts): NamedNode {
  const capacity = {
    cpu: String(type.vcpus),
    memory: `${type.memoryGiB}Gi`,
    pods: String(type.maxPods),
    "ephemeral-storage": "100Gi",
    ...(gpus !== undefined && { "nvidia.com/gpu": String(gpus) }),
  };
  return {
    metadata: {
      name,
      labels: {
        ...part,
        ...labels,
        type: "kwok",
        "kubernetes.io/hostname": name,
        "kubernetes.io/arch": type.architecture,
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": type.name,
        "topology.kubernetes.io/region": "local",
        "topology.kubernetes.io/zone": "local-a",
      },
      annotations: {
        "kwok.x-k8s.io/node": "fake",
        [capacityAnnotation]: JSON.stringify(capacity),
        // Kubernetes itself writes the list of taints, as when a node is cordoned, and owns it from then on.
        "pulumi.com/patchForce": "true",
      },
    },
    spec: {
      taints: taints.map(({ key, value, effect }) => ({
        key,
        effect: kubernetesEffect(effect),
        ...optionalProperty("value", value),
      })),
    },
  };
}

/**
 * Copies {@link capacityAnnotation} to the status of its node whenever they differ. It precedes KWOK's own stages, so a
 * node is not Ready before it has its capacity.
 * @see https://kwok.sigs.k8s.io/docs/user/stages-configuration/
 */
export function capacityStage(component: string): CustomResourceArgs {
  const wanted = `.metadata.annotations["${capacityAnnotation}"]`;
  const copied = `{{ index .metadata.annotations ${JSON.stringify(capacityAnnotation)} }}`;
  return {
    apiVersion: "kwok.x-k8s.io/v1alpha1",
    kind: "Stage",
    metadata: { name: capacityStageName, labels: { ...part, "app.kubernetes.io/instance": component } },
    spec: {
      resourceRef: { apiGroup: "v1", kind: "Node" },
      selector: {
        matchExpressions: [
          { key: wanted, operator: "Exists" },
          { key: `(${wanted} // "{}" | fromjson) == .status.allocatable`, operator: "In", values: ["false"] },
        ],
      },
      weight: 1000,
      next: { statusTemplate: `allocatable: ${copied}\ncapacity: ${copied}\n` },
    },
  };
}

/** The kind of the operator's configuration. Any field is accepted: no operator reads it. */
export function clusterPolicyDefinition(): CustomResourceDefinitionArgs {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    metadata: { name: "clusterpolicies.nvidia.com", labels: part },
    spec: {
      group: "nvidia.com",
      names: { kind: "ClusterPolicy", plural: "clusterpolicies", singular: "clusterpolicy" },
      scope: "Cluster",
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}

/** The operator accepts a disabled device plugin: the state stays ready, as on AWS. */
export function clusterPolicy({ devicePlugin }: FakeGpusSettings): CustomResourceArgs {
  return {
    apiVersion: "nvidia.com/v1",
    kind: "ClusterPolicy",
    metadata: { name: "cluster-policy", labels: part },
    spec: { devicePlugin: { enabled: devicePlugin } },
    status: { state: "ready", namespace: operatorNamespace },
  };
}

export function operator(): DeploymentArgs {
  const labels = { ...part, app: "gpu-operator", "app.kubernetes.io/component": "gpu-operator" };
  return {
    metadata: { name: "gpu-operator", namespace: operatorNamespace, labels },
    spec: {
      selector: { matchLabels: { app: "gpu-operator" } },
      template: { metadata: { labels }, spec: { ...podSpec, nodeSelector: { type: "kwok", ...systemLabels } } },
    },
  };
}

export function devicePlugin({ taints }: FakeGpusSettings): DaemonSetArgs {
  const name = "nvidia-device-plugin-daemonset";
  const labels = { ...part, app: name };
  const spec = {
    ...podSpec,
    nodeSelector: { type: "kwok", [pluginLabel]: "true" },
    tolerations: gpuTolerations(taints),
  };
  return {
    metadata: { name, namespace: operatorNamespace, labels },
    spec: { selector: { matchLabels: { app: name } }, template: { metadata: { labels }, spec } },
  };
}

/** A pod that no container runtime ever starts: a fake node pulls no image and runs no process. */
const podSpec = {
  automountServiceAccountToken: false,
  containers: [
    {
      name: "fake",
      image: workloadImages.busybox,
      command: ["sleep", "infinity"],
      resources: { requests: { cpu: "10m", memory: "16Mi" }, limits: { memory: "16Mi" } },
    },
  ],
};
