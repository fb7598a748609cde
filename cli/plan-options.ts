import { existsSync } from "node:fs";
import { join } from "node:path";
import { optionalProperty } from "../components/core/reader/records";
import type { Problem } from "../components/core/problems";
import { optionProblem, readCommandLine, type CommandLine } from "./command-line";

/** The options of `eks-gpu-lab plan`. */
export interface PlanOptions {
  /** Empty: the default stack, or with `all` every one. */
  readonly stacks: readonly string[];
  readonly all: boolean;
  readonly config: readonly string[];
  readonly pack: string;
  readonly policyConfig?: string;
  readonly json: boolean;
  readonly markdown?: string;
  readonly diagram?: string;
  readonly html?: string;
  readonly against?: string;
  readonly base?: string;
  /** Only stacks whose plan differs from the base. */
  readonly changed: boolean;
  readonly summary?: string;
  readonly sarif?: string;
  readonly junit?: string;
  readonly rulePages?: string;
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
  base: { type: "string" },
  changed: { type: "boolean" },
  summary: { type: "string" },
  sarif: { type: "string" },
  junit: { type: "string" },
  "rule-pages": { type: "string" },
} as const;

export const planHelp = `usage: eks-gpu-lab plan [options]

Shows the resources of a stack, their cost, and whether the policies accept them. Runs the program
of the Pulumi project in this folder without an AWS account, the Pulumi CLI or a network. It does
not replace pulumi preview.

  -s, --stack NAME[,NAME]  the stacks; default: the only stack, or gpu-lab
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

For pull requests, see docs/pull-requests.md:
      --base FILE          compare the stacks with those of the base, which --all --json has saved
      --changed            with --base and --all: only the stacks whose plan differs
      --summary FILE       with --base: also write the comment with a limit of 1 MiB, for GitHub's
                           step summary
      --sarif FILE         write the findings in SARIF 2.1.0, for code scanning
      --junit FILE         write the verdicts as JUnit XML
      --rule-pages URL     link each rule to URL/RULE.md; default: the pages in the repository that
                           package.json of this package names; without one, no link

Examples:
  eks-gpu-lab plan --stack gpu-lab
  eks-gpu-lab plan --stack gpu-lab --config gpuNodes.maxSize=4 --against gpu-lab
  eks-gpu-lab plan --all --pack ./policies
  eks-gpu-lab plan --all --html plans.html
  eks-gpu-lab plan --all --base base.json --markdown comment.md

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
export function readPlanOptions(args: readonly string[], packs: readonly string[], cwd: string): PlanOptions {
  const line = readCommandLine(options, args);
  const pack = line.text("pack") ?? "lab";
  line.refuse([...packProblems(pack, packs, cwd), ...combinationProblems(line)]);
  return {
    all: line.flag("all"),
    config: line.texts("config"),
    pack,
    json: line.flag("json"),
    stacks: stacksIn(line),
    changed: line.flag("changed"),
    ...optionalProperty("policyConfig", line.text("policy-config")),
    ...optionalProperty("markdown", line.text("markdown")),
    ...optionalProperty("diagram", line.text("diagram")),
    ...optionalProperty("html", line.text("html")),
    ...optionalProperty("against", line.text("against")),
    ...optionalProperty("base", line.text("base")),
    ...optionalProperty("summary", line.text("summary")),
    ...optionalProperty("sarif", line.text("sarif")),
    ...optionalProperty("junit", line.text("junit")),
    ...optionalProperty("rulePages", line.text("rule-pages")),
  };
}

/** The name of a stack has no comma. */
function stacksIn(line: CommandLine): string[] {
  const names = (line.text("stack") ?? "").split(",").map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ""))];
}

/** A path has a slash, or is a module, so that it cannot be mistaken for the name of a pack. */
export function isPackPath(pack: string): boolean {
  return /[/\\]|^\.\.?$|\.[cm]?[jt]s$/.test(pack);
}

function packProblems(pack: string, packs: readonly string[], cwd: string): Problem[] {
  if (packs.includes(pack) || isPackPath(pack)) return [];
  const others = `use one of ${packs.join(", ")}, or a path such as ./policies`;
  const fix = pack !== "" && existsSync(join(cwd, pack)) ? `did you mean ./${pack}?` : others;
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
  return [...problems, ...scopeProblems(line), ...baseProblems(line)];
}

/** Options that need one stack, and options that need several. */
function scopeProblems(line: CommandLine): Problem[] {
  const states = (option: string) => line.text(option) !== undefined;
  if (line.flag("all") && ["stack", "diagram", "against"].some(states)) {
    const why = "Cannot be combined with --stack, --diagram or --against.";
    return [optionProblem("--all", true, why, "remove one of the options")];
  }
  if (stacksIn(line).length > 1 && ["diagram", "against"].some(states)) {
    const why = "--diagram and --against need one stack.";
    return [optionProblem("--stack", line.text("stack"), why, "name one stack")];
  }
  return [];
}

function baseProblems(line: CommandLine): Problem[] {
  const [base, summary] = [line.text("base"), line.text("summary")];
  const problems: Problem[] = [];
  if (base !== undefined && line.text("against") !== undefined) {
    problems.push(optionProblem("--base", base, "Cannot be combined with --against.", "remove one of the options"));
  }
  if (summary !== undefined && base === undefined) {
    problems.push(optionProblem("--summary", summary, "Needs --base.", "add --base FILE"));
  }
  if (line.flag("changed") && !(base !== undefined && line.flag("all"))) {
    problems.push(optionProblem("--changed", true, "Needs --base and --all.", "add --all --base FILE"));
  }
  return problems;
}
