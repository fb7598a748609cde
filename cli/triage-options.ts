import { InputError, type Problem } from "../components/core/problems";
import type { Subject } from "../triage/snapshot/dump";
import { complaint, readCommandLine } from "./command-line";

/** The options of `eks-gpu-lab triage`. */
export interface TriageOptions {
  /** Without a namespace: the namespace of a pod can come from the context of the kubeconfig. */
  readonly subject?: { readonly kind: Subject["kind"]; readonly name: string };
  readonly namespace?: string;
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly from: readonly string[];
  readonly save?: string;
  readonly log?: string;
  readonly logs: boolean;
  readonly json: boolean;
  readonly timeoutMs: number;
}

const options = {
  namespace: { type: "string", short: "n" },
  context: { type: "string" },
  kubeconfig: { type: "string" },
  from: { type: "string", short: "f", multiple: true },
  save: { type: "string" },
  log: { type: "string" },
  "no-logs": { type: "boolean" },
  timeout: { type: "string" },
  json: { type: "boolean" },
} as const;

export const triageHelp = `usage: eks-gpu-lab triage [pod|node] [NAME] [options]

Finds out why a GPU pod does not run. Checks the pod, its node, the DaemonSet of the device plugin, the GPU Operator and
the logs of the node, and draws conclusions. Each conclusion has its evidence and the command to run next. Triage only
reads: it runs none of these commands and changes nothing.

  triage                     check the whole cluster
  triage pod NAME            check one pod
  triage node NAME           check one node

  -n, --namespace NAME       namespace of the pod (default: the namespace of the context); without a pod, check only
                             the pods of this namespace
      --context NAME         context of the kubeconfig (default: the current context)
      --kubeconfig FILE      path of the kubeconfig (default: KUBECONFIG or ~/.kube/config)
      --log FILE             check a journal of containerd (sudo journalctl -u containerd) for runtime errors; - reads
                             standard input
      --no-logs              do not read the logs of the operator and the device plugin
      --timeout SECONDS      maximum time for each response of the API server (default: 15)
      --save FILE            save the data that was read, without secrets, environment values and commands
  -f, --from FILE            check a saved dump or the output of kubectl get ... -o json instead of a cluster;
                             repeatable; - reads standard input
      --json                 print the report as JSON

exit status: 0 nothing found, 1 problems found, 2 the input is invalid or the cluster cannot be read, 3 the tool failed
`;

/**
 * Reads the command line.
 *
 * @throws InputError with every problem
 */
export function readTriageOptions(args: readonly string[]): TriageOptions {
  const { words, rest } = separateWords(args);
  const line = readCommandLine(options, rest);
  const from = line.texts("from").filter((text) => text !== "" && text !== "true");
  const [namespace, context, kubeconfig] = [line.text("namespace"), line.text("context"), line.text("kubeconfig")];
  const [save, log, timeout] = [line.text("save"), line.text("log"), line.text("timeout")];
  const problems: Problem[] = [...line.problems, ...subjectProblems(words)];
  if (namespace !== undefined) problems.push(...nameProblems("--namespace", namespace));
  if (timeout !== undefined && !/^[1-9]\d{0,2}$/.test(timeout)) {
    const fix = "use a number of seconds, e.g. --timeout 30";
    problems.push(complaint("--timeout", timeout, "Must be a whole number of seconds from 1 to 999.", fix));
  }
  for (const [option, given] of Object.entries({ context, kubeconfig })) {
    if (given === undefined || from.length === 0) continue;
    const why = "Cannot be combined with --from: triage checks a saved dump without a cluster.";
    problems.push(complaint(`--${option}`, given, why, `remove --${option} or --from`));
  }
  if (log === "-" && from.includes("-")) {
    const why = "Standard input cannot be both the dump and the journal.";
    problems.push(complaint("--log", log, why, "use a file for one of them"));
  }
  if (problems.length > 0) throw new InputError("the command line", problems);
  const [kind, name] = words;
  return {
    from,
    logs: !line.flag("no-logs"),
    json: line.flag("json"),
    timeoutMs: Number(timeout ?? 15) * 1000,
    ...(kind !== undefined && name !== undefined && { subject: { kind: kind as Subject["kind"], name } }),
    ...(namespace !== undefined && { namespace }),
    ...(context !== undefined && { context }),
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(save !== undefined && { save }),
    ...(log !== undefined && { log }),
  };
}

/** Separates the words from the options, in any order. Splits `pod/NAME` as kubectl does. */
function separateWords(args: readonly string[]): { words: readonly string[]; rest: readonly string[] } {
  const isWord = (arg: string, at: number) => !arg.startsWith("-") && !takesValue(args[at - 1] ?? "");
  const words = args.filter(isWord).flatMap((word) => word.split("/"));
  return { words, rest: args.filter((arg, at) => !isWord(arg, at)) };
}

function takesValue(arg: string): boolean {
  return Object.entries(options).some(([name, option]) => {
    const short = "short" in option ? `-${option.short}` : undefined;
    return option.type === "string" && (arg === `--${name}` || arg === short);
  });
}

function subjectProblems([kind, name, ...more]: readonly string[]): Problem[] {
  if (kind === undefined) return [];
  if (kind !== "pod" && kind !== "node") {
    const fix = `use pod or node, e.g. triage pod ${kind}`;
    return [complaint("triage", kind, "Must be pod or node.", fix)];
  }
  if (name === undefined || name === "") {
    return [
      complaint(
        `triage ${kind}`,
        name,
        `The name of the ${kind} is missing.`,
        `use triage ${kind} NAME, or remove ${kind}`,
      ),
    ];
  }
  const surplus = more.map((word) => complaint(`triage ${kind}`, word, "Only one name is allowed.", "remove it"));
  return [...nameProblems(`triage ${kind}`, name), ...surplus];
}

function nameProblems(path: string, name: string): Problem[] {
  if (/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(name)) return [];
  const why = "Must be a Kubernetes name: lowercase letters, digits, dashes and dots.";
  return [complaint(path, name, why, "list the names with kubectl get pods -A or kubectl get nodes")];
}
