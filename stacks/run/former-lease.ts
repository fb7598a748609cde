import type { Problem } from "../../components";
import { parseJson } from "../../components/core/json-text";
import { isRecord } from "../../components/core/reader/records";
import { countOf } from "../../components/core/text";
import type { EnvironmentSettings } from "../../components/environment/gpu-environment-plan";
import type { FormerUpdate } from "./former-cluster";

/**
 * Lab stacks have a lease by default. In an environment of a version without leases, it would begin to end nodes, so the
 * configuration must say whether it is wanted.
 *
 * @param isStated whether the configuration sets a key of the lease
 */
export function unstatedLease(
  { clusterName, lease: former }: FormerUpdate = {},
  { lease, gpuNodes }: Pick<EnvironmentSettings, "lease" | "gpuNodes">,
  isStated: boolean,
): Problem[] {
  if (clusterName === undefined || former !== undefined || !lease || isStated) return [];
  const { nightly, timeZone, hours } = lease;
  const ends = [
    ...(nightly === "none" ? [] : [`each day at ${nightly} (${timeZone})`]),
    ...(hours === undefined ? [] : [`${countOf(hours, "hour")} after npx eks-gpu-lab gpu up`]),
  ].join(" and ");
  const desired = gpuNodes.desiredSize > 0 ? `, in spite of gpuNodes.desiredSize ${gpuNodes.desiredSize}` : "";
  const why =
    `An earlier version created the cluster ${clusterName} without a lease. Now a lease is the default: it ends all GPU ` +
    `nodes ${ends}, and no update starts them again${desired}. An existing environment needs a choice.`;
  const fix =
    "pulumi config set --path lease.enabled true, to end forgotten GPU nodes; " +
    "or pulumi config set --path lease.enabled false, to keep them until you end them";
  return [{ code: "missing", path: "lease.enabled", got: undefined, why, fix }];
}

/** Whether a configuration sets a key of the lease. The engine passes the default of the section, which is empty. */
export function isLeaseStated(all: Readonly<Record<string, string>>): boolean {
  const lease = parseJson(all["eks-gpu-lab:lease"] ?? "");
  return isRecord(lease) && Object.keys(lease).length > 0;
}
