import { nearest } from "../../components/core/suggest";
import { maxSeed } from "./choose";
import { scenarios } from "./scenarios/scenarios";
import { defineCommand } from "../core/define-command";
import { flag, kubeconfig, mapped, number, text, whole } from "../core/options";

/** The command line of `eks-gpu-lab drill`. */
export const drillCommand = defineCommand({
  summary: "practise: diagnose a random failure in a local cluster",
  options: {
    context: mapped(text("NAME", "context of the kubeconfig; required"), (context = "") => context),
    confirm: text("NAME", "the context again, if its API server is not on this machine"),
    kubeconfig,
    seed: number(
      "N",
      "repeat a drill: in the same cluster, the same seed gives the same failure and target",
      whole(0, maxSeed, "use the seed that an earlier drill has printed, e.g. --seed 4711"),
    ),
    scenario: mapped(
      text("ID", "inject this failure; the ID gives the answer away", {
        form: [(id) => scenarioOf(id) !== undefined, "Must be the ID of a scenario.", scenarioFix],
      }),
      scenarioOf,
    ),
    list: flag("list the IDs with their symptoms; needs no cluster"),
    restore: flag("restore the cluster after an interrupted drill, and exit"),
    json: flag("print the result as JSON, and everything else to standard error"),
  },
  conflicts: ({ list, restore, ...given }) => {
    const why = `Cannot be combined with --${list ? "list" : "restore"}, which injects nothing.`;
    const injects = (option: "seed" | "scenario") => list !== restore && given[option] !== undefined;
    return [
      [given.context === undefined && !list, "context", missingContext, chooseContext],
      [list && restore, "list", "Cannot be combined with --restore.", "remove one of them"],
      [injects("seed"), "seed", why, "remove --seed"],
      [injects("scenario"), "scenario", why, "remove --scenario"],
    ];
  },
  help: (options) => `usage: eks-gpu-lab drill --context NAME [options]

Practise on a local cluster with fake or mock GPUs, such as kind or KWOK. Injects one random
failure, shows its symptom, gives hints in steps, and asks for the diagnosis. Compares it with what
triage concludes, and restores the cluster: at the end, on Ctrl-C, at the end of the input and after
errors. Clusters of cloud providers are refused.

${options(27)}

Answers come from standard input, one per line: a number or an ID from the list, or plain words; h
for a hint, l for the list, q to give up.

Examples:
  eks-gpu-lab drill --context kind-gpu-lab
  eks-gpu-lab drill --list

exit status:
  0  the diagnosis was right, or the list was printed, or the cluster was restored
  1  the diagnosis was not right
  2  the input is invalid or the cluster cannot be used
  3  the tool failed, or not everything is restored
`,
});

const missingContext = "The context of a local cluster is missing. A drill changes the cluster, so it has no default.";
const chooseContext = "add --context NAME; kubectl config get-contexts lists the names";

function scenarioOf(given: string | undefined) {
  return scenarios.find(({ id }) => id === given);
}

function scenarioFix(given: string): string {
  const ids = scenarios.map(({ id }) => id);
  const guess = nearest(given, ids);
  return guess === undefined ? "list them with eks-gpu-lab drill --list" : `did you mean ${guess}?`;
}
