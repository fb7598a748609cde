import { normalize } from "node:path";
import type { Problem } from "../../components/core/problems";
import type { Subject } from "../../triage/snapshot/dump";
import { optionProblem } from "../core/command-line";
import { defineCommand } from "../core/define-command";
import { file, flag, kubeconfig, list, text, timeout } from "../core/options";

const isName = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
const notName = "Must be a Kubernetes name: lowercase letters, digits, dashes and dots.";
const listNames = "list the names with kubectl get pods -A or kubectl get nodes";

/** The command line of `eks-gpu-lab triage`. */
export const triageCommand = defineCommand({
  summary: "find out why a GPU pod does not run, in a cluster or in a saved dump",
  options: {
    namespace: text("NAME", "namespace of the pod; without a pod, check only the pods of this namespace", {
      default: "the namespace of the context",
      short: "n",
      form: [isName, notName, listNames],
    }),
    context: text("NAME", "context of the kubeconfig", { default: "the current context" }),
    kubeconfig,
    log: file(
      "check a journal of containerd (sudo journalctl -u containerd) for runtime errors; - reads standard input",
    ),
    noLogs: flag("do not read the logs of the operator and the device plugin"),
    timeout: timeout("maximum time for each response of the API server", 999, 15, 30),
    save: file(
      "save the data that was read, without secrets, environment values or commands; replaces an existing file",
    ),
    compare: file("show what changed in the cluster since --save wrote this file, instead of the report"),
    from: list(
      "FILE",
      "check files instead of a cluster: the file from --save, the output of kubectl get ... -o json or -o yaml, or the directory or .tar.gz of kubectl cluster-info dump, must-gather.sh or eks-log-collector.sh; - reads standard input",
      { short: "f", offers: ["files"] },
    ),
    json: flag("print the report as JSON"),
  },
  words: { names: ["pod", "node"], problems: subjectProblems, read: subjectIn },
  conflicts: ({ from, context, kubeconfig, log, compare, save, namespace, noLogs }, words) => {
    const [isDump, why] = [
      from.length > 0,
      "Cannot be combined with --from: triage checks a saved dump without a cluster.",
    ];
    const twice = "Standard input can be one file only.";
    const isSame = compare !== undefined && save !== undefined && normalize(compare) === normalize(save);
    const isPart = compare !== undefined && (words.length > 0 || namespace !== undefined || noLogs);
    return [
      [isPart, "compare", "Cannot be limited to a part of the cluster or of the logs.", "remove the others"],
      [isSame, "save", "Would replace the file of --compare.", "use another file"],
      [compare === "-" && [log, ...from].includes("-"), "compare", twice, "use a file for one of them"],
      [isDump && context !== undefined, "context", why, "remove --context or --from"],
      [isDump && kubeconfig !== undefined, "kubeconfig", why, "remove --kubeconfig or --from"],
      [log === "-" && from.includes("-"), "log", twice, "use a file for one of them"],
    ];
  },
  help: (options) => `usage: eks-gpu-lab triage [pod|node] [NAME] [options]

Finds out why a GPU pod does not run. Checks the pod, its node, the DaemonSet of the device plugin,
the GPU Operator and the logs of the node, and draws conclusions. Each conclusion has its evidence
and the command to run next. Triage only reads: it runs none of these commands and changes nothing.

  triage                     check the whole cluster
  triage pod NAME            check one pod
  triage node NAME           check one node
  triage --compare FILE      show what changed since --save wrote FILE

${options(29)}

Examples:
  eks-gpu-lab triage
  eks-gpu-lab triage pod trainer --namespace team-a
  eks-gpu-lab triage --from cluster.json
  eks-gpu-lab triage --save before.json
  eks-gpu-lab triage --compare before.json

exit status:
  0  nothing found; with --compare: nothing got worse; problems of the saved file can remain
  1  problems found; with --compare: a new problem, or less is ready than before
  2  the input is invalid or the cluster cannot be read
  3  the tool failed
`,
});

/** As kubectl does: pod/NAME. */
function parts(words: readonly string[]): string[] {
  return words.flatMap((word) => word.split("/"));
}

function subjectIn(words: readonly string[]): { readonly subject?: Pick<Subject, "kind" | "name"> } {
  const [kind, name] = parts(words);
  return kind !== undefined && name !== undefined ? { subject: { kind: kind as Subject["kind"], name } } : {};
}

function subjectProblems(words: readonly string[]): Problem[] {
  const [kind, name, ...more] = parts(words);
  if (kind === undefined) return [];
  if (kind !== "pod" && kind !== "node") {
    const fix = `use pod or node, e.g. triage pod ${kind}`;
    return [optionProblem("triage", kind, "Must be pod or node.", fix)];
  }
  if (name === undefined || name === "") {
    const why = `The name of the ${kind} is missing.`;
    return [optionProblem(`triage ${kind}`, name, why, `use triage ${kind} NAME, or remove ${kind}`)];
  }
  const surplus = more.map((word) => optionProblem(`triage ${kind}`, word, "Only one name is allowed.", "remove it"));
  return [...(isName.test(name) ? [] : [optionProblem(`triage ${kind}`, name, notName, listNames)]), ...surplus];
}
