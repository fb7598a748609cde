import type { Problem } from "../../components/core/problems";
import { withoutUndefined } from "../../components/core/reader/records";
import { nearest } from "../../components/core/suggest";
import { shellText } from "../../components/core/text";
import { optionProblem } from "../core/command-line";
import { defineCommand } from "../core/define-command";
import { flag, kubeconfig, region, stack, text, timeout } from "../core/options";

const actions = ["up", "down", "status"] as const;

const notWithGroup = "Cannot be combined with --cluster and --nodegroup, which select a node group without a stack.";
const notNamed = "Must be set: without a stack, the command needs the cluster and the node group.";
const notWithStatus = "Cannot be combined with status, which neither waits nor changes anything.";

/** The command line of `eks-gpu-lab gpu`. */
export const gpuCommand = defineCommand({
  summary: "start, end and show a session of GPU nodes on AWS, with its cost",
  options: {
    stack: stack("read the cluster and the node group from the outputs of this stack", "the selected stack"),
    cluster: text("NAME", "name of the EKS cluster, instead of a stack; with --nodegroup"),
    nodegroup: text("NAME", "name of the managed node group"),
    region,
    context: text("NAME", "context of the kubeconfig", {
      default: "the context of this cluster, if the kubeconfig has one",
    }),
    kubeconfig,
    timeout: timeout("how long up and down wait", 86_400, 1200, 900),
    dryRun: flag("check and show what up or down would do, and change nothing"),
    json: flag("print the result as JSON, and everything else to standard error"),
  },
  words: {
    names: actions,
    problems: wordProblems,
    read: ([action, count]) => ({
      action: action as (typeof actions)[number],
      // Of `up`; without one, the number of the stack's lab, or 1.
      ...withoutUndefined({ nodes: count === undefined ? count : Number(count) }),
    }),
  },
  conflicts: ({ stack, cluster, nodegroup, timeout, dryRun }, [action]) => {
    const isStatus = action === "status";
    const [isStack, isGroup] = [stack !== undefined, (cluster ?? nodegroup) !== undefined];
    const [groups, clusters] = [`list-nodegroups --cluster-name ${shellText([cluster ?? ""])}`, "list-clusters"];
    const lacks = (option: string | undefined) => isGroup && !isStack && option === undefined;
    return [
      [isStack && isGroup, "stack", notWithGroup, "remove --stack, or the other two"],
      [lacks(nodegroup), "nodegroup", notNamed, `add --nodegroup NAME; aws eks ${groups} lists the names`],
      [lacks(cluster), "cluster", notNamed, `add --cluster NAME; aws eks ${clusters} lists the names`],
      [isStatus && timeout !== undefined, "timeout", notWithStatus, "remove it"],
      [isStatus && dryRun, "dryRun", notWithStatus, "remove it"],
    ];
  },
  help: (options) => `usage: eks-gpu-lab gpu up [N] | down | status [options]

Starts and ends a session of GPU nodes, and shows what runs and what it costs. Uses your AWS
credentials as the AWS CLI does, or the stack's aws:profile.

  gpu up [N]             check quota, addresses and zone, request N nodes in total, wait until they
                         are Ready and advertise GPUs, and show the cost per hour; if they do not
                         start, say why (default: the number that the stack's lab needs, or 1);
                         after the end of the stack's lease, do not start nodes
  gpu down               warn about pods that hold GPUs, set desired and min to 0, wait until the
                         instances are gone
                         for a NodePool, up restores the limit, and down sets it to 0 and terminates
                         its nodes
  gpu status             show sizes, instances, nodes, GPUs and who holds them, problems, the cost
                         per hour, and when the lease ends the nodes

${options(25)}

Examples:
  eks-gpu-lab gpu up 1 --stack gpu-lab
  eks-gpu-lab gpu status --cluster myeks --nodegroup myeks-gpu --region ap-northeast-2

Ctrl-C ends the wait and does not undo anything: a request that EKS received stays in effect. The
last lines state what is in effect.

exit status:
  0  done, or nothing is wrong
  1  not all nodes started or stopped, or something is wrong
  2  the input is invalid, the account cannot start the nodes, the lease has ended, or AWS refuses,
     before anything is changed
  3  the tool failed
`,
});

export type GpuOptions = ReturnType<typeof gpuCommand.read>;

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
  if (count === "0") return [optionProblem("gpu up", count, "Must be at least one node.", "use gpu down")];
  if (/^[1-9]\d{0,2}$/.test(count)) return [];
  return [optionProblem("gpu up", count, "Must be a number of nodes, 1 to 999.", "use e.g. gpu up 1")];
}
