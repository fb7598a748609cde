import { isDeepStrictEqual } from "node:util";
import { getCluster } from "@pulumi/aws/eks/getCluster";
import { getNodeGroup } from "@pulumi/aws/eks/getNodeGroup";
import * as pulumi from "@pulumi/pulumi";
import { providerReason } from "../../components/core/provider-reason";
import { withoutUndefined } from "../../components/core/reader/records";
import { nameTag, stackTag, tagValue } from "../../components/core/stack-tags";
import { tagging } from "../../components/core/tagging";
import { shellText } from "../../components/core/text";
import { describeSession, isHeld } from "../../components/preflight/change-rules";
import { readSession } from "../../components/preflight/read-running-environment";
import type { LabConfig } from "./lab-config";

/** Reads the status of an object in EKS, from its outputs in the state. */
type ReadStatus = (outputs: Readonly<Record<string, string>>) => Promise<string | undefined>;

const nodeGroup = "aws:eks/nodeGroup:NodeGroup";

/**
 * Refuses an update that takes a failed create for done, in a preview, too. The engine repeats a failed create as an update
 * without changes, for which the provider sends nothing. The way out stays open: a replacement is not an update.
 *
 * @see https://github.com/pulumi/pulumi/issues/1836
 * @param profile the profile of the stack's credentials
 */
export function failedCreates(region: string | undefined, profile: string | undefined): pulumi.ResourceTransformation {
  const place = withoutUndefined({ region, profile });
  const read: Readonly<Record<string, ReadStatus>> = {
    [nodeGroup]: async ({ clusterName = "", nodeGroupName = "" }) =>
      (await getNodeGroup({ clusterName, nodeGroupName })).status,
    // The provider has no function for it.
    "aws:eks/addon:Addon": async ({ clusterName, addonName }) => {
      const { EKS } = await import("@aws-sdk/client-eks");
      return (await new EKS(place).describeAddon({ clusterName, addonName })).addon?.status;
    },
  };
  const judge = (args: pulumi.ResourceHookArgs) => refuseFailed(args, read[args.type] as ReadStatus);
  const hook = new pulumi.ResourceHook("failed-creates", judge, { onDryRun: true });
  return ({ type, props, opts }) =>
    type in read ? { props, opts: pulumi.mergeOptions(opts, { hooks: { beforeUpdate: [hook] } }) } : undefined;
}

/** An update that changes something is not judged: it can repair what is degraded, and EKS refuses it for what failed. */
export async function refuseFailed(args: pulumi.ResourceHookArgs, read: ReadStatus): Promise<void> {
  const { urn, name, oldInputs, newInputs, oldOutputs } = args;
  if (!isDeepStrictEqual(oldInputs, newInputs)) return;
  const replace = `pulumi up --target-replace ${shellText([urn])}, then pulumi up`;
  const status = await read(oldOutputs as Readonly<Record<string, string>>).catch((error: unknown) => error as Error);
  if (status instanceof Error) {
    const why = `Its creation failed before, and its status cannot be read: ${providerReason(status)}`;
    // Messages are sent one after the other, and one of a later resource waits for this one.
    void pulumi.log.warn(`${name}: ${why}. If EKS does not show it as ACTIVE, replace it: ${replace}`);
    return;
  }
  if (status !== "CREATE_FAILED" && status !== "DEGRADED") return;
  throw new Error(
    `${name} is ${status}, and this update would change nothing. Remove the cause; then replace it: ${replace}`,
  );
}

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
    if (type !== nodeGroup || name !== `${lab}-gpu`) return undefined;
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

/** Tags every resource that has tags with its stack and its logical name, and what launch templates create. */
export function stackTags(stack: string): pulumi.ResourceTransformation {
  return tagging((name) => ({ [stackTag]: stack, [nameTag]: tagValue(name) }), { instances: true });
}
