import type { Reader } from "../../../components/core/reader/reader";
import type { Reading } from "../../../components/core/reader/reading";
import type { Resource } from "../../engine/resource";
import { all, not, type Truth } from "../../../components/core/reader/truth";

/** `maxSurge` or `maxUnavailable`: a number of pods, or a share of the replicas. */
interface Allowance {
  readonly number: number;
  readonly isPercent: boolean;
}

/**
 * Whether a rollout of a Deployment starts a pod before it ends one, and ends none before. By default it may do both by
 * a quarter of the replicas: more pods are rounded up, missing ones down, so up to 3 replicas it ends none.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment
 */
export function surgesOnly(deployment: Resource): Truth {
  const surge = allowance(deployment.at("spec.strategy.rollingUpdate.maxSurge"), aQuarter);
  const missing = allowance(deployment.at("spec.strategy.rollingUpdate.maxUnavailable"), aQuarter);
  const isRolling = deployment.text("spec.strategy.type").or("RollingUpdate");
  const endsNone = missing.is((part) =>
    part.isPercent
      ? replicasOf(deployment).is((replicas) => Math.floor(share(part, replicas)) === 0)
      : part.number === 0,
  );
  return all(
    isRolling.is((type) => type === "RollingUpdate"),
    surge.is(({ number }) => number > 0),
    endsNone,
    not(replicasOf(deployment).is((replicas) => replicas < 1)),
  );
}

export function replicasOf(workload: Resource): Reading<number> {
  return workload.integer("spec.replicas").or(1);
}

/** Whether a DaemonSet starts the new pod of a node before it ends the old one; by default it does not. */
export function surgesOnNodes(daemonSet: Resource): Truth {
  const surge = allowance(daemonSet.at("spec.updateStrategy.rollingUpdate.maxSurge"), { number: 0, isPercent: false });
  const type = daemonSet.text("spec.updateStrategy.type").or("RollingUpdate");
  return all(
    type.is((word) => word === "RollingUpdate"),
    surge.is(({ number }) => number > 0),
  );
}

const aQuarter: Allowance = { number: 25, isPercent: true };

function share({ number }: Allowance, replicas: number): number {
  return (number * replicas) / 100;
}

function allowance(given: Reader, fallback: Allowance): Reading<Allowance> {
  const show = ({ number, isPercent }: Allowance) => `${number}${isPercent ? "%" : ""}`;
  const whole = given.integer().map((number): Allowance => ({ number, isPercent: false }), show);
  const percent = given.text().map((text): Allowance | undefined => {
    const digits = /^(\d{1,9})%$/.exec(text)?.[1];
    return digits === undefined ? undefined : { number: Number(digits), isPercent: true };
  }, show);
  return (percent.is(() => true) === true ? percent : whole).or(fallback, show(fallback));
}
