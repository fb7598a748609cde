import type { Problem } from "../core/problems";
import { step } from "../core/reader/paths";
import { shellText } from "../core/text";
import type { CapacityRequest, PreflightFacts } from "./preflight-facts";
import { sectionOf, type RunningPart } from "./running-group";

const kinds = {
  groups: { type: "aws:eks/nodeGroup:NodeGroup", noun: "node group", show: ["describe-nodegroup", "--nodegroup-name"] },
  addons: { type: "aws:eks/addon:Addon", noun: "add-on", show: ["describe-addon", "--addon-name"] },
} as const;
type Kind = keyof typeof kinds;

/** What a status means that does not end by itself. */
const meanings: Readonly<Record<string, string>> = {
  CREATE_FAILED:
    "EKS does not repair it. After an update that does not create it again, the Pulumi engine treats it as created.",
  DEGRADED: "EKS keeps this status until the reported issues are resolved.",
  DELETE_FAILED: "EKS could not delete it.",
  UPDATE_FAILED: "Its last update failed.",
};

/** Node groups and add-ons that are not as the state says: failed, degraded, or missing in AWS. */
export function partProblems({ clusterName }: CapacityRequest, { parts = {}, own }: PreflightFacts): Problem[] {
  return (["groups", "addons"] as const).flatMap((kind) => {
    const found = parts[kind] ?? [];
    const known = own?.filter(({ type, id }) => type === kinds[kind].type && id.startsWith(`${clusterName}:`));
    const named = known?.map(({ id, urn }) => ({ name: id.slice(clusterName.length + 1), urn }));
    const lost = named?.filter(({ name }) => found.every((part) => part.name !== name)) ?? [];
    return [
      ...found.flatMap((part) => brokenPart(part, clusterName, kind, named)),
      ...(parts[kind] ? lost.map(({ name }) => missingPart(name, clusterName, kind)) : []),
    ];
  });
}

/** @param own what the state has of this kind in the cluster; undefined if the state is not known */
function brokenPart(
  { name, status, issues = [] }: RunningPart,
  clusterName: string,
  kind: Kind,
  own: readonly { readonly name: string; readonly urn: string }[] | undefined,
): Problem[] {
  const meaning = meanings[status];
  const inState = own?.find((one) => one.name === name);
  if (meaning === undefined || (own && !inState)) return [];
  const { noun, show } = kinds[kind];
  const urn = inState ? shellText([inState.urn]) : "URN, from pulumi stack --show-urns";
  const replace = `replace it: pulumi up --target-replace ${urn}, then pulumi up`;
  const command = shellText(["aws", "eks", show[0], "--cluster-name", clusterName, show[1], name]);
  const fix = status === "DEGRADED" ? `remove the cause that ${command} shows; or ${replace}` : replace;
  const why = [`The ${noun} ${name} is ${status}. ${meaning}`, ...issues].join(" ");
  return [{ code: "conflict", path: pathOf(clusterName, kind, name), got: status, why, fix }];
}

function missingPart(name: string, clusterName: string, kind: Kind): Problem {
  const why = `The ${kinds[kind].noun} ${name} is in the state, but does not exist in AWS. Without a refresh, an update treats it as unchanged.`;
  const fix = "create it again: pulumi up --refresh";
  return { code: "missing", path: pathOf(clusterName, kind, name), got: undefined, why, fix };
}

function pathOf(clusterName: string, kind: Kind, name: string): string {
  return kind === "addons" ? step("addons", name) : (sectionOf(clusterName, name) ?? "node groups");
}
