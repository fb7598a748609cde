import { CustomResource } from "@pulumi/kubernetes/apiextensions/customResource";
import { CustomResourceDefinition } from "@pulumi/kubernetes/apiextensions/v1/customResourceDefinition";
import { DaemonSet } from "@pulumi/kubernetes/apps/v1/daemonSet";
import { Deployment } from "@pulumi/kubernetes/apps/v1/deployment";
import { Namespace } from "@pulumi/kubernetes/core/v1/namespace";
import { Node, type NodeArgs } from "@pulumi/kubernetes/core/v1/node";
import * as pulumi from "@pulumi/pulumi";
import { refuseWithoutProvider } from "../core/kubernetes-provider";
import { childOptions } from "../core/options";
import { resolveArgs } from "../core/schema";
import { token } from "../core/tokens";
import { transformed } from "../core/transform";
import {
  capacityStage,
  clusterPolicy,
  clusterPolicyDefinition,
  devicePlugin,
  gpuNodes,
  operator,
  operatorNamespace,
  systemNodes,
} from "./fake-gpus-manifests";
import { fakeGpus, type FakeGpusArgs, type FakeGpusSettings, type FakeGpusTransform } from "./fake-gpus-schema";

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
