import type { Finding } from "../../finding";
import type { Pod } from "../../objects/pod";
import { duration, secondsBetween, settlingSeconds } from "../age";
import { podName } from "../about";
import { jobFindings } from "../job/failed-jobs";
import { asksForGpu, badEnds, endsToRepeat, gpuRequest, isPending, isUnwell, selects } from "../pods";
import { askedPod, conditionOf, grouped, nodeNamed, type Scene } from "../scene";
import { counted, first, some, type Seen } from "../seen";
import { containerFindings } from "./containers";
import { pendingFindings } from "./pending";
import { schedulingOf } from "./scheduling";
import { notStarted, startFindings } from "./starting";
import { stopFindings } from "./stopped";
import { missingLimit } from "./workload-hints";

/** More groups of pods than this make no better conclusion. */
const mostGroups = 20;

/** First station: why does a pod not run? */
export function podStation(scene: Scene): Seen {
  const { subject } = scene.dump;
  if (subject?.kind === "pod") {
    const pod = askedPod(scene);
    if (!pod) return { lines: [`${subject.namespace}/${subject.name} could not be read`], findings: [] };
    return { lines: [lineOf(pod, scene)], findings: findingsOf(pod, scene, true) };
  }
  return survey(scene);
}

function findingsOf(pod: Pod, scene: Scene, asked: boolean): Finding[] {
  return [...runFindings(pod, scene, asked), ...missingLimit(pod, asked), ...jobs([pod], scene)];
}

/** Why a pod does not run. Of one that was asked about, or has had the time to start, silence is no answer. */
function runFindings(pod: Pod, scene: Scene, asked: boolean): Finding[] {
  const found = [
    ...pendingFindings(pod, scene),
    ...startFindings(pod, scene),
    ...containerFindings(pod, scene),
    ...stopFindings(pod, scene, asked),
  ];
  const overdue = pod.status.phase === "Pending" && (ageOf(pod, scene) ?? 0) > settlingSeconds;
  const isDown = isUnwell(pod) || badEnds(pod).length + endsToRepeat(pod).length > 0;
  const unwell = overdue ? isUnwell(pod) : asked && isDown;
  return found.length === 0 && unwell ? [notStarted(pod, scene)] : found;
}

function ageOf({ metadata }: Pod, { now }: Scene): number | undefined {
  return secondsBetween(metadata.creationTimestamp, now);
}

/** Pods that are alike stand for each other. */
function survey(scene: Scene): Seen {
  const pods = workloads(scene);
  const pending = pods.filter(isPending);
  const groups = first([...grouped(pending, likeness).values()], mostGroups, "group", "of waiting pods");
  const others = pods.filter((pod) => !isPending(pod));
  const placed = others.filter(asksForGpu);
  const starts = others.filter((pod) => !asksForGpu(pod)).flatMap((pod) => startFindings(pod, scene));
  const started = first(starts, mostGroups, "pod", "without a GPU that cannot start");
  const limits = first(
    pods.flatMap((pod) => missingLimit(pod, false)),
    mostGroups,
    "pod",
    "without a GPU in its limits",
  );
  const lines = [
    ...groups.items.map(([one, ...more]) => (one ? lineOf(one, scene, more.length) : "")),
    ...groups.leftOut.map((text) => `${text} not shown`),
    gpuPodsLine(placed),
  ];
  const findings = [
    ...groups.items.flatMap(([one]) => (one ? pendingFindings(one, scene) : [])),
    ...placed.flatMap((pod) => runFindings(pod, scene, false)),
    ...started.items,
    ...limits.items,
    ...jobs(pods, scene),
  ];
  const leftOut = [...groups.leftOut, ...started.leftOut, ...limits.leftOut];
  return { lines: scene.sees("pods") ? lines : [], findings, leftOut };
}

/** The pods a survey is about: not the operator's own, which the DaemonSet station sees to. */
function workloads(scene: Scene): readonly Pod[] {
  const { dump, operatorNamespace } = scene;
  const { subject, namespace } = dump;
  return dump.objects.pods.filter((pod) => {
    const home = pod.metadata.namespace;
    if (home === operatorNamespace || home === "kube-system") return false;
    if (namespace !== undefined && home !== namespace) return false;
    if (subject?.kind !== "node") return true;
    const node = nodeNamed(scene, subject.name);
    return pod.spec.nodeName === subject.name || (isPending(pod) && node !== undefined && selects(pod.spec, node));
  });
}

function jobs(pods: readonly Pod[], scene: Scene): Finding[] {
  const { subject, namespace } = scene.dump;
  const owned = new Set(pods.flatMap(({ metadata }) => metadata.ownerReferences.map(({ name }) => name)));
  return scene.dump.objects.jobs
    .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace)
    .filter(({ metadata }) => subject === undefined || owned.has(metadata.name))
    .flatMap((job) => jobFindings(job, scene));
}

/** What pods have in common that wait for the same: who made them, or, of pods that nobody made, what they ask for. */
function likeness(pod: Pod): string {
  const { namespace = "", ownerReferences } = pod.metadata;
  const [owner] = ownerReferences;
  const { message } = conditionOf(pod.status.conditions, "PodScheduled") ?? {};
  return JSON.stringify([namespace, owner ? [owner.kind, owner.name] : [pod.spec, message]]);
}

function lineOf(pod: Pod, scene: Scene, others = 0): string {
  const { message, healedAt } = schedulingOf(pod, scene);
  const age = ageOf(pod, scene);
  const asks = [...gpuRequest(pod.spec)].map(([name, amount]) => `${amount} ${name}`).join(", ");
  const parts = [
    `${podName(pod)}${others > 0 ? ` and ${others} more like it` : ""}: ${pod.status.phase || "phase not known"}`,
    ...(pod.spec.nodeName === undefined ? [] : [`on ${pod.spec.nodeName}`]),
    ...(age === undefined ? [] : [`${duration(age)} old`]),
    asks === "" ? "asks for no GPU" : `asks for ${asks}`,
    ...(message && isPending(pod)
      ? [
          `of ${message.nodes ?? "?"} nodes: ${some(
            message.reasons.map(({ nodes, text }) => `${nodes ?? "all"} ${text}`),
            4,
          )}`,
        ]
      : []),
    ...(healedAt !== undefined && !isPending(pod) ? ["was refused first and placed later"] : []),
  ];
  return parts.join(", ");
}

function gpuPodsLine(placed: readonly Pod[]): string {
  const running = placed.filter(({ status }) => status.phase === "Running").length;
  if (placed.length === 0) return "no pod has got a GPU";
  return `${counted(placed.length, "pod")} with GPUs placed, ${running} running`;
}
