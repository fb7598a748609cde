import { CustomResource, type CustomResourceArgs } from "@pulumi/kubernetes/apiextensions/customResource";
import {
  CustomResourceDefinition,
  type CustomResourceDefinitionArgs,
} from "@pulumi/kubernetes/apiextensions/v1/customResourceDefinition";
import { DaemonSet, type DaemonSetArgs } from "@pulumi/kubernetes/apps/v1/daemonSet";
import { Deployment, type DeploymentArgs } from "@pulumi/kubernetes/apps/v1/deployment";
import { Namespace } from "@pulumi/kubernetes/core/v1/namespace";
import { Node, type NodeArgs } from "@pulumi/kubernetes/core/v1/node";
import * as pulumi from "@pulumi/pulumi";
import { refuseWithoutProvider } from "../core/kubernetes-provider";
import { childOptions } from "../core/options";
import { optionalProperty } from "../core/reader/records";
import { resolveArgs } from "../core/schema";
import { token } from "../core/tokens";
import { transformed } from "../core/transform";
import { workloadImages } from "../core/versions";
import { gpuTolerations } from "../gpu/health/gpu-health";
import { gpuLabels } from "../nodes/gpu-node-group-schema";
import { instanceType, type InstanceType } from "../nodes/machine/instance-types";
import { gpuTaint, kubernetesEffect, mergeTaints, type Taint } from "../nodes/scheduling/taints";
import { systemLabels } from "../nodes/system-node-group-schema";
import { fakeGpus, type FakeGpusArgs, type FakeGpusSettings, type FakeGpusTransform } from "./fake-gpus-schema";

/** What a fake node offers, as JSON: a Stage of KWOK copies it to the status of the node. */
const capacityAnnotation = "eks-gpu-lab/capacity";

/** The stage of KWOK for that annotation. A cluster has one, so it shows which FakeGpus the cluster has. */
export const capacityStageName = "eks-gpu-lab-capacity";

/** Namespace of the operator, as on AWS. */
const operatorNamespace = "gpu-operator";

const pluginLabel = "nvidia.com/gpu.deploy.device-plugin";
const part = { "app.kubernetes.io/part-of": "eks-gpu-lab", "app.kubernetes.io/managed-by": "pulumi" };

/**
 * GPU nodes that exist only in the API of a cluster, with as much CPU, memory and as many GPUs as an EC2 type has.
 * Kubernetes schedules pods to them; KWOK plays their kubelet and runs nothing. Plain objects play the part of the GPU
 * Operator: a Deployment, the DaemonSet of its device plugin, and its ClusterPolicy.
 *
 * The cluster must run KWOK 0.7 or newer with its CRD Stage and its fast stages, and must not have a GPU Operator. Pass
 * its Kubernetes provider in `opts`, or a parent that has it.
 *
 * No container starts on a fake node. A pod is Running or has succeeded because KWOK says so: there is no log, no metric
 * and no failed image pull.
 *
 * @see https://kwok.sigs.k8s.io
 * @cost None.
 * @throws InputError with every problem of the arguments, before any resource is created.
 */
export class FakeGpus extends pulumi.ComponentResource {
  /** Names of the GPU nodes. */
  readonly gpuNodes: pulumi.Output<string[]>;

  constructor(name: string, args: FakeGpusArgs = {}, opts?: pulumi.ComponentResourceOptions) {
    const subject = `FakeGpus "${name}"`;
    const { transform, ...settings } = resolveArgs(subject, fakeGpus, args);
    super(token("FakeGpus"), name, settings, opts);
    refuseWithoutProvider(subject, this, undefined, "its objects");
    const options = childOptions(this, opts);

    const stage = capacityStage(name);
    const capacity = new CustomResource(...transformed(transform?.stage, `${name}-capacity`, stage, options));
    const makeNode = (node: NodeArgs & { readonly metadata: { readonly name: string } }) =>
      new Node(
        ...transformed(transform?.node, `${name}-${node.metadata.name}`, node, { ...options, dependsOn: capacity }),
      );
    const system = systemNodes(settings).map(makeNode);
    const gpus = gpuNodes(settings).map(makeNode);
    makeOperator(name, settings, transform, { ...options, dependsOn: [...system, ...gpus] });

    this.gpuNodes = pulumi.all(gpus.map(({ metadata }) => metadata.name));
    this.registerOutputs({ gpuNodes: this.gpuNodes });
  }
}

/** The objects that a GPU Operator has in a cluster, as far as the labs look at them. */
function makeOperator(
  name: string,
  settings: FakeGpusSettings,
  transform: FakeGpusTransform | undefined,
  options: pulumi.CustomResourceOptions,
): void {
  const metadata = { name: operatorNamespace, labels: { "app.kubernetes.io/part-of": "eks-gpu-lab" } };
  const namespace = new Namespace(
    ...transformed(transform?.namespace, `${name}-operator-namespace`, { metadata }, options),
  );
  const inside = { ...options, dependsOn: [namespace] };
  new Deployment(...transformed(transform?.deployment, `${name}-operator`, operator(), inside));
  if (settings.devicePlugin) {
    new DaemonSet(...transformed(transform?.daemonSet, `${name}-device-plugin`, devicePlugin(settings), inside));
  }
  const definition = clusterPolicyDefinition();
  const kind = new CustomResourceDefinition(
    ...transformed(transform?.customResourceDefinition, `${name}-policy-kind`, definition, options),
  );
  const policy = clusterPolicy(settings);
  const afterKind = { ...options, dependsOn: [kind] };
  new CustomResource(...transformed(transform?.clusterPolicy, `${name}-policy`, policy, afterKind));
}

/** A node with its name. */
type NamedNode = NodeArgs & { readonly metadata: { readonly name: string } };

function gpuNodes(settings: FakeGpusSettings): NamedNode[] {
  const type = instanceType(settings.instanceType) as InstanceType;
  const labels = { ...gpuLabels(type), ...labelsOfOperator(type), ...settings.labels };
  const taints = mergeTaints([gpuTaint], settings.taints);
  const gpus = settings.devicePlugin ? type.gpus : 0;
  return namesOf("gpu", settings.gpuNodes).map((name) => node(name, type, { labels, taints, gpus }));
}

function systemNodes(settings: FakeGpusSettings): NamedNode[] {
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
function capacityStage(component: string): CustomResourceArgs {
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
function clusterPolicyDefinition(): CustomResourceDefinitionArgs {
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
function clusterPolicy({ devicePlugin }: FakeGpusSettings): CustomResourceArgs {
  return {
    apiVersion: "nvidia.com/v1",
    kind: "ClusterPolicy",
    metadata: { name: "cluster-policy", labels: part },
    spec: { devicePlugin: { enabled: devicePlugin } },
    status: { state: "ready", namespace: operatorNamespace },
  };
}

function operator(): DeploymentArgs {
  const labels = { ...part, app: "gpu-operator", "app.kubernetes.io/component": "gpu-operator" };
  return {
    metadata: { name: "gpu-operator", namespace: operatorNamespace, labels },
    spec: {
      selector: { matchLabels: { app: "gpu-operator" } },
      template: { metadata: { labels }, spec: { ...podSpec, nodeSelector: { type: "kwok", ...systemLabels } } },
    },
  };
}

function devicePlugin({ taints }: FakeGpusSettings): DaemonSetArgs {
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
