import * as pulumi from "@pulumi/pulumi";
import { kueueChart } from "../../core/versions";
import { gpuTolerations } from "../../gpu/health/gpu-health";
import { gpuResource } from "../shared/gpu-pod";
import type { GangQueueSettings } from "./gang-queue-schema";

const apiVersion = "kueue.x-k8s.io/v1beta2";

/** Selects namespaces by name. Every namespace has this label. */
function namespacesNamed(values: readonly pulumi.Input<string>[]) {
  return { matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values: [...values] }] };
}

/**
 * Values of the chart kueue. Its configuration replaces the chart's own as a whole.
 * @see https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/charts/kueue/values.yaml
 */
export function kueueValues({ chartVersion, controllerNodeSelector, ...settings }: GangQueueSettings) {
  const image = { repository: kueueChart.image, tag: `v${chartVersion.replace(/^v/, "")}`, pullPolicy: "IfNotPresent" };
  return {
    controllerManager: { manager: { image }, nodeSelector: controllerNodeSelector },
    managerConfig: { controllerManagerConfigYaml: pulumi.jsonStringify(configuration(settings), undefined, 2) },
  };
}

/** @see https://kueue.sigs.k8s.io/docs/reference/kueue-config.v1beta2/ */
function configuration({
  namespaces,
  podsReadyTimeoutSeconds,
}: Pick<GangQueueSettings, "namespaces" | "podsReadyTimeoutSeconds">) {
  return {
    apiVersion: "config.kueue.x-k8s.io/v1beta2",
    kind: "Configuration",
    health: { healthProbeBindAddress: ":8081" },
    metrics: { bindAddress: ":8443" },
    webhook: { port: 9443 },
    leaderElection: { leaderElect: true, resourceName: "c1f6bfd2.kueue.x-k8s.io" },
    // The integration of StatefulSets manages their pods as a group.
    integrations: { frameworks: ["batch/job", "pod", "statefulset"] },
    manageJobsWithoutQueueName: false,
    // The webhooks refuse what they cannot judge: elsewhere, pods start without Kueue.
    managedJobsNamespaceSelector: namespacesNamed(namespaces),
    // Otherwise a run that requests CPU, or a network card, needs a quota for it, too.
    resources: { quotaCheckStrategy: "IgnoreUndeclared" },
    // A quota is not a node: two runs could each get some of the nodes, and wait for the rest.
    waitForPodsReady: { timeout: `${podsReadyTimeoutSeconds}s`, blockAdmission: true },
  };
}

/** What admitted pods get: the labels of the GPU nodes as node selector, and tolerations of their taints. */
export function resourceFlavor(name: string, { nodeLabels, taints }: GangQueueSettings) {
  const spec = { nodeLabels, tolerations: gpuTolerations(taints) };
  return { apiVersion, kind: "ResourceFlavor", metadata: { name }, spec };
}

/** The quota. A run that cannot be admitted does not block smaller ones. */
export function clusterQueue(name: string, { namespaces, gpuQuota }: GangQueueSettings) {
  const resources = [{ name: gpuResource, nominalQuota: String(gpuQuota) }];
  const spec = {
    namespaceSelector: namespacesNamed(namespaces),
    queueingStrategy: "BestEffortFIFO",
    resourceGroups: [{ coveredResources: [gpuResource], flavors: [{ name, resources }] }],
  };
  return { apiVersion, kind: "ClusterQueue", metadata: { name }, spec };
}

/** The queue of a namespace, whose runs wait for the quota of the ClusterQueue. */
export function localQueue(name: string, namespace: pulumi.Input<string>, clusterQueueName: string) {
  return { apiVersion, kind: "LocalQueue", metadata: { name, namespace }, spec: { clusterQueue: clusterQueueName } };
}
