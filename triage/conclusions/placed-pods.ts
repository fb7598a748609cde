import { countOf } from "../../components/core/text";
import { gpuResource } from "../snapshot/nodes";
import type { ContainerStatus, Pod } from "../snapshot/objects/resources";
import { failedContainers, restartingContainers } from "../snapshot/pods";
import type { Entries, StepList } from "./entry";
import { endText, isOutOfMemory, listNames } from "../texts";
import { describePod, logTail, showLog, showResources } from "./common-steps";
import { sandboxCause } from "./pod-causes";

interface OfContainer {
  readonly status: ContainerStatus;
}

interface OfCrash extends OfContainer {
  /** Whether triage knows none of the errors in the log. */
  readonly isUnknown: boolean;
}

/** The texts of a container that keeps exiting, in a pod of a user and in one of the operator. */
export const crashLoop = {
  what: ({ status: { name, state, lastState, restartCount }, isUnknown }: OfCrash) => {
    const end = state.terminated ?? lastState.terminated;
    const how = isOutOfMemory(end) ? "because it exceeds its memory limit (OOMKilled)" : endText(end);
    const healthy = state.running ? " It looks healthy between two exits." : "";
    const unknown = isUnknown ? " Triage does not know its last errors; the evidence shows them." : "";
    return `Container ${name} keeps exiting ${how}; ${restartCount} restarts.${healthy}${unknown}`;
  },
  next: ({ status: { name, state, lastState } }: OfContainer): StepList => [
    isOutOfMemory(state.terminated ?? lastState.terminated)
      ? `Show the memory limits of the containers. Then raise the limit of this one => ${showResources}`
      : undefined,
    showLog(name),
  ],
};

/** The pod exists, and either it has a node or nothing is wrong with its placement. */
export const placedPods = {
  "gpu-limit-missing": {
    meaning: "the pod tolerates the taint of GPU nodes but requests no GPU",
    atMost: "possible",
    what: "The pod tolerates the taint of GPU nodes but requests no GPU, so it gets none. The scheduler does not report this.",
    next: `Show the resources of the pod. To use a GPU, add to its container: resources: {limits: {${gpuResource}: 1}} => ${showResources}`,
  },
  "crash-loop": { meaning: "a container keeps exiting", ...crashLoop },
  "memory-limit-exceeded": {
    meaning: "a container exceeded its memory limit, was restarted and runs again; this is host memory, not GPU memory",
    level: "notice",
    what: ({ status: { name, restartCount }, age }: OfContainer & { age: string }) =>
      `Container ${name} exceeded its memory limit ${age} ago, was killed (OOMKilled) and runs again; ${countOf(restartCount, "restart")}. This is host memory, not GPU memory.`,
    next: ({ status: { name } }: OfContainer) => [
      `Show the memory limits of the containers. Then raise the limit of this one, or let the program load less data at once. An emptyDir with medium: Memory counts toward the limit => ${showResources}`,
      showLog(name),
    ],
  },
  "probe-restarts-container": {
    meaning: "a startup or liveness probe restarts a container",
    what: ({ status: { name, restartCount }, probe }: OfContainer & { probe: string }) => {
      const why =
        probe === "startup"
          ? "The container takes longer to start than the probe allows: loading a model or building a driver takes minutes."
          : "The container does not respond in time, or responds that it is not healthy: it is still starting, is too busy or hangs. A slow start needs a startup probe.";
      return `The ${probe} probe of container ${name} restarts it; ${restartCount} restarts. ${why}`;
    },
    next: ({ status: { name }, probe }: OfContainer & { probe: string }) => [
      `Show the probe. Then raise failureThreshold or periodSeconds of the ${probe === "startup" ? "" : "startup or "}${probe} probe => kubectl get {pod} -o jsonpath='{.spec.containers[?(@.name=="${name}")].${probe}Probe}'`,
      showLog(name),
    ],
  },
  "not-ready": {
    meaning: "the pod runs, and its readiness probe fails",
    atMost: "likely",
    what: ({ container }: { container: string }) =>
      `The pod runs but is not ready: the readiness probe of container ${container} fails, so no Service sends it requests. A server that loads a large model responds only after minutes; if it takes longer, its log says what it waits for.`,
    next: "Show the probe and how often it failed => kubectl describe {pod}",
  },
  "container-start": {
    meaning: "a container cannot be created or started",
    what: ({ status: { name, state } }: OfContainer) => {
      const { reason, message = "" } = state.waiting ?? {};
      const isNvidiaRuntime = /nvidia-container|libnvidia|nvml|cdi/i.test(message);
      const cause = isNvidiaRuntime
        ? " The NVIDIA runtime failed: the driver or its libraries are missing or do not match."
        : reason === "CreateContainerConfigError"
          ? ` The kubelet cannot configure it: ${message}.`
          : "";
      return `Container ${name} cannot be started.${cause}`;
    },
    next: `${describePod} | tail -20`,
  },
  "pod-sandbox": {
    meaning: "the kubelet cannot create the pod sandbox",
    what: ({ message }: { message: string }) =>
      `The kubelet cannot create the sandbox of the pod: ${sandboxCause(message)?.what ?? "the runtime or the network plugin returned an error."}`,
    next: ({ message }: { message: string }) => [sandboxCause(message)?.next, describePod],
  },
  "volume-mount": {
    meaning: "a volume cannot be attached or mounted",
    what: ({ message }: { message: string }) =>
      /hostPath type check failed/i.test(message)
        ? "The file at a hostPath of the pod is not of the type that the pod requires. The kubelet did not create anything at the path: the type prevents that."
        : "A volume of the pod cannot be attached or mounted on the node.",
    next: describePod,
  },
  "not-started": {
    meaning: "the pod does not run and the data gives no reason",
    atMost: "possible",
    what: ({ pod, hasEvents, hasReports }: { pod: Pod; hasEvents: boolean; hasReports: boolean }) =>
      hasReports
        ? `${stateText(pod)}. The evidence shows what was reported last; triage does not know the reason.`
        : `${stateText(pod)}. The data that was read gives no reason.${hasEvents ? "" : " The events of the pod could not be read."}`,
    next: ({ pod }: { pod: Pod }) => [
      describePod,
      pod.spec.nodeName === undefined ? undefined : "Check the node of the pod => npx eks-gpu-lab triage node {node}",
    ],
  },
  "gpu-not-allocated": {
    meaning: "the scheduler placed the pod, but the kubelet had no GPU to allocate",
    what: "The scheduler placed the pod, but the kubelet had no GPU for it: the device plugin stopped, the GPUs are unhealthy, or another pod got them first. The pod stays Failed even when a GPU becomes free.",
    next: recreateSteps,
  },
  "admission-rejected": {
    meaning: "the scheduler placed the pod, but the kubelet rejected it for another reason",
    what: "The scheduler placed the pod, but the kubelet rejected it. The pod stays Failed.",
    next: recreateSteps,
  },
  evicted: {
    meaning: "the pod was stopped by node pressure, a higher priority or a node shutdown",
    what: ({ reason }: { reason: string }) => evictions[reason] ?? `The pod was disrupted (${reason}).`,
    next: describePod,
  },
  "node-lost": {
    meaning: "the node of the pod stopped reporting",
    what: ({ node }: { node: string }) =>
      `The node ${node} stopped reporting, so the state of the pod is not known. The pod holds its GPU until the node reports again or is deleted.`,
    next: describePod,
  },
  "pod-failed": {
    meaning: "the pod ended with an error and is not restarted",
    what: ({ status, deadline }: Failure) => {
      if (deadline !== undefined)
        return `The pod exceeded its activeDeadlineSeconds ${deadlines[deadline]}. It is not restarted.`;
      const how = status ? `Container ${status.name} ended ${endText(status.state.terminated)}` : "The pod failed";
      return `${how}. The pod is not restarted.`;
    },
    next: ({ deadline }: Failure) =>
      deadline === undefined
        ? `Show the log of the pod => kubectl logs {pod} --all-containers --tail=${logTail}`
        : describePod,
  },
} satisfies Entries;

