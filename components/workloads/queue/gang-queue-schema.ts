import type { CustomResourceArgs } from "@pulumi/kubernetes/apiextensions/customResource";
import type { NamespaceArgs } from "@pulumi/kubernetes/core/v1/namespace";
import type { ReleaseArgs } from "@pulumi/kubernetes/helm/v3/release";
import * as semver from "semver";
import * as v from "valibot";
import { chartRepository, chartVersion, installTimeout } from "../../core/helm-chart";
import { dnsLabel, labels, namespace as namespaceName, newNamespace } from "../../core/kubernetes-names";
import { clusterResource } from "../../core/options";
import type { Problem } from "../../core/problems";
import { join } from "../../core/reader/paths";
import { s, defaultsOf, problemsIn, type GivenOf, type ValueOf } from "../../core/schema";
import { transformOf, type Transform } from "../../core/transform";
import { kueueChart as chart } from "../../core/versions";
import { taintList } from "../../nodes/scheduling/taints";

/** Adjusts each underlying resource before it is created. */
export interface GangQueueTransform {
  readonly namespace?: Transform<NamespaceArgs>;
  readonly release?: Transform<ReleaseArgs>;
  readonly resourceFlavor?: Transform<CustomResourceArgs>;
  readonly clusterQueue?: Transform<CustomResourceArgs>;
  readonly localQueue?: Transform<CustomResourceArgs>;
}

const section = s.section({
  /** The GPUs that all admitted runs together can hold: those of all nodes that the runs can use, 1 to 10000. */
  gpuQuota: s.wholeNumber({ min: 1, max: 10_000, unit: "GPUs" }),
  /**
   * Namespaces of the runs, which must exist. Each gets a LocalQueue. In these namespaces only, Kueue's webhooks are called for
   * new pods, Jobs and StatefulSets: while Kueue does not run, none can be created there.
   */
  namespaces: s.list(namespaceName(), '["gpu-lab"]', { notEmpty: true, distinct: true }),
  /**
   * Name of the LocalQueues, which the label `kueue.x-k8s.io/queue-name` of a run states. Not `default`: Kueue puts all runs
   * of a namespace into that queue.
   *
   * @default "gpu" - the runs state it, so that a run without it is not delayed
   */
  queueName: s.optional(dnsLabel({ example: "gpu" }), "gpu"),
  /**
   * How long the pods of an admitted run may take until all are ready, in seconds: 10 to 86400. After that, Kueue stops
   * the pods, and the run waits again. Until all are ready, no other run is admitted.
   *
   * @default 900 - a GPU node starts and pulls an image of several GB in less
   */
  podsReadyTimeoutSeconds: s.optional(s.wholeNumber({ min: 10, max: 86_400, unit: "seconds" }), 900),
  /** Labels of the GPU nodes: admitted pods get them as node selector. @default { tier: "gpu" } - as the nodes of a GpuNodeGroup */
  nodeLabels: s.optional(labels('{ tier: "gpu" }'), { tier: "gpu" }),
  /** Taints of the GPU nodes: admitted pods tolerate them. @default [] - nvidia.com/gpu:NoSchedule is always tolerated */
  taints: s.optional(taintList(), []),
  /**
   * Labels of the nodes that run the controller. `{ tier: "primary" }` selects the nodes of a SystemNodeGroup; a GPU
   * node is terminated with its session.
   *
   * @default {} - any node without a taint: the component does not know the cluster's nodes
   */
  controllerNodeSelector: s.optional(labels('{ tier: "primary" }'), {}),
  /** One exact version of the chart, 0.19.0 or newer. @default the pinned version - it never floats */
  chartVersion: s.optional(chartVersion(chart), chart.version),
  /**
   * Full reference of the chart in an OCI registry, or an https repository.
   * @default the project's registry - a mirror outlasts outages
   */
  repository: s.optional(chartRepository(chart, { oci: true }), chart.repository),
  /** Namespace that the component creates for the controller. @default "kueue-system" - as in Kueue's documentation */
  namespace: s.optional(newNamespace("kueue-system"), "kueue-system"),
  /** How long Helm waits for the controller, in seconds: 60 to 3600. @default 600 - a new node pulls the image first */
  timeoutSeconds: s.optional(installTimeout(), 600),
  /**
   * The cluster: on destroy, the release and the queues are deleted with the cluster, without a call to an API server that may
   * be gone.
   *
   * @default none - Helm uninstalls the release
   */
  cluster: s.optional(clusterResource()),
  /** Adjusts the underlying resources. @default none - none is adjusted */
  transform: s.optional(
    transformOf<GangQueueTransform>({
      ...{ namespace: true, release: true, resourceFlavor: true, clusterQueue: true, localQueue: true },
    }),
  ),
});

/** Arguments of a GangQueue. */
export const gangQueue = v.pipe(section, s.check(conflicts));

export interface GangQueueArgs extends Readonly<GivenOf<typeof gangQueue>> {}

export const gangQueueDefaults = defaultsOf(section);

/** Every problem in the arguments of a GangQueue. `at` is the prefix of the paths. */
export function gangQueueProblems(args: GangQueueArgs, at = ""): readonly Problem[] {
  return problemsIn(gangQueue, args, at);
}

/** The arguments without what only the resources need. */
export type GangQueueSettings = Omit<ValueOf<typeof section>, "cluster" | "transform">;

/** The first version that by default counts only the resources of a quota, here GPUs. */
const oldest = "0.19.0";

function conflicts({ queueName, namespaces, namespace, chartVersion: got }: ValueOf<typeof section>, at: string) {
  const problems: Problem[] = [];
  const path = (key: string) => join(at, key);
  if (queueName === "default") {
    const why =
      "Kueue puts all runs of a namespace into a queue with this name, including pods that do not belong to a run.";
    const fix = `set ${path("queueName")} to another name, such as "gpu"`;
    problems.push({ code: "not-allowed", path: path("queueName"), got: queueName, why, fix });
  }
  if (semver.lt(got, oldest)) {
    const why = "Older versions do not admit a run that requests a resource without a quota, such as CPU.";
    const fix = `set ${path("chartVersion")} to "${oldest}" or newer`;
    problems.push({ code: "version", path: path("chartVersion"), got, why, fix });
  }
  namespaces.forEach((name, index) => {
    if (name !== "kube-system" && name !== namespace) return;
    const why =
      "Kueue refuses to start if it manages this namespace: its webhooks could block objects that Kueue itself needs.";
    const item = `${path("namespaces")}[${index}]`;
    problems.push({ code: "not-allowed", path: item, got: name, why, fix: `remove ${item}` });
  });
  return problems;
}
