import type { core } from "@pulumi/kubernetes/types/input";
import { gpuTolerations } from "../../gpu/health/gpu-health";
import type { Taint } from "../../nodes/scheduling/taints";

/** The resource that NVIDIA's device plugin advertises. */
export const gpuResource = "nvidia.com/gpu";

/** The user of containers whose image does not need another: `nobody` in most distributions. */
export const nobody = 65532;

/**
 * The rights of a container that computes: no root privileges, and a read-only root file system. Every user of a
 * container may open the device files of its GPUs.
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
 */
export const leastRights = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  readOnlyRootFilesystem: true,
} satisfies core.v1.SecurityContext;

/** The user of a pod's containers. User 0 is root, without any of its capabilities. */
export function podSecurity(user: number = nobody) {
  return {
    runAsNonRoot: user !== 0,
    runAsUser: user,
    runAsGroup: user,
    seccompProfile: { type: "RuntimeDefault" },
  } satisfies core.v1.PodSecurityContext;
}

/** The resources of a container. */
interface ResourceNeeds {
  /** CPU request, e.g. `250m`. There is no limit: the container may use idle cores. */
  readonly cpu: string;
  /** Memory request, e.g. `512Mi`. */
  readonly memory: string;
  /** Memory limit. @default the memory request - no other pod can use this memory */
  readonly memoryLimit?: string;
  /** Whole GPUs. @default 0 - none */
  readonly gpus?: number;
  /** Other devices by resource name, e.g. `vpc.amazonaws.com/efa`. @default {} - none */
  readonly devices?: Readonly<Record<string, string>>;
}

/** GPUs are a limit only: Kubernetes requires an equal request and sets it. */
export function resources({ cpu, memory, memoryLimit = memory, gpus = 0, devices = {} }: ResourceNeeds) {
  const gpuLimit: Record<string, string> = gpus > 0 ? { [gpuResource]: String(gpus) } : {};
  return { requests: { cpu, memory }, limits: { memory: memoryLimit, ...gpuLimit, ...devices } };
}

/**
 * The common part of every pod of a lab: no service account token, no environment variables of other Services, the
 * rights of {@link podSecurity}, and the tolerations for GPU nodes with these taints.
 */
export function podBasics(taints: readonly Taint[], user?: number) {
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: podSecurity(user),
    tolerations: gpuTolerations(taints),
  } satisfies Partial<core.v1.PodSpec>;
}

/** Requires the node of this name, as a DaemonSet does: the scheduler still checks that the pod fits. */
export function onNode(nodeName: string): core.v1.NodeAffinity {
  const field = { key: "metadata.name", operator: "In", values: [nodeName] };
  return { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [field] }] } };
}
