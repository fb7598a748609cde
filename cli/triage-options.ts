import type { Problem } from "../components/core/problems";
import { withoutUndefined } from "../components/core/reader/records";
import type { Subject } from "../triage/snapshot/dump";
import { optionProblem, readCommandLine, separateWords } from "./command-line";

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

Finds out why a GPU pod does not run. Checks the pod, its node, the DaemonSet of the device plugin,
the GPU Operator and the logs of the node, and draws conclusions. Each conclusion has its evidence
and the command to run next. Triage only reads: it runs none of these commands and changes nothing.

  triage                     check the whole cluster
  triage pod NAME            check one pod
  triage node NAME           check one node

  -n, --namespace NAME       namespace of the pod (default: the namespace of the context); without a
                             pod, check only the pods of this namespace
      --context NAME         context of the kubeconfig (default: the current context)
      --kubeconfig FILE      path of the kubeconfig (default: KUBECONFIG or ~/.kube/config)
      --log FILE             check a journal of containerd (sudo journalctl -u containerd) for
                             runtime errors; - reads standard input
      --no-logs              do not read the logs of the operator and the device plugin
      --timeout SECONDS      maximum time for each response of the API server (default: 15)
      --save FILE            save the data that was read, without secrets, environment values and
                             commands
  -f, --from FILE            check a saved dump or the output of kubectl get ... -o json instead of
                             a cluster; repeatable; - reads standard input
      --json                 print the report as JSON

Examples:
  eks-gpu-lab triage
  eks-gpu-lab triage pod trainer --namespace team-a
  eks-gpu-lab triage --from cluster.json

exit status:
  0  nothing found
  1  problems found
  2  the input is invalid or the cluster cannot be read
  3  the tool failed
`;

/**
 * Reads the command line.
 *
 * @throws InputError with every problem
 */
export function readTriageOptions(args: readonly string[]): TriageOptions {
  const { words: separate, rest } = separateWords(options, args);
  // As kubectl does: pod/NAME.
  const words = separate.flatMap((word) => word.split("/"));
  const line = readCommandLine(options, rest);
  const from = line.texts("from").filter((text) => text !== "" && text !== "true");
  const given = withoutUndefined({
    namespace: line.text("namespace"),
    context: line.text("context"),
    kubeconfig: line.text("kubeconfig"),
    save: line.text("save"),
    log: line.text("log"),
  });
  const timeout = line.text("timeout");
  const { namespace } = given;
  line.refuse([
    ...subjectProblems(words),
    ...(namespace === undefined ? [] : nameProblems("--namespace", namespace)),
    ...timeoutProblems(timeout),
    ...sourceProblems(given, from),
  ]);
  const [kind, name] = words;
  return {
    ...given,
    from,
    logs: !line.flag("no-logs"),
    json: line.flag("json"),
    timeoutMs: Number(timeout ?? 15) * 1000,
    ...(kind !== undefined && name !== undefined && { subject: { kind: kind as Subject["kind"], name } }),
  };
}

function timeoutProblems(got: string | undefined): Problem[] {
  if (got === undefined || /^[1-9]\d{0,2}$/.test(got)) return [];
  const fix = "use a number of seconds, e.g. --timeout 30";
  return [optionProblem("--timeout", got, "Must be a whole number of seconds from 1 to 999.", fix)];
}

/** Options of a cluster together with a saved dump, and standard input used twice. */
function sourceProblems(
  given: Pick<TriageOptions, "context" | "kubeconfig" | "log">,
  from: readonly string[],
): Problem[] {
  const why = "Cannot be combined with --from: triage checks a saved dump without a cluster.";
  const ofCluster = (["context", "kubeconfig"] as const).filter(
    (option) => given[option] !== undefined && from.length > 0,
  );
  const twice = given.log === "-" && from.includes("-");
  const twiceWhy = "Standard input cannot be both the dump and the journal.";
  return [
    ...ofCluster.map((option) => optionProblem(`--${option}`, given[option], why, `remove --${option} or --from`)),
    ...(twice ? [optionProblem("--log", given.log, twiceWhy, "use a file for one of them")] : []),
  ];
}

function subjectProblems([kind, name, ...more]: readonly string[]): Problem[] {
  if (kind === undefined) return [];
  if (kind !== "pod" && kind !== "node") {
    const fix = `use pod or node, e.g. triage pod ${kind}`;
    return [optionProblem("triage", kind, "Must be pod or node.", fix)];
  }
  if (name === undefined || name === "") {
    return [
      optionProblem(
        `triage ${kind}`,
        name,
        `The name of the ${kind} is missing.`,
        `use triage ${kind} NAME, or remove ${kind}`,
      ),
    ];
  }
  const surplus = more.map((word) => optionProblem(`triage ${kind}`, word, "Only one name is allowed.", "remove it"));
  return [...nameProblems(`triage ${kind}`, name), ...surplus];
}

function nameProblems(path: string, name: string): Problem[] {
  if (/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(name)) return [];
  const why = "Must be a Kubernetes name: lowercase letters, digits, dashes and dots.";
  return [optionProblem(path, name, why, "list the names with kubectl get pods -A or kubectl get nodes")];
}
