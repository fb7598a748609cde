import { optionalProperty } from "../components/core/reader/records";
import type { Problem } from "../components/core/problems";
import { optionProblem, readCommandLine, type CommandLine } from "./command-line";

/** The options of `eks-gpu-lab plan`. */
export interface PlanOptions {
  readonly stack?: string;
  readonly all: boolean;
  readonly config: readonly string[];
  readonly pack: string;
  readonly policyConfig?: string;
  readonly json: boolean;
  readonly markdown?: string;
  readonly diagram?: string;
  readonly html?: string;
  readonly against?: string;
}

const options = {
  stack: { type: "string", short: "s" },
  all: { type: "boolean" },
  config: { type: "string", short: "c", multiple: true },
  pack: { type: "string" },
  "policy-config": { type: "string" },
  json: { type: "boolean" },
  markdown: { type: "string" },
  diagram: { type: "string" },
  html: { type: "string" },
  against: { type: "string" },
} as const;

export const planHelp = `usage: eks-gpu-lab plan [options]

Shows the resources of a stack, their cost, and whether the policies accept them. Runs the program
of the Pulumi project in this folder without an AWS account, the Pulumi CLI or a network. It does
not replace pulumi preview.

  -s, --stack NAME         the stack; default: the only stack, or gpu-lab
      --all                every stack of the project
  -c, --config KEY=VALUE   override a configuration value, like pulumi config set --path; repeatable
      --pack NAME|PATH     the policy pack: lab (default), shared, audit, or the folder or module of
                           your own
      --policy-config FILE levels and parameters of rules, like Pulumi's --policy-pack-config
      --json               print the plan in the format of pulumi preview --json, with policies,
                           cost and leases
      --markdown FILE      write the plan as a pull-request comment; - for standard output
      --diagram FILE       draw the environment; FILE must end in .svg or .mmd (Mermaid)
      --html FILE          write a page for a browser, with the picture, its resources, the cost and
                           the findings; needs no network. With --all, one page of all stacks
      --against STACK|FILE show only the difference from another stack, or from a plan saved with
                           --json; a page of --html has both

Examples:
  eks-gpu-lab plan --stack gpu-lab
  eks-gpu-lab plan --stack gpu-lab --config gpuNodes.maxSize=4 --against gpu-lab
  eks-gpu-lab plan --all --pack ./policies
  eks-gpu-lab plan --all --html plans.html

exit status:
  0  accepted
  1  a mandatory rule failed
  2  invalid input
  3  the tool or the program failed
`;

/**
 * Reads the command line.
 *
 * @throws InputError with all problems.
 */
export function readPlanOptions(args: readonly string[], packs: readonly string[]): PlanOptions {
  const line = readCommandLine(options, args);
  const pack = line.text("pack") ?? "lab";
  line.refuse([...packProblems(pack, packs), ...combinationProblems(line)]);
  return {
    all: line.flag("all"),
    config: line.texts("config"),
    pack,
    json: line.flag("json"),
    ...optionalProperty("stack", line.text("stack")),
    ...optionalProperty("policyConfig", line.text("policy-config")),
    ...optionalProperty("markdown", line.text("markdown")),
    ...optionalProperty("diagram", line.text("diagram")),
    ...optionalProperty("html", line.text("html")),
    ...optionalProperty("against", line.text("against")),
  };
}

/** A path has a slash, or is a module, so that it cannot be mistaken for the name of a pack. */
export function isPackPath(pack: string): boolean {
  return /[/\\]|^\.\.?$|\.[cm]?[jt]s$/.test(pack);
}

function packProblems(pack: string, packs: readonly string[]): Problem[] {
  if (packs.includes(pack) || isPackPath(pack)) return [];
  const fix = `use one of ${packs.join(", ")}, or a path such as ./policies`;
  return [optionProblem("--pack", pack, "Unknown policy pack.", fix)];
}

function combinationProblems(line: CommandLine): Problem[] {
  const [diagram, html] = [line.text("diagram"), line.text("html")];
  const problems: Problem[] = [];
  if (diagram && !/\.(svg|mmd)$/.test(diagram)) {
    problems.push(optionProblem("--diagram", diagram, "Must end in .svg or .mmd.", "rename the file"));
  }
  if (html && !/\.html?$/.test(html)) {
    problems.push(optionProblem("--html", html, "Must end in .html.", "rename the file"));
  }
  if (html && html === line.text("markdown")) {
    problems.push(optionProblem("--html", html, "Is the file of --markdown, too.", "use two files"));
  }
  if (line.flag("json") && line.text("markdown") === "-") {
    const why = "Cannot be combined with --json: both would write to standard output.";
    problems.push(optionProblem("--markdown", "-", why, "use --markdown FILE, or remove --json"));
  }
  if (line.flag("all") && ["stack", "diagram", "against"].some((option) => line.text(option) !== undefined)) {
    const why = "Cannot be combined with --stack, --diagram or --against.";
    problems.push(optionProblem("--all", true, why, "remove one of the options"));
  }
  return problems;
}
