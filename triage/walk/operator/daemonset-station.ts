import type { Finding } from "../../finding";
import type { DaemonSet } from "../../objects/workloads";
import { duration, secondsBetween } from "../age";
import { containerFindings } from "../pod/containers";
import { startFindings } from "../pod/starting";
import type { Scene } from "../scene";
import { first, some, type Seen } from "../seen";
import { notFullyReady } from "./not-fully-ready";
import { belowGpuNodes, pluginMissing } from "./plugin-coverage";
import { neighbours } from "./plugin-daemonsets";
import { failOnInitErrorOff, recreated, withoutGpus } from "./plugin-health";

const mostPods = 10;

/** Third station: the DaemonSet that tells the kubelets about their GPUs. */
export function daemonSetStation(scene: Scene): Seen {
  if (!scene.sees("daemonsets")) return { lines: [], findings: [] };
  const { items: pods, leftOut } = first(operatorPods(scene), mostPods, "pod", "of the operator");
  const findings = [
    ...pluginMissing(scene),
    ...belowGpuNodes(scene),
    ...withoutGpus(scene),
    ...failOnInitErrorOff(scene),
    ...recreated(scene),
    ...pods,
    ...notFullyReady(scene, new Set(pods.flatMap((finding) => finding.pods))),
  ];
  return { lines: linesOf(scene), findings, leftOut };
}

function linesOf(scene: Scene): string[] {
  const describe = ({ metadata, status }: DaemonSet) => {
    const age = secondsBetween(metadata.creationTimestamp, scene.now);
    const born = age === undefined ? "" : `, ${duration(age)} old`;
    return `${metadata.namespace ?? ""}/${metadata.name}: ${status.numberReady} of ${status.desiredNumberScheduled} ready${born}`;
  };
  const others = neighbours(scene).map(({ metadata }) => metadata.name);
  const plugins = scene.devicePlugins.map(describe);
  return [
    ...(plugins.length > 0 ? plugins : ["no DaemonSet of the NVIDIA device plugin"]),
    ...(others.length > 0 ? [`beside it in ${scene.operatorNamespace}: ${some(others, 4)}`] : []),
  ];
}

/** The operator's pods that keep ending; its own Deployment belongs to the next station. */
function operatorPods(scene: Scene): Finding[] {
  return scene.dump.objects.pods
    .filter(({ metadata }) => metadata.namespace === scene.operatorNamespace)
    .filter(({ metadata }) => metadata.ownerReferences.some(({ kind }) => kind === "DaemonSet"))
    .flatMap((pod) => [...startFindings(pod, scene), ...containerFindings(pod, scene, "operator-pod-crash-loop")]);
}
