import * as pulumi from "@pulumi/pulumi";
import type { Problem } from "../../components";
import { shellText } from "../../components/core/text";
import type { OwnObject } from "../../components/preflight/own-objects";

const type = "aws:eks/nodeGroup:NodeGroup";

/**
 * Node groups in the state that the program does not register, such as after `pulumi import` without a parent. The update
 * would delete them with their nodes. If they are protected, the engine only says how to end the protection.
 *
 * @param own what the state has; undefined if it could not be read
 */
export function strayGroups(lab: string, own: readonly OwnObject[] = []): Problem[] {
  const groups = own.filter((one) => one.type === type && !isOwn(one.urn, lab));
  return groups.map(({ urn }) => strayGroup(urn, pulumi.getStack()));
}

function isOwn(urn: string, lab: string): boolean {
  return urn.endsWith(`GpuNodeGroup$${type}::${lab}-gpu`) || urn.endsWith(`SystemNodeGroup$${type}::${lab}-system`);
}

function strayGroup(got: string, stack: string): Problem {
  const why =
    "The state has this node group under a name that the program does not use, as after pulumi import. The update would " +
    "delete the group with its nodes. If it is protected, do not unprotect it: that lets the update delete it.";
  const forget = shellText(["pulumi", "state", "delete", got, "--force", "--stack", stack]);
  const list = shellText(["npx", "eks-gpu-lab", "leftovers", "--stack", stack]);
  const fix = `forget it, which deletes nothing in AWS: ${forget}; then adopt or remove it with what this prints: ${list}`;
  return { code: "conflict", path: "a node group in the state", got, why, fix };
}
