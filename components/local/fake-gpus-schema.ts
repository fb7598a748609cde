import type { CustomResourceArgs } from "@pulumi/kubernetes/apiextensions/customResource";
import type { CustomResourceDefinitionArgs } from "@pulumi/kubernetes/apiextensions/v1/customResourceDefinition";
import type { DaemonSetArgs } from "@pulumi/kubernetes/apps/v1/daemonSet";
import type { DeploymentArgs } from "@pulumi/kubernetes/apps/v1/deployment";
import type { NamespaceArgs } from "@pulumi/kubernetes/core/v1/namespace";
import type { NodeArgs } from "@pulumi/kubernetes/core/v1/node";
import { s, defaultsOf, problemsIn, type GivenOf, type ValueOf } from "../core/schema";
import { labelValue } from "../core/kubernetes-names";
import type { Problem } from "../core/problems";
import { transformOf, type Transform } from "../core/transform";
import { instanceTypeName } from "../nodes/machine/instance-types";
import { taintList } from "../nodes/scheduling/taints";

/** More nodes than a learner can look at; KWOK itself has no such limit. */
const mostNodes = 100;

/** Adjusts each underlying resource before it is created. */
export interface FakeGpusTransform {
  readonly node?: Transform<NodeArgs>;
  readonly stage?: Transform<CustomResourceArgs>;
  readonly daemonSet?: Transform<DaemonSetArgs>;
  readonly deployment?: Transform<DeploymentArgs>;
  readonly namespace?: Transform<NamespaceArgs>;
  readonly customResourceDefinition?: Transform<CustomResourceDefinitionArgs>;
  readonly clusterPolicy?: Transform<CustomResourceArgs>;
}

/** Arguments of FakeGpus. */
export const fakeGpus = s.section({
  /** Number of GPU nodes, 1 to 100. @default 2 - the most that a lab needs */
  gpuNodes: s.optional(s.wholeNumber({ min: 1, max: mostNodes, unit: "nodes" }), 2),
  /** EC2 type whose GPUs, CPUs, memory and pods a GPU node has. @default "g5.xlarge" - one A10G, the type of the labs */
  instanceType: s.optional(instanceTypeName("gpu"), "g5.xlarge"),
  /** Labels of the GPU nodes in addition to `tier=gpu` and the labels of the GPU Operator. @default {} - none */
  labels: s.optional(s.mapOf(labelValue(), '{ team: "research" }'), {}),
  /** Taints of the GPU nodes in addition to `nvidia.com/gpu`. @default [] - none */
  taints: s.optional(taintList(), []),
  /** Number of nodes without GPUs, 1 to 100. @default 2 - as in the environment on AWS */
  systemNodes: s.optional(s.wholeNumber({ min: 1, max: mostNodes, unit: "nodes" }), 2),
  /** EC2 type of the nodes without GPUs. @default "t3.medium" - as in the environment on AWS */
  systemInstanceType: s.optional(instanceTypeName("system"), "t3.medium"),
  /**
   * Whether the nodes advertise their GPUs, as they do while the device plugin runs. Without it they advertise 0, and the
   * ClusterPolicy says that the plugin is disabled.
   * @default true - off only to show what breaks without it
   */
  devicePlugin: s.optional(s.flag(), true),
  /** Adjusts the underlying resources. @default none - none is adjusted */
  transform: s.optional(
    transformOf<FakeGpusTransform>({
      ...{ node: true, stage: true, daemonSet: true, deployment: true, namespace: true },
      ...{ customResourceDefinition: true, clusterPolicy: true },
    }),
  ),
});

export interface FakeGpusArgs extends Readonly<GivenOf<typeof fakeGpus>> {}

export type FakeGpusSettings = Omit<ValueOf<typeof fakeGpus>, "transform">;

export const fakeGpusDefaults = defaultsOf(fakeGpus);

/** Every problem in the arguments of FakeGpus. `at` is the prefix of the paths. */
export function fakeGpusProblems(args: FakeGpusArgs, at = ""): readonly Problem[] {
  return problemsIn(fakeGpus, args, at);
}
