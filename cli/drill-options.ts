import type { Problem } from "../components/core/problems";
import { nearest } from "../components/core/suggest";
import { maxSeed } from "../drill/random";
import type { Scenario } from "../drill/scenario";
import { scenarios } from "../drill/scenarios/scenarios";
import { withoutUndefined } from "../components/core/reader/records";
import { missingOption, optionProblem, readCommandLine } from "./command-line";

/** The options of `eks-gpu-lab drill`. */
export interface DrillOptions {
  readonly mode: "drill" | "list" | "restore";
  /** Empty for a list. */
  readonly context: string;
  readonly confirm?: string;
  readonly kubeconfig?: string;
  /** @default a new one */
  readonly seed?: number;
  /** @default the seed chooses */
  readonly scenario?: Scenario;
  readonly json: boolean;
}

const options = {
  context: { type: "string" },
  confirm: { type: "string" },
  kubeconfig: { type: "string" },
  seed: { type: "string" },
  scenario: { type: "string" },
  list: { type: "boolean" },
  restore: { type: "boolean" },
  json: { type: "boolean" },
} as const;

export const drillHelp = `usage: eks-gpu-lab drill --context NAME [options]

Practise on a local cluster with fake or mock GPUs, such as kind or KWOK. Injects one random
failure, shows its symptom, gives hints in steps, and asks for the diagnosis. Compares it with what
triage concludes, and restores the cluster: at the end, on Ctrl-C, at the end of the input and after
errors. Clusters of cloud providers are refused.

      --context NAME       context of the kubeconfig; required
      --confirm NAME       the context again, if its API server is not on this machine
      --kubeconfig FILE    path of the kubeconfig (default: KUBECONFIG or ~/.kube/config)
      --seed N             repeat a drill: in the same cluster, the same seed gives the same failure
                           and target
      --scenario ID        inject this failure; the ID gives the answer away
      --list               list the IDs with their symptoms; needs no cluster
      --restore            restore what an interrupted drill has left, and end
      --json               print the result as JSON, and everything else to standard error

Answers come from standard input, one a line: a number or an ID of the list, h for a hint, l for the
list, q to give up.

Examples:
  eks-gpu-lab drill --context kind-gpu-lab
  eks-gpu-lab drill --list

exit status:
  0  right diagnosis, or listed or restored
  1  no right diagnosis
  2  the input is invalid or the cluster cannot be used
  3  the tool failed, or not everything is restored
`;

/**
 * Reads the command line.
 *
 * @throws InputError with all problems
 */
export function readDrillOptions(args: readonly string[]): DrillOptions {
  const line = readCommandLine(options, args);
  const given = withoutUndefined({
    context: line.text("context"),
    confirm: line.text("confirm"),
    kubeconfig: line.text("kubeconfig"),
  });
  const [seed, id] = [line.text("seed"), line.text("scenario")];
  const [list, restore] = [line.flag("list"), line.flag("restore")];
  const scenario = scenarios.find((one) => one.id === id);
  line.refuse([
    ...(given.context === undefined && !list ? [missingContext] : []),
    ...(seed === undefined || isSeed(seed) ? [] : [wrongSeed(seed)]),
    ...(id === undefined || scenario ? [] : [unknownScenario(id)]),
    ...modeProblems({ list, restore }, { seed, scenario: id }),
  ]);
  return {
    ...{ context: "", mode: list ? "list" : restore ? "restore" : "drill", json: line.flag("json") },
    ...given,
    ...withoutUndefined({ seed: seed === undefined ? undefined : Number(seed), scenario }),
  };
}

const missingContext = missingOption(
  "--context",
  undefined,
  "The context of a local cluster is missing. A drill changes the cluster, so it takes no default.",
  "choose one of kubectl config get-contexts, e.g. --context kind-gpu-lab",
);

function isSeed(text: string): boolean {
  return /^\d{1,10}$/.test(text) && Number(text) <= maxSeed;
}

function wrongSeed(got: string): Problem {
  const why = `Must be a whole number from 0 to ${maxSeed}.`;
  return optionProblem("--seed", got, why, "use the seed that an earlier drill has printed, e.g. --seed 4711");
}

function unknownScenario(got: string): Problem {
  const guess = nearest(
    got,
    scenarios.map(({ id }) => id),
  );
  const fix = guess === undefined ? "list them with eks-gpu-lab drill --list" : `did you mean ${guess}?`;
  return optionProblem("--scenario", got, "Must be the ID of a scenario.", fix);
}

function modeProblems(
  { list, restore }: { readonly list: boolean; readonly restore: boolean },
  given: { readonly seed: string | undefined; readonly scenario: string | undefined },
): Problem[] {
  if (list && restore) {
    return [optionProblem("--list", true, "Cannot be combined with --restore.", "remove one of them")];
  }
  if (!list && !restore) return [];
  const why = `Cannot be combined with --${list ? "list" : "restore"}, which injects nothing.`;
  const options = Object.entries(given).filter(([, value]) => value !== undefined);
  return options.map(([name, value]) => optionProblem(`--${name}`, value, why, `remove --${name}`));
}
