import { isDeepStrictEqual } from "node:util";
import { getNodeGroup } from "@pulumi/aws/eks/getNodeGroup";
import * as pulumi from "@pulumi/pulumi";
import { shellText } from "../../components/core/text";

/** Reads the status of an object in EKS, from its outputs in the state. */
type ReadStatus = (outputs: Readonly<Record<string, string>>) => Promise<string | undefined>;

const nodeGroup = "aws:eks/nodeGroup:NodeGroup";
const addon = "aws:eks/addon:Addon";

/**
 * Refuses an update that takes a failed create for done, in a preview, too. The engine repeats a failed create as an update
 * without changes, for which the provider sends nothing. The way out stays open: a replacement is no update.
 *
 * @see https://github.com/pulumi/pulumi/issues/1836
 * @param profile the profile of the stack's credentials
 */
export function failedCreates(region: string | undefined, profile: string | undefined): pulumi.ResourceTransformation {
  const place = { ...(region !== undefined && { region }), ...(profile !== undefined && { profile }) };
  const read = { [nodeGroup]: nodeGroupStatus, [addon]: (outputs) => addonStatus(outputs, place) } satisfies Record<
    string,
    ReadStatus
  >;
  const judge = (args: pulumi.ResourceHookArgs) => refuseFailed(args, read[args.type as keyof typeof read]);
  const hook = new pulumi.ResourceHook("failed-creates", judge, { onDryRun: true });
  return ({ type, props, opts }) =>
    type in read ? { props, opts: pulumi.mergeOptions(opts, { hooks: { beforeUpdate: [hook] } }) } : undefined;
}

const nodeGroupStatus: ReadStatus = async ({ clusterName = "", nodeGroupName = "" }) =>
  (await getNodeGroup({ clusterName, nodeGroupName })).status;

/** The provider has no function for it. */
async function addonStatus({ clusterName, addonName }: Readonly<Record<string, string>>, place: object) {
  const { EKS } = await import("@aws-sdk/client-eks");
  return (await new EKS(place).describeAddon({ clusterName, addonName })).addon?.status;
}

/** An update that changes something is not judged: it can repair what is degraded, and EKS refuses it for what failed. */
export async function refuseFailed(args: pulumi.ResourceHookArgs, read: ReadStatus): Promise<void> {
  const { urn, name, oldInputs, newInputs, oldOutputs } = args;
  if (!isDeepStrictEqual(oldInputs, newInputs)) return;
  const replace = `pulumi up --target-replace ${shellText([urn])}, then pulumi up`;
  const status = await read(oldOutputs as Readonly<Record<string, string>>).catch((error: unknown) => error as Error);
  if (status instanceof Error) {
    const why = `Its create failed before, and its status cannot be read: ${status.message.split("\n")[0]}`;
    return pulumi.log.warn(`${name}: ${why}. If EKS does not show it as ACTIVE, replace it: ${replace}`);
  }
  if (status !== "CREATE_FAILED" && status !== "DEGRADED") return;
  throw new Error(
    `${name} is ${status}, and this update would change nothing. Remove the cause; then replace it: ${replace}`,
  );
}
