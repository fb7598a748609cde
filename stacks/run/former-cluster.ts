import * as pulumi from "@pulumi/pulumi";
import type { ChangeOptions, Confirmations, Problem } from "../../components";
import { confirmed } from "../../components/preflight/change-rules";
import type { OwnObject } from "../../components/preflight/own-objects";
import { parseJson } from "../../components/core/json-text";
import { providerReason } from "../../components/core/provider-reason";
import { valueAt } from "../../components/core/reader/paths";
import { isRecord, withoutUndefined } from "../../components/core/reader/records";
import { countOf, shellText } from "../../components/core/text";
import type { EnvironmentSettings } from "../../components/environment/gpu-environment-plan";
import { labs, type LabName } from "../labs";
import type { LabConfig } from "./lab-config";

/** What the last update of this stack exported. */
interface FormerUpdate {
  /** The cluster that the stack created; undefined before the first update, and in a cluster of another stack. */
  readonly clusterName?: string;
  /** The AWS account and the region of that cluster; undefined if a version without these outputs created it. */
  readonly account?: string;
  readonly region?: string;
  /** The lab whose question the stack exported; undefined if another version asked another question. */
  readonly lab?: LabName;
  /** When its lease ends GPU nodes, or `none`; undefined if a version without leases created the cluster. */
  readonly lease?: string;
}

/**
 * Reads the outputs of the last update. AWS does not say to which stack a cluster belongs, so only with them, a cluster is
 * found after its name has changed. An update whose program failed has no outputs. The result is undefined if they cannot be
 * read, as in an offline plan.
 */
export async function readFormerUpdate(): Promise<FormerUpdate | undefined> {
  try {
    const name = `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`;
    const state: unknown = await pulumi.runtime.invoke("pulumi:pulumi:readStackOutputs", { name });
    if (!isRecord(valueAt(state, "outputs"))) return undefined;
    const [clusterName, account, region, lease] = ["clusterName", "account", "region", "lease"].map((output) => {
      const value = valueAt(state, ["outputs", output]);
      return typeof value === "string" ? value : undefined;
    });
    const question = valueAt(state, "outputs.question");
    const lab = (Object.keys(labs) as LabName[]).find((each) => labs[each].question === question);
    return withoutUndefined({ clusterName, account, region, lab, lease });
  } catch (error) {
    const reason = providerReason(error);
    await pulumi.log.warn(
      `Cannot read the outputs of this stack, so another clusterName, account or region is not detected: ${reason}`,
    );
    return undefined;
  }
}

/** A stack that uses another cluster from now on deletes its own. `path` is the key that names the other one. */
export function abandonedCluster(
  former: FormerUpdate | undefined,
  { replaceCluster, endSession }: Confirmations = {},
  path: "environment" | "localCluster",
  got: unknown,
): Problem[] {
  if (!former) return [];
  const { clusterName } = former;
  const unneeded = [
    ...confirmed("endSession", endSession, undefined),
    ...(clusterName === undefined ? confirmed("replaceCluster", replaceCluster, undefined) : []),
  ];
  if (clusterName === undefined || clusterName === replaceCluster) return unneeded;
  const why = `This stack created the cluster ${clusterName}. With ${path}, the update would delete that cluster with its nodes and everything that runs in it.`;
  return [...unneeded, { code: "conflict", path, got, why, fix: `pulumi config rm ${path}; ${waysOut(clusterName)}` }];
}

/** The names of all resources begin with the lab's, so that another lab replaces everything. */
export function otherLab(
  { clusterName, lab: former }: FormerUpdate = {},
  got: LabName,
  { replaceCluster }: Confirmations = {},
): Problem[] {
  if (clusterName === undefined || former === undefined || former === got) return [];
  if (replaceCluster === clusterName) return [];
  const why =
    `This stack runs the lab ${former} in the cluster ${clusterName}. The names of its resources begin with ${former}, so the ` +
    "update would create every resource again and delete the existing ones, with the cluster and everything that runs in it.";
  const fix = `pulumi config set lab ${former}; ${waysOut(clusterName)}`;
  return [{ code: "conflict", path: "lab", got, why, fix }];
}

/** What the preflight compares with, and the confirmations that are for the preflight: another lab uses one itself. */
export function changeOptions(
  { clusterName, account, region, lab }: FormerUpdate = {},
  { lab: wanted, confirm }: Pick<LabConfig, "lab" | "confirm">,
  stackTag?: string,
): ChangeOptions {
  const { replaceCluster, ...rest } = confirm ?? {};
  const isUsed = lab !== undefined && lab !== wanted && replaceCluster === clusterName;
  return {
    confirm: { ...rest, ...(!isUsed && { replaceCluster }) },
    ...withoutUndefined({ formerClusterName: clusterName, formerAccount: account, formerRegion: region, stackTag }),
  };
}

function waysOut(clusterName: string): string {
  return (
    "or use another stack: pulumi stack init NAME; or run pulumi destroy first; " +
    `or pulumi config set --path confirm.replaceCluster ${clusterName}`
  );
}

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
    `An earlier version created the cluster ${clusterName} without a lease. Now a lease is the default: it terminates all GPU ` +
    `nodes ${ends}, and no update starts them again${desired}. For an existing environment, choose explicitly.`;
  const fix =
    "pulumi config set --path lease.enabled true, to terminate forgotten GPU nodes; " +
    "or pulumi config set --path lease.enabled false, to keep them until you terminate them";
  return [{ code: "missing", path: "lease.enabled", got: undefined, why, fix }];
}

/** Whether a configuration sets a key of the lease. The engine passes the default of the section, which is empty. */
export function isLeaseStated(all: Readonly<Record<string, string>>): boolean {
  const lease = parseJson(all["eks-gpu-lab:lease"] ?? "");
  return isRecord(lease) && Object.keys(lease).length > 0;
}

const groupType = "aws:eks/nodeGroup:NodeGroup";

/**
 * Node groups in the state that the program does not register, such as after `pulumi import` without a parent. The update
 * would delete them with their nodes. If they are protected, the engine only says how to end the protection.
 *
 * @param own what the state has; undefined if it could not be read
 */
export function strayGroups(lab: string, own: readonly OwnObject[] = []): Problem[] {
  const expected = [`GpuNodeGroup$${groupType}::${lab}-gpu`, `SystemNodeGroup$${groupType}::${lab}-system`];
  return own
    .filter(({ type, urn }) => type === groupType && !expected.some((end) => urn.endsWith(end)))
    .map(({ urn }) => strayGroup(urn, pulumi.getStack()));
}

function strayGroup(got: string, stack: string): Problem {
  const why =
    "The state contains this node group under a name that the program does not use, as after pulumi import. The update would " +
    "delete the group with its nodes. If it is protected, do not unprotect it: that lets the update delete it.";
  const forget = shellText(["pulumi", "state", "delete", got, "--force", "--stack", stack]);
  const list = shellText(["npx", "eks-gpu-lab", "leftovers", "--stack", stack]);
  const fix = `remove it from the state, which deletes nothing in AWS: ${forget}; then use the commands that this prints: ${list}`;
  return { code: "conflict", path: "a node group in the state", got, why, fix };
}
