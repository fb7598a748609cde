import type { Conclusion, ConclusionId } from "../../../triage/conclusions";
import type { Evidence } from "../../../triage/conclusions/entry";
import type { Dump } from "../../../triage/snapshot/dump";
import { allObjects, type KubernetesObject, type Node, type Pod } from "../../../triage/snapshot/objects/resources";
import type { Report } from "../../../triage/triage";

/** What conclusions of the confidence `certain` state that is not in the dump; written without the code of the checks. */
export function contradictions({ conclusions }: Report, dump: Dump): string[] {
  return conclusions
    .filter(({ confidence }) => confidence === "certain")
    .flatMap((conclusion) => {
      const wrong = conclusion.evidence.filter((one) => !isInDump(one, dump));
      const isTrue = statements[conclusion.id]?.(conclusion, dump) ?? true;
      return [
        ...wrong.map(({ object, field, value }) => `${conclusion.id}: ${object}: ${field} = ${value}`),
        ...(isTrue ? [] : [`${conclusion.id}: ${conclusion.what}`]),
      ];
    });
}

/** Whether the object of a piece of evidence has the value, or is missing as stated. */
function isInDump({ object, field, value }: Evidence, dump: Dump): boolean {
  const [, namespace, kind, name] = /^(?:-n (\S+) )?([a-z]+)\/(\S+)$/.exec(object) ?? [];
  if (kind === undefined || name === undefined) return true;
  if (field === "log")
    return dump.logs.some((one) => one.pod === name && one.lines.includes(value)) || dump.journal.includes(value);
  if (field.startsWith("event ")) {
    return dump.objects.events.some(
      ({ reason, message, involvedObject: about }) =>
        `event ${reason}` === field && about.name === name && value.startsWith(message),
    );
  }
  const found = allObjects(dump.objects).find(
    ({ kind: own, metadata }) =>
      own.toLowerCase() === (kind === "pvc" ? "persistentvolumeclaim" : kind) &&
      metadata.name === name &&
      (namespace === undefined || metadata.namespace === namespace),
  );
  if (field === "metadata.name" && value === "missing") return found === undefined;
  if (!found) return /missing|does not exist|not read/.test(value);
  const [, type] = /^condition (\w+)$/.exec(field) ?? [];
  if (type !== undefined) {
    const condition = conditionsOf(found).find((one) => one.type === type);
    return condition
      ? value.includes(condition.reason ?? "") || value.includes(condition.message ?? "")
      : value === "missing";
  }
  const [, amounts, resource] = /^status\.(allocatable|capacity)\[([^\]]+)\]$/.exec(field) ?? [];
  if (amounts === undefined || resource === undefined || found.kind !== "Node") return true;
  const amount = found.status[amounts as "allocatable" | "capacity"][resource];
  return amount === undefined ? value === "missing" : value.includes(amount);
}

function conditionsOf(object: KubernetesObject) {
  return "status" in object && "conditions" in object.status ? object.status.conditions : [];
}

type Statement = (conclusion: Conclusion, dump: Dump) => boolean;

const nodesOf = ({ nodes }: Conclusion, { objects }: Dump) =>
  objects.nodes.filter(({ metadata }) => nodes.includes(metadata.name));
const podsOf = ({ pods }: Conclusion, { objects }: Dump) =>
  objects.pods.filter(({ metadata }) => pods.includes(`${metadata.namespace ?? "default"}/${metadata.name}`));
const gpu = "nvidia.com/gpu";
const isGpu = (resource: string) => resource.startsWith("nvidia.com/");
const offersGpus = ({ status }: Node) =>
  Object.entries(status.allocatable).some(([name, amount]) => isGpu(name) && Number(amount) > 0);
const offersAllGpus = ({ status }: Node) =>
  Number(status.allocatable[gpu]) > 0 && Number(status.allocatable[gpu]) >= Number(status.capacity[gpu]);
const everyNode =
  (holds: (node: Node) => boolean): Statement =>
  (conclusion, dump) =>
    nodesOf(conclusion, dump).every(holds);
const condition = (type: string, holds: (status: string | undefined) => boolean) =>
  everyNode(({ status }) => holds(status.conditions.find((one) => one.type === type)?.status));
const someStatus =
  (holds: (waiting: string, pod: Pod) => boolean): Statement =>
  (conclusion, dump) =>
    podsOf(conclusion, dump).every((pod) =>
      [...pod.status.initContainerStatuses, ...pod.status.containerStatuses].some(({ state }) =>
        holds(state.waiting?.reason ?? "", pod),
      ),
    );

