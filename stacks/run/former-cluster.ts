import * as pulumi from "@pulumi/pulumi";
import type { Confirmations, Problem } from "../../components";
import { unneededConfirmation } from "../../components/preflight/change-rules";
import { valueAt } from "../../components/core/reader/paths";

/**
 * The cluster that the stack created, by the outputs of its last update; undefined before the first one. AWS does not say
 * to which stack a cluster belongs, so only with it, a cluster is found after its name has changed.
 */
export async function formerCluster(): Promise<string | undefined> {
  const name = `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`;
  try {
    const state: unknown = await pulumi.runtime.invoke("pulumi:pulumi:readStackOutputs", { name });
    const clusterName = valueAt(state, "outputs.clusterName");
    return typeof clusterName === "string" ? clusterName : undefined;
  } catch (error) {
    const reason = (error as Error).message.split("\n")[0];
    await pulumi.log.warn(`Cannot read the outputs of this stack, so a change of clusterName is not found: ${reason}`);
    return undefined;
  }
}

/** A stack that uses another cluster from now on deletes its own. `path` is the key that names the other one. */
export function abandonedCluster(
  former: string | undefined,
  { replaceCluster, endSession }: Confirmations = {},
  path: "environment" | "localCluster",
  got: unknown,
): Problem[] {
  const idle = [
    ...unneeded("endSession", endSession),
    ...(former === undefined ? unneeded("replaceCluster", replaceCluster) : []),
  ];
  if (former === undefined || former === replaceCluster) return idle;
  const why = `This stack created the cluster ${former}. With ${path}, the update would delete that cluster with its nodes and everything that runs in it.`;
  const fix =
    `pulumi config rm ${path}, and use another stack: pulumi stack init NAME; or run pulumi destroy first; ` +
    `or pulumi config set --path confirm.replaceCluster ${former}`;
  return [...idle, { code: "conflict", path, got, why, fix }];
}

function unneeded(key: keyof Confirmations, got: string | undefined): Problem[] {
  return got === undefined ? [] : [unneededConfirmation(key, got)];
}
