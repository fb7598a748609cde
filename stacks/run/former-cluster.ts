import * as pulumi from "@pulumi/pulumi";
import type { ChangeOptions, Confirmations, Problem } from "../../components";
import { unneededConfirmation } from "../../components/preflight/change-rules";
import { providerReason } from "../../components/core/provider-reason";
import { valueAt } from "../../components/core/reader/paths";
import { isRecord, withoutUndefined } from "../../components/core/reader/records";
import { labs, type LabName } from "../labs";
import type { LabConfig } from "./lab-config";

/** What the last update of this stack exported. */
export interface FormerUpdate {
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
    const exported = ["clusterName", "account", "region", "lease"].map((name) => textAt(state, name));
    const [clusterName, account, region, lease] = exported;
    const question = valueAt(state, "outputs.question");
    const lab = (Object.keys(labs) as LabName[]).find((each) => labs[each].question === question);
    return withoutUndefined({ clusterName, account, region, lab, lease });
  } catch (error) {
    const reason = providerReason(error);
    await pulumi.log.warn(
      `Cannot read the outputs of this stack, so another clusterName, account or region is not found: ${reason}`,
    );
    return undefined;
  }
}

function textAt(state: unknown, output: string): string | undefined {
  const value = valueAt(state, ["outputs", output]);
  return typeof value === "string" ? value : undefined;
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
    ...(endSession === undefined ? [] : [unneededConfirmation("endSession", endSession)]),
    ...(replaceCluster === undefined || clusterName !== undefined
      ? []
      : [unneededConfirmation("replaceCluster", replaceCluster)]),
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
