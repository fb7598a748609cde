import { CustomResource } from "@pulumi/kubernetes/apiextensions/customResource";
import * as pulumi from "@pulumi/pulumi";
import { chartSource } from "../../core/helm-chart";
import { makeReleaseInNamespace } from "../../core/helm-release";
import { dnsLabel } from "../../core/kubernetes-names";
import { refuseWithoutProvider } from "../../core/kubernetes-provider";
import { childOptions } from "../../core/options";
import { problemsIn, resolveArgs } from "../../core/schema";
import { token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { kueueChart } from "../../core/versions";
import { clusterQueue, kueueValues, localQueue, resourceFlavor } from "./gang-queue-objects";
import { gangQueue, type GangQueueArgs } from "./gang-queue-schema";

/**
 * Starts a training run only when there is a GPU for each of its pods: Kueue, a quota of GPUs, and a queue in each namespace of
 * the runs. Without it, two runs can each hold a part of the GPUs, and wait for the rest forever.
 *
 * Kueue manages Jobs, StatefulSets and pod groups with the labels of `queueLabels`. While a run waits, its pods have a scheduling
 * gate. All others start as before. The label of a StatefulSet cannot change while a pod of it is ready: replace it.
 *
 * Set `dependsOn` of the runs to this component, so that they end first when the stack is destroyed. A ClusterQueue stays until
 * its runs have ended.
 *
 * @see https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/
 * @cost No additional charge. 500m CPU and 512 MiB of a node.
 * @throws InputError with every problem of the arguments, before any resource is created
 */
export class GangQueue extends pulumi.ComponentResource {
  readonly clusterQueueName: pulumi.Output<string>;
  /** Labels of a run that waits in the queue of its namespace. */
  readonly queueLabels: Readonly<Record<string, string>>;
  /** Helm's status of the release, e.g. `deployed` or `failed`. */
  readonly status: pulumi.Output<string>;

  constructor(name: string, args: GangQueueArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = `GangQueue "${name}"`;
    const misnamed = problemsIn(dnsLabel({ example: "gpu" }), name, "name");
    const { cluster, transform = {}, ...settings } = resolveArgs(subject, gangQueue, args, misnamed);
    super(token("GangQueue"), name, settings, opts);
    refuseWithoutProvider(subject, this, undefined, "its objects");
    const options = childOptions(this, opts, cluster);

    const chart = {
      name: kueueChart.name,
      ...chartSource(settings.repository, kueueChart.name),
      values: kueueValues(settings),
      // Kueue's pods need no permissions.
      labels: { "pod-security.kubernetes.io/enforce": "restricted" },
    };
    const { release } = makeReleaseInNamespace(name, settings, chart, transform, options);
    // Kueue itself ends the objects, so it must run until they are gone.
    const inQueue = { ...options, dependsOn: release, deleteBeforeReplace: true };
    const make = (key: "resourceFlavor" | "clusterQueue" | "localQueue", logical: string, object: object, more = {}) =>
      new CustomResource(...transformed(transform[key], logical, object as never, { ...inQueue, ...more }));
    const flavor = make("resourceFlavor", `${name}-flavor`, resourceFlavor(name, settings));
    const queue = make("clusterQueue", `${name}-queue`, clusterQueue(name, settings), { dependsOn: [release, flavor] });
    settings.namespaces.forEach((namespace, index) => {
      const logical = `${name}-${typeof namespace === "string" ? namespace : index + 1}`;
      // The API server rejects another ClusterQueue of a LocalQueue that exists.
      const more = { dependsOn: queue, replaceOnChanges: ["spec.clusterQueue"] };
      make("localQueue", logical, localQueue(settings.queueName, namespace, name), more);
    });

    this.clusterQueueName = queue.metadata.name;
    this.queueLabels = { "kueue.x-k8s.io/queue-name": settings.queueName };
    this.status = release.status.status;
    const { clusterQueueName, queueLabels, status } = this;
    this.registerOutputs({ clusterQueueName, queueLabels, status });
  }
}