function amountsOf({ spec }: Pod): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { resources: own } of spec.containers) {
    for (const [name, amount] of Object.entries({ ...own.requests, ...own.limits })) {
      if (isGpu(name)) sums.set(name, (sums.get(name) ?? 0) + Number(amount));
    }
  }
  return sums;
}

/** GPUs that a node has and that no pod on it holds, if the node takes new pods. */
function freeOn(node: Node, resource: string, { objects }: Dump): number {
  const ready = node.status.conditions.find(({ type }) => type === "Ready");
  if (node.spec.unschedulable === true || (ready && ready.status !== "True")) return 0;
  const held = objects.pods
    .filter(({ spec, status }) => spec.nodeName === node.metadata.name && !/^(Failed|Succeeded)$/.test(status.phase))
    .reduce((sum, pod) => sum + (amountsOf(pod).get(resource) ?? 0), 0);
  return Number(node.status.allocatable[resource] ?? 0) - held;
}

function accepts({ spec, metadata }: Node, pod: Pod): boolean {
  const isTolerated = spec.taints.every(({ key, effect }) =>
    pod.spec.tolerations.some(
      (one) => (one.key === undefined || one.key === key) && (one.effect === undefined || one.effect === effect),
    ),
  );
  const isSelected = Object.entries(pod.spec.nodeSelector).every(([key, value]) => metadata.labels[key] === value);
  const terms = pod.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
  return isTolerated && isSelected && terms.length === 0;
}

/** No node has free GPUs for the whole request of the pod. */
const noFreeGpus: Statement = (conclusion, dump) =>
  podsOf(conclusion, dump).every((pod) => {
    const wanted = [...amountsOf(pod)];
    return !dump.objects.nodes.some(
      (node) => accepts(node, pod) && wanted.every(([resource, amount]) => freeOn(node, resource, dump) >= amount),
    );
  });

const notCreated: Statement = ({ subject }, { objects }) =>
  objects.replicasets.every(
    ({ metadata, spec, status }) =>
      subject !== `replicaset ${metadata.namespace ?? ""}/${metadata.name}` || status.replicas < spec.replicas,
  );

