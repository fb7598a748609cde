import type { Deployment } from "../objects/workloads";

/** What a Deployment's strategy comes to for its number of replicas. */
export interface Rollout {
  readonly type: string;
  /** As written, e.g. `25%`. */
  readonly written: { readonly maxSurge: string; readonly maxUnavailable: string };
  /** Pods above `replicas` that may exist during a rollout. */
  readonly maxSurge: number;
  /** Pods below `replicas` that may be missing during a rollout. */
  readonly maxUnavailable: number;
}

const kubernetesDefault = "25%";

/**
 * Resolves the limits of a rollout as the Deployment controller does: shares of surge are rounded up, shares of
 * unavailability down, and where both come to 0 one pod may be missing.
 * @see https://github.com/kubernetes/kubernetes/blob/v1.35.0/pkg/controller/deployment/util/deployment_util.go ResolveFenceposts
 */
export function rolloutOf({ spec }: Deployment): Rollout {
  const { type = "RollingUpdate", rollingUpdate } = spec.strategy;
  const written = {
    maxSurge: String(rollingUpdate?.maxSurge ?? kubernetesDefault),
    maxUnavailable: String(rollingUpdate?.maxUnavailable ?? kubernetesDefault),
  };
  const maxSurge = resolved(written.maxSurge, spec.replicas, Math.ceil);
  const maxUnavailable = resolved(written.maxUnavailable, spec.replicas, Math.floor);
  return { type, written, maxSurge, maxUnavailable: maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable };
}

function resolved(limit: string, replicas: number, round: (value: number) => number): number {
  const share = /^(\d+(?:\.\d+)?)%$/.exec(limit);
  const value = share ? round((Number(share[1]) * replicas) / 100) : Number(limit);
  return Number.isFinite(value) ? Math.max(0, value) : 0;
}
