import type { Problem } from "../core/problems";
import { join } from "../core/reader/paths";
import { isRecord } from "../core/reader/records";
import { changeProblems, changeWarnings, isMisplaced } from "./change-rules";
import { nameProblems } from "./namesakes";
import {
  gpuOfferingProblems,
  lacksAddresses,
  quotaProblems,
  quotaUseProblems,
  quotaWarnings,
  subnetProblems,
} from "./node-rules";
import { partProblems } from "./part-rules";
import type { CapacityRequest, NodeRequest, PreflightFacts } from "./preflight-facts";
import {
  callerAddressProblems,
  creatorProblems,
  keyRegionProblems,
  permissionProblems,
  permissionWarnings,
  leftoverWarnings,
  resourcePermissionWarnings,
  secondGroupWarnings,
  sizeProblems,
  sizeWarnings,
  topicRegionProblems,
  systemOfferingProblems,
  zoneProblems,
} from "./preflight-rules";
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
   * Problems of what runs now. They pass, and an update may not start a node, so a preview only warns about them.
   * @default none
   */
  readonly passing?: (request: Request, facts: PreflightFacts) => Problem[];
  readonly warnings?: (request: Request, facts: PreflightFacts) => string[];
}

/** A check with these rules. Without any, it finds nothing. */
function check<Request>(
  id: string,
  title: string,
  needs: PreflightCheck["needs"],
  rules: Partial<PreflightCheck<Request>>,
): PreflightCheck<Request> {
  return { id, title, needs, inPreview: true, problems: () => [], ...rules };
}

/** What only a command can read. */
const commandOnly = { inPreview: false };

function withoutCluster({ clusterName }: CapacityRequest, facts: PreflightFacts): string | undefined {
  if (facts.own && facts.namesakes?.some(({ kind }) => kind === "cluster")) return "the cluster is not this stack's";
  return facts.clusterNames?.includes(clusterName) === false ? "the cluster does not exist yet" : undefined;
}

const ofCluster = { unneeded: withoutCluster };

/** Whether the zone of the GPU nodes offers their instance type. */
const gpuTypeCheck = check<NodeRequest>("gpu-type", "GPU instance type in its zone", ["zones", "offerings"], {
  problems: gpuOfferingProblems,
});

/** Whether the vCPU quota and what runs leave enough for the GPU nodes. */
const quotaCheck = check<NodeRequest>("quota", "vCPU quota of the GPU nodes", ["quotaVcpus", "vcpuUse"], {
  unneeded: ({ quotaCode }) =>
    quotaCode === undefined ? "a Capacity Block does not count against a quota" : undefined,
  problems: quotaProblems,
  passing: quotaUseProblems,
  warnings: quotaWarnings,
});

const subnetTitle = "free addresses for GPU nodes";

/** Every check, in the order of the report. */
export const preflightChecks: readonly PreflightCheck[] = [
  check("zones", "zones of the network", ["zones"], { problems: zoneProblems }),
  gpuTypeCheck,
  check("system-type", "system instance type in all zones", ["zones", "offerings"], {
    problems: systemOfferingProblems,
  }),
  quotaCheck,
  check("ami", "AMI releases", ["images"], { problems: imageProblems, warnings: imageWarnings }),
  check("addons", "add-on versions", ["addonVersions"], { ...commandOnly, problems: addonProblems }),
  check("admins", "admins of the cluster", ["callerArn", "clusterNames"], { problems: creatorProblems }),
  check("address", "your address in publicAccessCidrs", ["callerAddress"], {
    ...commandOnly,
    problems: callerAddressProblems,
  }),
  check<CapacityRequest>("subnet", subnetTitle, ["gpuSubnet"], {
    unneeded: (request, facts) =>
      request.gpuSubnetId === undefined && withoutCluster(request, facts) !== undefined
        ? "the environment creates its subnets"
        : undefined,
    passing: subnetProblems,
  }),
  check("names", "names that are free", ["clusterNames", "namesakes"], { problems: nameProblems }),
  check("secrets-key", "region of the Secrets key", ["region"], {
    unneeded: ({ secretsKeyArn }) => (secretsKeyArn === undefined ? "the environment does not name a key" : undefined),
    problems: keyRegionProblems,
  }),
  check("alarm-topics", "region of the alarm topics", ["region"], {
    unneeded: ({ alarmTopicArns = [] }) =>
      alarmTopicArns.length === 0 ? "the lease does not name a topic" : undefined,
    problems: topicRegionProblems,
  }),
  check("sizes", "sizes of running node groups", ["clusterNames", "region", "runningGroups"], {
    ...ofCluster,
    problems: sizeProblems,
    warnings: sizeWarnings,
  }),
  check("second-groups", "second node groups", ["clusterNames", "secondGroups"], {
    ...ofCluster,
    warnings: secondGroupWarnings,
  }),
  check("health", "state of node groups and add-ons", ["clusterNames", "parts"], {
    ...ofCluster,
    passing: partProblems,
  }),
  check("leftovers", "leftovers of an interrupted update", ["leftovers"], { warnings: leftoverWarnings }),
  check("changes", "changes of the running environment", ["running", "clusterNames"], {
    ...ofCluster,
    problems: changeProblems,
    warnings: changeWarnings,
  }),
  check("permissions", "IAM permissions", ["permissions"], {
    ...commandOnly,
    problems: permissionProblems,
    warnings: permissionWarnings,
  }),
];

/** The checks of a session that starts nodes in an existing node group: a problem means that nodes cannot start. */
export const sessionChecks: readonly PreflightCheck<NodeRequest>[] = [
  gpuTypeCheck,
  quotaCheck,
  check("subnet", subnetTitle, ["gpuSubnet"], {
    ...commandOnly,
    problems: (request, facts) => (lacksAddresses(request, facts) ? subnetProblems(request, facts) : []),
    warnings: (request, facts) =>
      lacksAddresses(request, facts) ? [] : subnetProblems(request, facts).map(passingText),
  }),
  check("permissions", "IAM permissions", ["permissions"], {
    ...commandOnly,
    problems: permissionProblems,
    warnings: resourcePermissionWarnings,
  }),
];

/**
 * Problems of valid arguments with the region, the account or existing resources. `at` prefixes the paths.
 *
 * @param request what `preflightRequest` returns: undefined for invalid arguments is a problem
 */
export function preflightProblems(request: CapacityRequest | undefined, facts: PreflightFacts, at = ""): Problem[] {
  if (!isRecord(request)) {
    const why = "The arguments of the environment are invalid, so the requirements for the account are not known.";
    const fix = "correct the arguments; gpuEnvironmentProblems lists the problems";
    return [{ code: "missing", path: at === "" ? "the arguments" : at, got: undefined, why, fix }];
  }
  // What the wrong account or region lacks is not a problem of this environment.
  const checks = isMisplaced(request, facts) ? preflightChecks.filter(({ id }) => id === "changes") : preflightChecks;
  const problems = checks.flatMap((check) => check.problems(request, facts));
  return problems.map((problem) => ({ ...problem, path: join(at, problem.path) }));
}

/** Warnings about valid arguments; none for invalid arguments. */
export function preflightWarnings(request: CapacityRequest | undefined, facts: PreflightFacts): string[] {
  if (!isRecord(request)) return [];
  return preflightChecks.flatMap(({ passing, warnings }) => [
    ...(passing?.(request, facts) ?? []).map(passingText),
    ...(warnings?.(request, facts) ?? []),
  ]);
}

/** A problem that passes, as a warning. */
function passingText({ path, why, fix }: Problem): string {
  return `${path}: ${why} So that all nodes can start, ${fix}.`;
}
