import type { Problem } from "../core/problems";
import { join } from "../core/reader/paths";
import { isRecord } from "../core/reader/records";
import { callerAddressProblems, subnetProblems } from "./address-rules";
import { changeProblems, changeWarnings } from "./change-rules";
import { placeProblems } from "./place-rules";
import { permissionProblems, permissionWarnings } from "./permission-rules";
import { gpuTypeCheck, passingText, quotaCheck } from "./node-checks";
import type { CapacityRequest, PreflightFacts } from "./preflight-facts";
import {
  creatorProblems,
  keyRegionProblems,
  sizeProblems,
  sizeWarnings,
  systemOfferingProblems,
  zoneProblems,
} from "./preflight-rules";
import { leftoverWarnings, secondGroupWarnings } from "./preflight-leftovers";
import { nameProblems } from "./namesakes";
import { partProblems } from "./part-rules";
import { addonProblems, imageProblems, imageWarnings } from "./version-rules";

/** One check of an environment against region and account: what it reads, and what it says about that. */
export interface PreflightCheck<Request = CapacityRequest> {
  readonly id: string;
  /** What is checked, as a noun. */
  readonly title: string;
  /** What must be known for it. */
  readonly needs: readonly (keyof PreflightFacts)[];
  /** Whether a preview has these facts, too. */
  readonly inPreview: boolean;
  /** Why this environment does not need the check; undefined if it does. */
  readonly unneeded?: (request: Request, facts: PreflightFacts) => string | undefined;
  readonly problems: (request: Request, facts: PreflightFacts) => Problem[];
  /**
   * Problems of what runs now. They pass, and an update may start no node, so a preview only warns about them.
   * @default none
   */
  readonly passing?: (request: Request, facts: PreflightFacts) => Problem[];
  readonly warnings?: (request: Request, facts: PreflightFacts) => string[];
}

function withoutCluster({ clusterName }: CapacityRequest, facts: PreflightFacts): string | undefined {
  if (facts.own && facts.namesakes?.some(({ kind }) => kind === "cluster")) return "the cluster is not this stack's";
  return facts.clusterNames?.includes(clusterName) === false ? "the cluster does not exist yet" : undefined;
}

/** Every check, in the order of the report. */
export const preflightChecks: readonly PreflightCheck[] = [
  {
    ...{ id: "zones", title: "zones of the network", needs: ["zones"], inPreview: true },
    problems: zoneProblems,
  },
  gpuTypeCheck,
  {
    ...{
      id: "system-type",
      title: "system instance type in all zones",
      needs: ["zones", "offerings"],
      inPreview: true,
    },
    problems: systemOfferingProblems,
  },
  quotaCheck,
  {
    ...{ id: "ami", title: "AMI releases", needs: ["images"], inPreview: true },
    problems: imageProblems,
    warnings: imageWarnings,
  },
  {
    ...{ id: "addons", title: "add-on versions", needs: ["addonVersions"], inPreview: false },
    problems: addonProblems,
  },
  {
    ...{ id: "admins", title: "admins of the cluster", needs: ["callerArn", "clusterNames"], inPreview: true },
    problems: creatorProblems,
  },
  {
    ...{ id: "address", title: "your address in publicAccessCidrs", needs: ["callerAddress"], inPreview: false },
    problems: callerAddressProblems,
  },
  {
    ...{ id: "subnet", title: "free addresses for GPU nodes", needs: ["gpuSubnet"], inPreview: true },
    unneeded: (request, facts) =>
      request.gpuSubnetId === undefined && withoutCluster(request, facts) !== undefined
        ? "the environment creates its subnets"
        : undefined,
    problems: () => [],
    passing: subnetProblems,
  },
  {
    ...{ id: "names", title: "names that are free", needs: ["clusterNames", "namesakes"], inPreview: true },
    problems: nameProblems,
  },
  {
    ...{ id: "secrets-key", title: "region of the Secrets key", needs: ["region"], inPreview: true },
    unneeded: ({ secretsKeyArn }) => (secretsKeyArn === undefined ? "the environment names no key" : undefined),
    problems: keyRegionProblems,
  },
  {
    ...{
      id: "sizes",
      title: "sizes of running node groups",
      needs: ["clusterNames", "region", "runningGroups"],
      inPreview: true,
    },
    unneeded: withoutCluster,
    problems: sizeProblems,
    warnings: sizeWarnings,
  },
  {
    ...{ id: "second-groups", title: "second node groups", needs: ["clusterNames", "secondGroups"], inPreview: true },
    unneeded: withoutCluster,
    problems: () => [],
    warnings: (_, { secondGroups }) => secondGroupWarnings(secondGroups),
  },
  {
    ...{ id: "health", title: "state of node groups and add-ons", needs: ["clusterNames", "parts"], inPreview: true },
    unneeded: withoutCluster,
    problems: () => [],
    passing: partProblems,
  },
  {
    ...{ id: "leftovers", title: "what an interrupted update left", needs: ["leftovers"], inPreview: true },
    problems: () => [],
    warnings: (_, facts) => leftoverWarnings(facts),
  },
  {
    ...{
      id: "changes",
      title: "changes of the running environment",
      needs: ["running", "clusterNames"],
      inPreview: true,
    },
    unneeded: withoutCluster,
    problems: changeProblems,
    warnings: changeWarnings,
  },
  {
    ...{ id: "permissions", title: "IAM permissions", needs: ["permissions"], inPreview: false },
    problems: permissionProblems,
    warnings: permissionWarnings,
  },
];

/**
 * Problems of valid arguments with the region, the account or existing resources. `at` prefixes the paths.
 *
 * @param request what `preflightRequest` returns: undefined for invalid arguments is a problem
 */
export function preflightProblems(request: CapacityRequest | undefined, facts: PreflightFacts, at = ""): Problem[] {
  if (!isRecord(request)) return [invalidArguments(at)];
  // What the wrong account or region lacks is no problem of this environment.
  const checks = isMisplaced(request, facts) ? preflightChecks.filter(({ id }) => id === "changes") : preflightChecks;
  const problems = checks.flatMap((check) => check.problems(request, facts));
  return problems.map((problem) => ({ ...problem, path: join(at, problem.path) }));
}

/** Whether the cluster of the last update is elsewhere. One that the user has given up is not. */
function isMisplaced({ change }: CapacityRequest, facts: PreflightFacts): boolean {
  if (!change || change.confirm?.replaceCluster === change.formerClusterName) return false;
  return placeProblems(change, facts).length > 0;
}

function invalidArguments(at: string): Problem {
  return {
    code: "missing",
    path: at === "" ? "the arguments" : at,
    got: undefined,
    why: "The arguments of the environment are invalid, so what they need from the account is not known.",
    fix: "correct the arguments; gpuEnvironmentProblems lists what is wrong",
  };
}

/** Warnings about valid arguments; none for invalid arguments. */
export function preflightWarnings(request: CapacityRequest | undefined, facts: PreflightFacts): string[] {
  if (!isRecord(request)) return [];
  return preflightChecks.flatMap(({ passing, warnings }) => [
    ...(passing?.(request, facts) ?? []).map(passingText),
    ...(warnings?.(request, facts) ?? []),
  ]);
}
