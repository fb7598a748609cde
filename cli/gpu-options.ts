import type { Problem } from "../components/core/problems";
import { shellText } from "../components/core/text";
import { nearest } from "../components/core/suggest";
import { withoutUndefined } from "../components/core/reader/records";
import { missingOption, optionProblem, readCommandLine, separateWords } from "./command-line";

const actions = ["up", "down", "status"] as const;

/** The options of `eks-gpu-lab gpu`. */
export interface GpuOptions {
  readonly action: (typeof actions)[number];
  /** Of `up`. @default the number of the stack's lab, or 1 */
  readonly nodes?: number;
  /** The group, or else the stack that it belongs to. */
  readonly cluster?: string;
  readonly nodegroup?: string;
  readonly region?: string;
  readonly stack?: string;
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly json: boolean;
  readonly dryRun: boolean;
  readonly timeoutMs: number;
}

const options = {
  stack: { type: "string", short: "s" },
  cluster: { type: "string" },
  nodegroup: { type: "string" },
  region: { type: "string" },
  context: { type: "string" },
  kubeconfig: { type: "string" },
  timeout: { type: "string" },
  "dry-run": { type: "boolean" },
  json: { type: "boolean" },
} as const;

export const gpuHelp = `usage: eks-gpu-lab gpu up [N] | down | status [options]

Starts and ends a session of GPU nodes, and shows what runs and what it costs. Uses your AWS
credentials as the AWS CLI does, or the stack's aws:profile.

  gpu up [N]             check quota, addresses and zone, request N nodes in total, wait until they
                         are Ready and advertise GPUs, and show the cost per hour; if they do not
                         come, say why (default: the number that the stack's lab needs, or 1); after
                         the end of the stack's lease, start none
  gpu down               warn about pods that hold GPUs, set desired and min to 0, wait until the
                         instances are gone
  gpu status             show sizes, instances, nodes, GPUs and who holds them, problems, the cost
                         per hour, and when the lease ends the nodes

  -s, --stack NAME       read cluster and node group from the outputs of this stack (default: the
                         selected stack)
      --cluster NAME     name of the EKS cluster, instead of a stack; with --nodegroup
      --nodegroup NAME   name of the managed node group
      --region NAME      AWS region (default: that of the stack, or of your AWS environment)
      --context NAME     context of the kubeconfig (default: the one of this cluster, if there is
                         one)
      --kubeconfig FILE  path of the kubeconfig (default: KUBECONFIG or ~/.kube/config)
      --timeout SECONDS  how long up and down wait (default: 1200)
      --dry-run          check and show what up or down would do, and change nothing
      --json             print the result as JSON, and everything else to standard error

Examples:
  eks-gpu-lab gpu up 1 --stack gpu-lab
  eks-gpu-lab gpu status --cluster myeks --nodegroup myeks-gpu --region ap-northeast-2

Ctrl-C ends the waiting and undoes nothing: a request that EKS received stays in effect. The last
lines state what is in effect.

exit status:
  0  done, or nothing is wrong
  1  not all nodes started or stopped, or something is wrong
  2  the input is invalid, the account cannot start the nodes, the lease has ended, or AWS refuses,
     before anything is changed
  3  the tool failed
`;

/**
 * Reads the command line.
 *
 * @throws InputError with all problems
 */
export function readGpuOptions(args: readonly string[]): GpuOptions {
  const { words, rest } = separateWords(options, args);
  const line = readCommandLine(options, rest);
  const given = withoutUndefined({
    stack: line.text("stack"),
    cluster: line.text("cluster"),
    nodegroup: line.text("nodegroup"),
    region: line.text("region"),
    context: line.text("context"),
    kubeconfig: line.text("kubeconfig"),
  });
  const [action, count] = words;
  const dryRun = line.flag("dry-run");
  const timeout = line.text("timeout");
  line.refuse([
    ...wordProblems(words),
    ...placeProblems(given),
    ...timeoutProblems(timeout),
    ...statusProblems(action, { timeout, dryRun }),
  ]);
  return {
    ...{ action: action as GpuOptions["action"], json: line.flag("json"), dryRun },
    ...{ timeoutMs: Number(timeout ?? 1200) * 1000 },
    ...given,
    ...(count !== undefined && { nodes: Number(count) }),
  };
}

function wordProblems([action, count, ...more]: readonly string[]): Problem[] {
  const known: readonly string[] = actions;
  if (action === undefined || !known.includes(action)) {
    const guess = action === undefined ? undefined : nearest(action, known);
    const fix = guess === undefined ? "use gpu up, gpu down or gpu status" : `did you mean gpu ${guess}?`;
    return [optionProblem("gpu", action, "Must be up, down or status.", fix)];
  }
  if (count === undefined) return [];
  const surplus = more.map((word) => optionProblem(`gpu ${action}`, word, "Only one number is allowed.", "remove it"));
  if (action !== "up") return [optionProblem(`gpu ${action}`, count, "Takes no number.", "remove it"), ...surplus];
  return [...countProblems(count), ...surplus];
}

function countProblems(count: string): Problem[] {
  if (count === "0") return [optionProblem("gpu up", count, "Starts at least one node.", "use gpu down")];
  if (/^[1-9]\d{0,2}$/.test(count)) return [];
  return [optionProblem("gpu up", count, "Must be a number of nodes, 1 to 999.", "use e.g. gpu up 1")];
}

function placeProblems(given: Pick<GpuOptions, "stack" | "cluster" | "nodegroup">): Problem[] {
  const { stack, cluster, nodegroup } = given;
  const one = (path: string, why: string, fix: string) => [missingOption(path, undefined, why, fix)];
  if (stack !== undefined && (cluster ?? nodegroup) !== undefined) {
    const why = "Cannot be combined with --cluster and --nodegroup, which select a node group without a stack.";
    return [optionProblem("--stack", stack, why, "remove --stack, or the other two")];
  }
  if (cluster !== undefined && nodegroup === undefined) {
    const fix = `choose one of aws eks list-nodegroups --cluster-name ${shellText([cluster])}`;
    return one("--nodegroup", "A cluster has several node groups.", fix);
  }
  if (nodegroup !== undefined && cluster === undefined) {
    return one("--cluster", "A node group belongs to a cluster.", "choose one of aws eks list-clusters");
  }
  return [];
}

function timeoutProblems(got: string | undefined): Problem[] {
  if (got === undefined || (/^[1-9]\d{0,4}$/.test(got) && Number(got) <= 86_400)) return [];
  const fix = "use a number of seconds, e.g. --timeout 900";
  return [optionProblem("--timeout", got, "Must be a whole number of seconds from 1 to 86400.", fix)];
}

function statusProblems(
  action: string | undefined,
  { timeout, dryRun }: { readonly timeout: string | undefined; readonly dryRun: boolean },
): Problem[] {
  if (action !== "status") return [];
  const why = "Cannot be combined with status, which neither waits nor changes anything.";
  return [
    ...(timeout === undefined ? [] : [optionProblem("--timeout", timeout, why, "remove it")]),
    ...(dryRun ? [optionProblem("--dry-run", true, why, "remove it")] : []),
  ];
}
