import { InputError } from "../components/core/problems";
import { complaint, readCommandLine } from "./command-line";

/** What `eks-gpu-lab plan` was asked for. */
export interface PlanOptions {
  readonly stack?: string;
  readonly all: boolean;
  readonly config: readonly string[];
  readonly pack: string;
  readonly policyConfig?: string;
  readonly json: boolean;
  readonly markdown?: string;
  readonly diagram?: string;
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
  against: { type: "string" },
} as const;

export const planHelp = `usage: eks-gpu-lab plan [options]

Shows what a stack would make, what it costs and whether the policies accept it. Runs the program of the Pulumi
project of this folder without an AWS account, the Pulumi CLI or a network; pulumi preview remains the real thing.

  -s, --stack NAME         the stack; default gpu-lab, or the only one there is
      --all                every stack of the project
  -c, --config KEY=VALUE   override a configuration value, as pulumi config set --path does; repeatable
      --pack NAME          the policy pack that judges: lab (default), shared or audit
      --policy-config FILE levels and parameters of the rules, as pulumi's --policy-pack-config takes them
      --json               the plan in the shape of pulumi preview --json, with policies and cost
      --markdown FILE      write a pull-request comment; - for standard output
      --diagram FILE       draw the environment: FILE ends in .svg or .mmd (Mermaid)
      --against STACK|FILE show only the difference from another stack, or from a plan saved with --json

exit status: 0 accepted, 1 a mandatory rule fails, 2 the input is wrong, 3 the tool or the program failed
`;

/**
 * Reads the command line.
 *
 * @throws InputError with every mistake in it.
 */
export function readPlanOptions(args: readonly string[], packs: readonly string[]): PlanOptions {
  const line = readCommandLine(options, args);
  const problems = [...line.problems];
  const pack = line.text("pack") ?? "lab";
  if (!packs.includes(pack)) {
    problems.push(complaint("--pack", pack, "There is no such pack.", `choose one of ${packs.join(", ")}`));
  }
  const [stack, diagram, against] = [line.text("stack"), line.text("diagram"), line.text("against")];
  if (diagram && !/\.(svg|mmd)$/.test(diagram)) {
    problems.push(complaint("--diagram", diagram, "Its ending names no format.", "end the file in .svg or .mmd"));
  }
  if (line.flag("all") && (stack ?? diagram ?? against)) {
    problems.push(
      complaint("--all", true, "It stands alone: --stack, --diagram and --against take one stack.", "leave one out"),
    );
  }
  if (problems.length > 0) throw new InputError("the command line", problems);

  const [markdown, policyConfig] = [line.text("markdown"), line.text("policy-config")];
  return {
    all: line.flag("all"),
    config: line.texts("config"),
    pack,
    json: line.flag("json"),
    ...(stack && { stack }),
    ...(policyConfig && { policyConfig }),
    ...(markdown && { markdown }),
    ...(diagram && { diagram }),
    ...(against && { against }),
  };
}
