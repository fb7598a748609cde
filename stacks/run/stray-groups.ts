import * as pulumi from "@pulumi/pulumi";
import type { Problem } from "../../components";
import { isRecord } from "../../components/core/reader/records";
import { valueAt } from "../../components/core/reader/paths";
import { providerReason } from "../../components/core/provider-reason";
import { shellText } from "../../components/core/text";

const type = "aws:eks/nodeGroup:NodeGroup";

/**
 * Node groups in the state that the program does not register, such as after `pulumi import` without a parent. The update
 * would delete them with their nodes. If they are protected, the engine only says how to end the protection.
 */
export async function strayGroups(lab: string): Promise<Problem[]> {
  const stack = pulumi.getStack();
  const stackName = `${pulumi.getOrganization()}/${pulumi.getProject()}/${stack}`;
  try {
    const state: unknown = await pulumi.runtime.invoke("pulumi:pulumi:readStackResourceOutputs", { stackName });
    const outputs = valueAt(state, "outputs");
    const urns = isRecord(outputs) ? Object.keys(outputs) : [];
    return urns
      .filter((urn) => isNodeGroup(urn) && !isOwn(urn, lab))
      .map((urn) => strayGroup(urn, valueAt(outputs, [urn, "nodeGroupName"]), stack));
  } catch (error) {
    const what = "so a node group that the update would delete is not found";
    await pulumi.log.warn(`Cannot read the resources of this stack, ${what}: ${providerReason(error)}`);
    return [];
  }
}

function isNodeGroup(urn: string): boolean {
  return urn.split("::")[2]?.split("$").at(-1) === type;
}

function isOwn(urn: string, lab: string): boolean {
  return urn.endsWith(`GpuNodeGroup$${type}::${lab}-gpu`) || urn.endsWith(`SystemNodeGroup$${type}::${lab}-system`);
}

function strayGroup(urn: string, got: unknown, stack: string): Problem {
  const why =
    "The state has this node group under a name that the program does not use, as after pulumi import. The update would " +
    "delete the group with its nodes. If it is protected, do not unprotect it: that lets the update delete it.";
  const forget = shellText(["pulumi", "state", "delete", urn, "--force", "--stack", stack]);
  const list = shellText(["npx", "eks-gpu-lab", "leftovers", "--stack", stack]);
  const fix = `forget it, which deletes nothing in AWS: ${forget}; then adopt or remove it with what this prints: ${list}`;
  return { code: "conflict", path: "a node group in the state", got, why, fix };
}