const statements: Partial<Record<ConclusionId, Statement>> = {
  "insufficient-gpu": noFreeGpus,
  "gpus-in-use": (conclusion, dump) =>
    noFreeGpus(conclusion, dump) &&
    (!conclusion.what.startsWith("Every") ||
      dump.objects.nodes.every((node) =>
        podsOf(conclusion, dump).every(
          (pod) => !accepts(node, pod) || freeOn(node, gpu, dump) <= 0 || amountsOf(pod).get(gpu) === undefined,
        ),
      )),
  "terminating-pod-holds-gpu": (conclusion, { objects }) =>
    conclusion.evidence.every(({ object }) =>
      objects.pods.some(
        ({ metadata }) => object.endsWith(`/${metadata.name}`) && metadata.deletionTimestamp !== undefined,
      ),
    ),
  "no-gpu-nodes": (_conclusion, { objects }) => !objects.nodes.some(offersGpus),
  "gpu-allocatable-zero": everyNode((node) => !offersGpus(node)),
  "gpu-allocatable-missing": everyNode(({ status }) => status.allocatable[gpu] === undefined),
  "device-plugin-without-gpus": everyNode((node) => !offersGpus(node)),
  "device-plugin-missing": ({ what, nodes }, dump) =>
    !dump.objects.daemonsets.some(({ metadata }) => metadata.name.includes("nvidia-device-plugin")) &&
    new RegExp(`\\b${nodes.length} GPU nodes? cannot`).test(what) &&
    dump.objects.nodes.filter(({ metadata }) => nodes.includes(metadata.name)).every((node) => !offersGpus(node)),
  "gpu-operator-not-installed": ({ nodes }, { objects }) =>
    objects.clusterpolicies.length === 0 &&
    objects.nodes.filter(({ metadata }) => nodes.includes(metadata.name)).every((node) => !offersGpus(node)),
  "gpu-operator-not-ready": (_conclusion, { objects }) =>
    objects.deployments
      .filter(({ metadata }) => metadata.name === "gpu-operator")
      .every(({ spec, status }) => spec.replicas === 0 || status.readyReplicas < spec.replicas),
  "device-plugin-disabled": (_conclusion, { objects }) =>
    objects.clusterpolicies.some(({ spec }) => spec.devicePlugin.enabled === false),
  "device-plugin-below-gpu-nodes": ({ what }, { objects }) => {
    const plugins = objects.daemonsets.filter(({ metadata }) => /nvidia-device-plugin/.test(metadata.name));
    return what.includes(` ${plugins.reduce((sum, { status }) => sum + status.numberReady, 0)} of `);
  },
  "two-device-plugins": (conclusion, dump) =>
    dump.objects.daemonsets.filter(({ metadata, spec }) =>
      /nvidia-device-plugin|k8s-device-plugin/.test(JSON.stringify([metadata.name, spec.template.spec.containers])),
    ).length +
      (nodesOf(conclusion, dump).some(({ status }) => status.nodeInfo.osImage?.includes("nvidia")) ? 1 : 0) >
    1,
  "node-not-ready": condition("Ready", (status) => status !== "True"),
  "node-cordoned": everyNode(({ spec }) => spec.unschedulable === true),
  "accelerated-hardware-not-ready": condition("AcceleratedHardwareReady", (status) => status === "False"),
  "dcgm-false-alarm": condition("AcceleratedHardwareReady", (status) => status === "False"),
  "container-runtime-not-ready": condition("ContainerRuntimeReady", (status) => status === "False"),
  "kernel-not-ready": condition("KernelReady", (status) => status === "False"),
  "networking-not-ready": condition("NetworkingReady", (status) => status === "False"),
  "storage-not-ready": condition("StorageReady", (status) => status === "False"),
  "disk-full": condition("DiskPressure", (status) => status === "True"),
  "mig-config-failed": everyNode(({ metadata }) => metadata.labels["nvidia.com/mig.config.state"] === "failed"),
  "gpu-label-missing": everyNode((node) => !offersGpus(node)),
  "gpu-driver-missing": everyNode((node) => !offersAllGpus(node)),
  "gpu-xid-error": everyNode((node) => !offersAllGpus(node)),
  "plugin-finds-no-devices": everyNode((node) => !offersAllGpus(node)),
  "scale-up-failed": ({ evidence }, { objects }) =>
    objects.nodes.every(
      ({ metadata }) =>
        !evidence.every(({ at = "" }) => (metadata.creationTimestamp ?? "") > at) || evidence.length === 0,
    ),
  "image-pull": someStatus((waiting) => /Image|Pull/.test(waiting)),
  "container-start": someStatus((waiting) => /Error$/.test(waiting)),
  "crash-loop": someStatus((waiting) => waiting === "CrashLoopBackOff"),
  "operator-pod-crash-loop": someStatus((waiting) => waiting === "CrashLoopBackOff"),
  "pod-sandbox": (conclusion, dump) => podsOf(conclusion, dump).every(({ status }) => status.phase === "Pending"),
  "volume-mount": (conclusion, dump) => podsOf(conclusion, dump).every(({ status }) => status.phase === "Pending"),
  evicted: (conclusion, dump) => podsOf(conclusion, dump).every(({ status }) => status.phase === "Failed"),
  "gpu-not-allocated": (conclusion, dump) => podsOf(conclusion, dump).every(({ status }) => status.phase === "Failed"),
  "admission-rejected": (conclusion, dump) => podsOf(conclusion, dump).every(({ status }) => status.phase === "Failed"),
  "pod-failed": (conclusion, dump) => podsOf(conclusion, dump).every(({ status }) => status.phase === "Failed"),
  "untolerated-taint": everyNode(({ spec }) => spec.taints.length > 0),
  "unbound-volume-claim": (conclusion, { objects }) =>
    conclusion.evidence
      .filter(({ object }) => object.includes(" pvc/"))
      .every(({ value }) => !value.startsWith("Bound")) &&
    (objects.persistentvolumeclaims.length === 0 ||
      objects.persistentvolumeclaims.some(({ status }) => status.phase !== "Bound") ||
      conclusion.evidence.some(({ value }) => value === "does not exist")),
  "insufficient-resource": (conclusion, dump) =>
    podsOf(conclusion, dump).every(({ spec }) => spec.nodeName === undefined),
  "resource-not-offered": ({ what }, { objects }) => {
    const resource = /offers (\S+),/.exec(what)?.[1] ?? "";
    return objects.nodes.every(({ status }) => Number(status.allocatable[resource] ?? 0) === 0);
  },
  "job-failed": ({ subject }, { objects }) => hasFailed(subject, objects),
  "job-out-of-time": ({ subject }, { objects }) => hasFailed(subject, objects),
  "quota-exceeded": notCreated,
  "pod-security-violation": notCreated,
  "pods-not-created": notCreated,
};

function hasFailed(subject: string, { jobs }: Dump["objects"]): boolean {
  return jobs.some(
    ({ metadata, status }) =>
      subject === `job ${metadata.namespace ?? "default"}/${metadata.name}` &&
      status.conditions.some(({ type, status: value }) => /^Fail(?:ed|ureTarget)$/.test(type) && value === "True"),
  );
}

/** The conclusions whose statement is checked, besides their evidence. */
export const checkedStatements = Object.keys(statements) as readonly ConclusionId[];
