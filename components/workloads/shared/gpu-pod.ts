import type { core } from "@pulumi/kubernetes/types/input";
import { gpuTolerations } from "../../gpu/health/gpu-health";
import type { Taint } from "../../nodes/scheduling/taints";

/** What NVIDIA's device plugin offers on a node. */
export const gpuResource = "nvidia.com/gpu";

/** The user that containers run as where their image leaves the choice: nobody, in most distributions. */
export const nobody = 65532;

/**
 * Rights of a container that computes: none of root's, and no place to write but its volumes. The device files of a
 * GPU are open to every user of the container that was given them.
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
 */
export const leastRights = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  readOnlyRootFilesystem: true,
} satisfies core.v1.SecurityContext;

/** Who the containers of a pod are. User 0 is root, without any of its capabilities. */
export function podSecurity(user: number = nobody) {
  return {
    runAsNonRoot: user !== 0,
    runAsUser: user,
    runAsGroup: user,
    seccompProfile: { type: "RuntimeDefault" },
  } satisfies core.v1.PodSecurityContext;
}

/** What a container needs of its node. */
export interface Needs {
  /** CPU that is kept for it, e.g. `250m`. There is no limit: idle cores may be used. */
  readonly cpu: string;
  /** Memory that is kept for it, e.g. `512Mi`. */
  readonly memory: string;
  /** Memory at which it is ended. @default the memory that is kept for it - nothing else can take it away */
  readonly memoryLimit?: string;
  /** Whole GPUs. @default 0 - none */
  readonly gpus?: number;
  /** Other devices by resource name, e.g. `vpc.amazonaws.com/efa`. @default {} - none */
  readonly devices?: Readonly<Record<string, string>>;
}

/** GPUs are given out by the limit alone; a request of them would have to be the same. */
export function resources({ cpu, memory, memoryLimit = memory, gpus = 0, devices = {} }: Needs) {
  const given = gpus > 0 ? { [gpuResource]: String(gpus) } : {};
  return { requests: { cpu, memory }, limits: { memory: memoryLimit, ...given, ...devices } };
}

/**
 * What every pod of a lab has: no account of the API server, no environment variables of other Services, the rights of
 * {@link podSecurity}, and the tolerations that let it run on GPU nodes with these taints.
 */
export function podBasics(taints: readonly Taint[], user?: number) {
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: podSecurity(user),
    tolerations: gpuTolerations(taints),
  } satisfies Partial<core.v1.PodSpec>;
}
