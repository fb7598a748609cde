import { InputError, type Problem } from "../components/core/problems";
import type { Subject } from "../triage/dump/dump";
import { complaint, readCommandLine } from "./command-line";

/** What `eks-gpu-lab triage` was asked for. */
export interface TriageOptions {
  /** A pod's namespace may come from the kubeconfig's context later. */
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

Finds out why a GPU pod does not run: walks from the pod to its node, the device plugin's DaemonSet, the GPU Operator and
the inside of the node, and ends with conclusions, each with its evidence and the next command. Reads only: it runs no
command of those it names, and changes nothing. Without a name it looks at the whole cluster.

  triage                     the cluster
  triage pod NAME            one pod, in the namespace of -n or of the context
  triage node NAME           one node

  -n, --namespace NAME       the namespace of the pod; without a pod, the only namespace whose pods are judged
      --context NAME         a context of the kubeconfig; default its current one
      --kubeconfig FILE      default KUBECONFIG or ~/.kube/config
      --log FILE             a journal of containerd (sudo journalctl -u containerd), to tell what ails the runtime; -
                             for standard input
      --no-logs              read no logs of the operator and the device plugin
      --timeout SECONDS      how long one answer of the API server may take; default 15
      --save FILE            write what was read, without secrets, environment values and commands
  -f, --from FILE            judge a saved dump, or the output of kubectl get ... -o json, and no cluster; repeatable;
                             - for standard input
      --json                 the report as JSON

exit status: 0 nothing found, 1 something found, 2 the input is wrong or the cluster cannot be read, 3 the tool failed
`;

/**
 * Reads the command line.
 *
 * @throws InputError with every mistake in it.
 */
export function readTriageOptions(args: readonly string[]): TriageOptions {
  const { words, rest } = takeWords(args);
  const line = readCommandLine(options, rest);
  const from = line.texts("from").filter((text) => text !== "" && text !== "true");
  const [namespace, context, kubeconfig] = [line.text("namespace"), line.text("context"), line.text("kubeconfig")];
  const [save, log, timeout] = [line.text("save"), line.text("log"), line.text("timeout")];
  const problems: Problem[] = [...line.problems, ...subjectProblems(words)];
  if (namespace !== undefined) problems.push(...nameProblems("--namespace", namespace));
  if (timeout !== undefined && !/^[1-9]\d{0,2}$/.test(timeout)) {
    const fix = "write for example --timeout 30";
    problems.push(complaint("--timeout", timeout, "It must be a whole number of seconds, from 1 to 999.", fix));
  }
  for (const [option, given] of Object.entries({ context, kubeconfig })) {
    if (given === undefined || from.length === 0) continue;
    const why = "A saved dump is judged without a cluster.";
    problems.push(complaint(`--${option}`, given, why, `leave out --${option} or --from`));
  }
  if (log === "-" && from.includes("-")) {
    const why = "Standard input cannot be both the dump and the journal.";
    problems.push(complaint("--log", log, why, "name a file for one of them"));
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

/** Words that belong to no option: options may stand before and after them. `pod/NAME` is taken apart, as kubectl does. */
function takeWords(args: readonly string[]): { words: readonly string[]; rest: readonly string[] } {
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
    const fix = `choose pod or node, e.g. triage pod ${kind}`;
    return [complaint("triage", kind, "It is neither pod nor node.", fix)];
  }
  if (name === undefined || name === "") {
    return [
      complaint(
        `triage ${kind}`,
        name,
        `The name of the ${kind} is missing.`,
        `write triage ${kind} NAME, or leave ${kind} out`,
      ),
    ];
  }
  const surplus = more.map((word) => complaint(`triage ${kind}`, word, "One name at a time.", "leave it out"));
  return [...nameProblems(`triage ${kind}`, name), ...surplus];
}

function nameProblems(path: string, name: string): Problem[] {
  if (/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(name)) return [];
  const why = "It is no name of Kubernetes: small letters, digits, dashes and dots.";
  return [complaint(path, name, why, "see kubectl get pods -A, or kubectl get nodes")];
}
