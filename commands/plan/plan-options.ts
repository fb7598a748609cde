import { existsSync } from "node:fs";
import { join } from "node:path";
import { defineCommand } from "../core/define-command";
import { file, flag, mapped, namesIn, stack, stackOptions, text } from "../core/options";

/** The command line of `eks-gpu-lab plan`. */
export const planCommand = defineCommand({
  summary: "show the resources of a stack, their cost and the policy findings, offline",
  options: {
    stack: mapped(stack("the stacks", "the only stack, or gpu-lab", "NAME[,NAME]"), namesIn),
    all: flag("every stack of the project"),
    config: stackOptions.config,
    pack: mapped(
      text("NAME|PATH", "the policy pack: lab, shared, audit, or the folder or module of your own pack", {
        default: "lab",
        offers: ["packs", "files"],
      }),
      (pack = "lab") => pack,
    ),
    policyConfig: file("levels and parameters of rules, like Pulumi's --policy-pack-config"),
    answers: file("results of lookups, in YAML or JSON, such as aws.ec2.getVpc: { id: vpc-1 }"),
    json: flag("print the plan in the format of pulumi preview --json, with policies, cost and leases"),
    markdown: file("write the plan as a pull-request comment; - for standard output"),
    diagram: file("draw the environment; FILE must end in .svg or .mmd (Mermaid)", {
      form: [/\.(svg|mmd)$/, "Must end in .svg or .mmd.", "use a name such as lab.svg"],
    }),
    html: file(
      "write a page for a browser, with the picture, its resources, the cost and the findings; needs no network. " +
        "With --all, one page of all stacks",
      { form: [/\.html?$/, "Must end in .html.", "use a name such as plan.html"] },
    ),
    against: text(
      "STACK|FILE",
      "show only the difference from another stack, or from a plan saved with --json; a page of --html shows both",
      { offers: ["stacks", "files"] },
    ),
    base: file("compare the stacks with the stacks of the base, which --all --json has saved", {
      heading: "For pull requests, see docs/pull-requests.md:",
    }),
    changed: flag("with --base and --all: only the stacks whose plan differs"),
    summary: file("with --base: also write the comment with a limit of 1 MiB, for GitHub's step summary"),
    sarif: file("write the findings in SARIF 2.1.0, for code scanning"),
    junit: file("write the verdicts as JUnit XML"),
    rulePages: text("URL", "link each rule to URL/RULE.md", {
      default: "the pages in the repository that package.json of this package names; without one, no link",
    }),
  },
  conflicts: ({ stack, all, json, markdown, diagram, html, against, base, changed, summary }) => {
    const needsOne = (diagram ?? against) !== undefined;
    const bothOut = "Cannot be combined with --json: both would write to standard output.";
    const withAll = "Cannot be combined with --stack, --diagram or --against.";
    const isSeveral = !all && namesIn(stack).length > 1;
    return [
      [html !== undefined && html === markdown, "html", "Is also the file of --markdown.", "use two files"],
      [json && markdown === "-", "markdown", bothOut, "use --markdown FILE, or remove --json"],
      [all && (stack !== undefined || needsOne), "all", withAll, "remove one of the options"],
      [isSeveral && needsOne, "stack", "--diagram and --against need one stack.", "name one stack"],
      [(base && against) !== undefined, "base", "Cannot be combined with --against.", "remove one of the options"],
      [summary !== undefined && base === undefined, "summary", "Needs --base.", "add --base FILE"],
      [changed && !(base !== undefined && all), "changed", "Needs --base and --all.", "add --all --base FILE"],
    ];
  },
  help: (options) => `usage: eks-gpu-lab plan [options]

Shows the resources of a stack, their cost, and whether the policies accept them. Runs the program
of the Pulumi project in this folder without an AWS account, the Pulumi CLI or a network. It does
not replace pulumi preview.

${options(27)}

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
`,
});

export type PlanOptions = ReturnType<typeof planCommand.read>;

/** Reads the command line, in a folder with these packs. @throws InputError with all problems */
export function readPlanOptions(args: readonly string[], packs: readonly string[], cwd: string): PlanOptions {
  return planCommand.read(args, ({ pack = "lab" }) => {
    const others = `use one of ${packs.join(", ")}, or a path such as ./policies`;
    const fix = existsSync(join(cwd, pack)) ? `did you mean ./${pack}?` : others;
    return [[!packs.includes(pack) && !isPackPath(pack), "pack", "Unknown policy pack.", fix]];
  });
}

/** A path has a slash, or is a module, so that it cannot be mistaken for the name of a pack. */
export function isPackPath(pack: string): boolean {
  return /[/\\]|^\.\.?$|\.[cm]?[jt]s$/.test(pack);
}
