import { getCluster } from "@pulumi/aws/eks/getCluster";
import * as pulumi from "@pulumi/pulumi";
import { shellText } from "../../components/core/text";
import { describeSession, isHeld } from "../../components/preflight/change-rules";
import { readSession } from "../../components/preflight/read-running-environment";
import type { LabConfig } from "./lab-config";

/**
 * Stops the deletion of the GPU node group while pods hold its GPUs: `pulumi destroy` has to run the program, which asks the
 * cluster. Without the program, the engine refuses to delete a resource that has such a hook.
 *
 * @see https://www.pulumi.com/docs/iac/concepts/resources/options/hooks/
 */
export function sessionGuard(
  { lab, confirm }: Pick<LabConfig, "lab" | "confirm">,
  { deletionProtection }: { readonly deletionProtection: boolean },
): pulumi.ResourceTransformation {
  if (!deletionProtection) return () => undefined;
  const act: pulumi.ResourceHookFunction = ({ oldOutputs }) => requireNoSession(oldOutputs ?? {}, confirm?.endSession);
  const hook = new pulumi.ResourceHook("deletionProtection", act, { onDryRun: true });
  return ({ type, name, props, opts }) => {
    if (type !== "aws:eks/nodeGroup:NodeGroup" || name !== `${lab}-gpu`) return undefined;
    return { props, opts: pulumi.mergeOptions(opts, { hooks: { beforeDelete: [hook] } }) };
  };
}

/** @throws Error with what would end, if pods hold GPUs, or if that cannot be read */
async function requireNoSession(outputs: Readonly<Record<string, unknown>>, confirmed?: string): Promise<void> {
  const { clusterName, nodeGroupName } = outputs;
  const group = String(nodeGroupName);
  if (group === confirmed) return;
  const session = await readSession(await getCluster({ name: String(clusterName) }), group);
  if (!session || !isHeld(session)) return;
  const command = shellText(["npx", "eks-gpu-lab", "gpu", "down", "--stack", pulumi.getStack()]);
  throw new Error(`deletionProtection is true. ${describeSession(session)} End the session first: ${command}`);
}