function stateText(pod: Pod): string {
  const { phase, initContainerStatuses } = pod.status;
  const { nodeName } = pod.spec;
  if (pod.metadata.deletionTimestamp !== undefined) return "The pod is being deleted but still exists";
  const [end] = [...failedContainers(pod), ...restartingContainers(pod)];
  if (phase === "Running" && end) return `Container ${end.name} has ended ${endText(end.state.terminated)}`;
  if (phase !== "Pending" || nodeName === undefined)
    return phase === "" ? "The phase of the pod is not known" : `The phase of the pod is ${phase}`;
  const running = initContainerStatuses.filter(({ state }) => state.running).map(({ name }) => name);
  return running.length > 0
    ? `The pod is on ${nodeName} and its init container ${listNames(running)} has not ended`
    : `The pod is on ${nodeName} and its containers have not started. Pulling a large image takes minutes`;
}

/** A pod without a controller must be created again by hand. */
function recreateSteps({ isOwned }: { isOwned: boolean }): StepList {
  const recreate =
    "After you fix the cause, delete the pod and create it again (in a lab: pulumi up --refresh) =!> kubectl delete {pod}";
  return [isOwned ? undefined : recreate, describePod];
}

const shutdown = "The pod was stopped because its node was shut down.";

/** By the reason of the pod's status. */
export const evictions: Readonly<Partial<Record<string, string>>> = {
  Evicted:
    "The kubelet evicted the pod because the node ran out of a resource, or because the pod exceeded a storage limit.",
  Preempting: "The kubelet stopped the pod to make room for a critical pod.",
  Preempted: "The scheduler stopped the pod to make room for a pod with a higher priority.",
  Terminated: shutdown,
  NodeShutdown: shutdown,
  Shutdown: shutdown,
};

/** The container that ended with an error, if any; or when the pod exceeded its deadline. */
interface Failure {
  readonly status?: ContainerStatus | undefined;
  readonly deadline?: keyof typeof deadlines;
}

const deadlines = {
  running: "while its containers ran",
  starting: "before its containers started: pulling the images or mounting the volumes took too long",
};
