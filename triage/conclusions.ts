import type { Doubt, StepList, Steps } from "./known-causes/known-cause";
import { knownCauseIds, knownLayer, knownMeaning, type KnownCauseId } from "./known-causes/table";

/** Conclusions that a check draws from the state of objects. Those from messages are in the table of known causes. */
const stateConclusions = {
  pod: {
    "insufficient-gpu": "no node has enough free GPUs of the requested resource",
    "insufficient-resource": "the nodes have too little CPU, memory or another resource left",
    "resource-not-offered":
      "no node offers an extended resource that the pod requests, such as `vpc.amazonaws.com/efa`",
    "untolerated-taint": "a taint repels the pod from every node that it could use; lifecycle taints do not count",
    "node-selector-mismatch": "no node has the labels that the pod selects",
    "unbound-volume-claim": "a PersistentVolumeClaim of the pod is not bound",
    "resource-claim": "a ResourceClaim of the pod (DRA) does not exist or cannot be allocated",
    "topology-spread": "the topology spread constraints exclude every node",
    "image-pull": "the image cannot be pulled",
    "not-schedulable":
      "the scheduler gives another reason, a scheduling gate keeps the pod Pending, or the data contains no reason",
    "rollout-deadlock": "the new pod waits for the GPU of the old pod, which waits for the new pod to be ready",
    "gpus-in-use": "all GPUs that the pod could use are allocated; the evidence names the pods",
    "terminating-pod-holds-gpu": "a pod that is being deleted still holds the GPU that the pod waits for",
    "quota-exceeded": "a ResourceQuota prevents a controller from creating its pods",
    "pod-security-violation": "Pod Security of the namespace prevents a controller from creating its pods",
    "pods-not-created": "the API server rejects the pods of a controller for another reason",
    "gpu-limit-missing": "the pod tolerates the taint of GPU nodes but requests no GPU",
    "crash-loop": "a container keeps exiting",
    "probe-restarts-container": "a startup or liveness probe restarts a container",
    "not-ready": "the pod runs, and its readiness probe fails",
    "container-start": "a container cannot be created or started",
    "pod-sandbox": "the kubelet cannot create the pod sandbox",
    "volume-mount": "a volume cannot be attached or mounted",
    "not-started": "the pod does not run and the data gives no reason",
    "gpu-not-allocated": "the scheduler placed the pod, but the kubelet had no GPU to allocate",
    "admission-rejected": "the scheduler placed the pod, but the kubelet rejected it for another reason",
    evicted: "the pod was stopped by node pressure, a higher priority or a node shutdown",
    "node-lost": "the node of the pod stopped reporting",
    "pod-failed": "the pod ended with an error and is not restarted",
    "job-failed": "a GPU Job failed; the reports of its pods show whether closed ports explain it",
    "job-out-of-time": "a GPU Job exceeded its deadline",
  },
  node: {
    "no-gpu-nodes": "the cluster has no GPU node; a notice if no pod waits for one",
    "scale-up-failed": "an autoscaler tried to add a GPU node, and none joined",
    "scale-up-refused": "an autoscaler adds no GPU node and states why",
    "gpu-allocatable-missing": "the node advertises no GPU resource: no device plugin has registered",
    "gpu-allocatable-zero": "the node advertises 0 GPUs: a device plugin was registered and stopped",
    "gpu-allocatable-low": "the node advertises fewer GPUs than it has: the others are unhealthy",
    "gpu-zero-on-new-nodes": "only the newest GPU nodes advertise no GPUs",
    "host-plugin-without-gpus": "the device plugin that runs as a service of the host advertises no GPUs",
    "mig-config-failed": "the MIG configuration of the node could not be applied",
    "mig-config-pending": "the change of the MIG configuration of the node has not finished",
    "operand-config-failed": "a component of the operator could not configure the node (vGPU, confidential computing)",
    "operand-config-pending": "a component of the operator has not finished the configuration of the node",
    "driver-upgrade-failed": "the operator's upgrade of the driver failed on the node",
    "driver-upgrade-pending": "the operator's upgrade of the driver has not finished on the node",
    "operand-paused": "a label keeps components of the operator off the node",
    "gpu-label-missing": "the node lacks the label that the device plugin selects",
    "node-not-ready": "the condition `Ready` is not True",
    "node-cordoned": "the node is cordoned",
    "accelerated-hardware-not-ready": "a GPU is unhealthy",
    "dcgm-false-alarm": "a GPU counts as unhealthy only because the monitor has a problem of its own",
    "container-runtime-not-ready": "the container runtime is unhealthy",
    "kernel-not-ready": "the kernel is unhealthy",
    "networking-not-ready": "the network of the node is unhealthy",
    "storage-not-ready": "the storage of the node is unhealthy",
  },
  daemonset: {
    "device-plugin-missing": "the DaemonSet of the device plugin does not exist",
    "two-device-plugins": "two device plugins advertise the GPUs of the same node",
    "device-plugin-below-gpu-nodes": "the device plugin is ready on fewer nodes than have GPUs",
    "device-plugin-without-gpus": "the device plugin runs and is ready, but its node advertises no GPUs",
    "device-plugin-recreated": "the DaemonSet of the device plugin is much newer than the operator's other DaemonSets",
    "fail-on-init-error-off": "`FAIL_ON_INIT_ERROR` is false and hides why the device plugin cannot start",
    "operator-pod-crash-loop": "a pod of the operator or of its DaemonSets keeps exiting",
    "driver-image-missing": "the operator's driver container does not fit the image of the node, which has a driver",
    "operator-daemonset-not-ready": "another DaemonSet of the operator is not ready on every node",
  },
  operator: {
    "device-plugin-disabled": "`spec.devicePlugin.enabled` is false",
    "gpu-operator-not-installed": "the cluster has GPU nodes but neither the GPU Operator nor a device plugin",
    "gpu-operator-not-ready": "the Deployment of the operator is missing or not ready",
    "operator-validator-rejected": "the operator's validation pod gets no GPU because other pods hold all of them",
    "cluster-policy-not-ready": "the operator reports that an operand is not ready",
  },
  inside: {
    "containerd-config-broken": "containerd cannot parse its configuration (case C)",
    "containerd-socket-is-directory": "a directory replaces the socket of containerd (case A)",
    "containerd-hangs": "containerd runs but does not respond (case B)",
    "containerd-left-over-shims": "processes of earlier containers are still running",
    "socket-mount-untyped": "a pod mounts a socket in a way that can replace the socket with a directory",
    "nvml-in-chroot": "nvidia-smi failed in a chroot, which also happens on healthy nodes",
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

export type Layer = keyof typeof stateConclusions;
export type ConclusionId = { [L in Layer]: keyof (typeof stateConclusions)[L] }[Layer] | KnownCauseId;

/** The layers in the order of the checks. */
export const layers = Object.keys(stateConclusions) as readonly Layer[];

/**
 * Every conclusion that triage can draw, with its meaning, by the layer whose check draws it. Layers and ids are stable:
 * scripts may rely on them. docs/triage.md lists them; `vitest -u test/triage/docs.test.ts` updates the list.
 */
export function conclusionsOf(layer: Layer): readonly (readonly [id: ConclusionId, meaning: string])[] {
  const ofStates = Object.entries(stateConclusions[layer]) as [ConclusionId, string][];
  const ofMessages = knownCauseIds.filter((id) => knownLayer(id) === layer);
  return [...ofStates, ...ofMessages.map((id) => [id, knownMeaning(id)] as const)];
}

const layerById = new Map(layers.flatMap((layer) => conclusionsOf(layer).map(([id]) => [id, layer] as const)));

export const conclusionIds: readonly ConclusionId[] = [...layerById.keys()];

export function layerOf(id: ConclusionId): Layer {
  return layerById.get(id) ?? "pod";
}

/** One fact about one object. */
export interface Evidence {
  /** As kubectl takes it, e.g. `node/ip-10-0-0-1` or `-n gpu-lab pod/probe`. */
  readonly object: string;
  /** E.g. `status.allocatable[nvidia.com/gpu]` or `event FailedScheduling`. */
  readonly field: string;
  readonly value: string;
  /** Since when, or when last observed, if the object has a time. */
  readonly at?: string;
}

/** A command to run next. */
export interface NextStep {
  readonly why: string;
  readonly command: string;
  /** Whether the command changes the cluster or a node. Triage itself runs none of them. */
  readonly changes?: true;
}

/** What stands for the places in commands. */
export type Places = Readonly<Record<string, string | undefined>>;

/** Steps as a list. */
export function listOf(steps: Steps): StepList {
  return typeof steps === "string" ? [steps] : steps;
}

/**
 * The steps with their places filled in. A step with an unknown place is left out. The last arrow counts: a reason may
 * contain a text of the cluster, such as a taint, and a command only checked names.
 */
export function nextSteps(steps: Steps, places: Places = {}): NextStep[] {
  return listOf(steps).flatMap((step) => {
    if (step === undefined) return [];
    const [, why = "", mark, text = ""] = /^([^]*) =(!?)> ([^]*)$/.exec(step) ?? [];
    const isUnknown = Object.keys(places).some((name) => places[name] === undefined && text.includes(`{${name}}`));
    const command = text.replace(/\{(\w+)\}/g, (written, name: string) => places[name] ?? written);
    return isUnknown ? [] : [{ why, command, ...(mark === "!" && { changes: true as const }) }];
  });
}

/** The objects that a finding applies to. */
export interface Scope {
  /** E.g. `pod gpu-lab/probe`. */
  readonly subject: string;
  /** Nodes by name. */
  readonly nodes: readonly string[];
  /** Pods as `namespace/name`. */
  readonly pods: readonly string[];
}

/** A notice is not a fault. */
export type Level = "problem" | "notice";

/** `certain`: the evidence proves it. `likely`: it fits all evidence. `possible`: verify it before you act. */
export type Confidence = "certain" | NonNullable<Doubt>;

/** What a check finds. */
export interface Finding extends Scope {
  readonly id: ConclusionId;
  /** @default problem */
  readonly level?: Level | undefined;
  readonly atMost?: Doubt;
  /** What is wrong, in a few sentences. */
  readonly what: string;
  readonly evidence: readonly Evidence[];
  readonly next: Steps;
  /** Nodes that would have room for the pod if they were healthy. A fault of one of them is the cause. */
  readonly couldUse?: readonly string[];
}

/** One finding, several, or none. */
export type Found = Finding | readonly Finding[];

/** A finding in a report, with the findings that cause it. */
export interface Conclusion extends Omit<Finding, "atMost" | "next"> {
  readonly next: readonly NextStep[];
  readonly layer: Layer;
  readonly level: Level;
  readonly confidence: Confidence;
  /** The first cause; missing for a root cause. */
  readonly because?: ConclusionId;
  /** All conclusions that together cause this one. */
  readonly causes?: readonly { readonly id: ConclusionId; readonly subject: string }[];
}
