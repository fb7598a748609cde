import type { Problem } from "../core/problems";
import { step } from "../core/reader/paths";
import { shellText } from "../core/text";
import type { OwnObject } from "./own-objects";
import type { CapacityRequest, PreflightFacts } from "./preflight-facts";
import { groupPrefix } from "./running-group";

/** A node group or an add-on of the cluster. */
export interface RunningPart {
  readonly name: string;
  /** E.g. `ACTIVE` or `CREATE_FAILED`. */
  readonly status: string;
  /** What EKS reports as wrong; none in a preview, whose functions do not return it. */
  readonly issues?: readonly string[];
}

const kinds = {
  groups: { type: "aws:eks/nodeGroup:NodeGroup", noun: "node group", show: ["describe-nodegroup", "--nodegroup-name"] },
  addons: { type: "aws:eks/addon:Addon", noun: "add-on", show: ["describe-addon", "--addon-name"] },
} as const;
type Kind = keyof typeof kinds;

/** What a status means that does not end by itself. */
const meanings: Readonly<Record<string, string>> = {
  CREATE_FAILED: "EKS does not repair it, and the engine takes it for created once an update has repeated nothing.",
  DEGRADED: "EKS keeps this status until what it reports is solved.",
  DELETE_FAILED: "EKS could not delete it.",
  UPDATE_FAILED: "Its last update failed.",
};

/** Node groups and add-ons that are not as the state says: failed, degraded, or missing in AWS. */
export function partProblems(request: CapacityRequest, facts: PreflightFacts): Problem[] {
  const { clusterName } = request;
  const { groups, addons } = facts.parts ?? {};
  return Object.entries({ groups, addons }).flatMap(([kind, parts]) => {
    if (!parts) return [];
    const own = facts.own?.filter(
      ({ type, id }) => type === kinds[kind as Kind].type && id.startsWith(`${clusterName}:`),
    );
    const judged = { clusterName, kind: kind as Kind, own };
    return [...parts.flatMap((part) => brokenPart(part, judged)), ...missingParts(parts, judged)];
  });
}

interface Judged {
  readonly clusterName: string;
  readonly kind: Kind;
  /** What the state has of this kind in the cluster; undefined if the state is not known. */
  readonly own: readonly OwnObject[] | undefined;
}

function brokenPart({ name, status, issues = [] }: RunningPart, { clusterName, kind, own }: Judged): Problem[] {
  const meaning = meanings[status];
  const inState = own?.find(({ id }) => id === `${clusterName}:${name}`);
  if (meaning === undefined || (own && !inState)) return [];
  const { noun, show } = kinds[kind];
  const urn = inState ? shellText([inState.urn]) : "URN, of pulumi stack --show-urns";
  const replace = `replace it: pulumi up --target-replace ${urn}, then pulumi up`;
  const command = shellText(["aws", "eks", show[0], "--cluster-name", clusterName, show[1], name]);
  const cause = `remove the cause that ${command} shows; or `;
  return [
    {
      ...{ code: "conflict", path: pathOf(clusterName, kind, name), got: status },
      why: [`The ${noun} ${name} is ${status}. ${meaning}`, ...issues].join(" "),
      fix: status === "DEGRADED" ? cause + replace : replace,
    },
  ];
}

function missingParts(parts: readonly RunningPart[], { clusterName, kind, own = [] }: Judged): Problem[] {
  const names = new Set(parts.map(({ name }) => `${clusterName}:${name}`));
  return own
    .filter(({ id }) => !names.has(id))
    .map(({ id }) => {
      const name = id.slice(clusterName.length + 1);
      const why = `The ${kinds[kind].noun} ${name} is in the state, but AWS does not have it. Without a refresh, an update takes it for unchanged.`;
      const fix = "create it again: pulumi up --refresh";
      return { code: "missing", path: pathOf(clusterName, kind, name), got: undefined, why, fix };
    });
}

function pathOf(clusterName: string, kind: Kind, name: string): string {
  if (kind === "addons") return step("addons", name);
  return (
    (["systemNodes", "gpuNodes"] as const).find((section) => name.startsWith(groupPrefix(clusterName, section))) ??
    "node groups"
  );
}
