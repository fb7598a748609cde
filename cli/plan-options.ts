import { parseArgs } from "node:util";
import { InputError, type Problem } from "../components/core/problems";
import { nearest } from "../components/core/suggest";

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
      --pack NAME          the policy pack that judges: lab (default)
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
  const { values, tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const problems = tokens.flatMap((token): Problem[] => {
    if (token.kind === "positional") return [complaint(token.value, "It is not an option.", "see --help")];
    if (token.kind !== "option") return [];
    const known = Object.hasOwn(options, token.name) ? options[token.name as keyof typeof options] : undefined;
    if (!known) {
      const guess = nearest(token.name, Object.keys(options));
      return [complaint(token.rawName, "There is no such option.", guess ? `did you mean --${guess}?` : "see --help")];
    }
    const needsValue = known.type === "string";
    if (needsValue && !token.value) return [complaint(token.rawName, "It needs a value.", "see --help")];
    if (!needsValue && token.value !== undefined)
      return [complaint(token.rawName, "It takes no value.", "leave the value out")];
    return [];
  });

  const pack = text(values.pack) ?? "lab";
  if (!packs.includes(pack)) {
    problems.push(complaint(`--pack ${pack}`, "There is no such pack.", `choose one of ${packs.join(", ")}`));
  }
  const diagram = text(values.diagram);
  if (diagram && !/\.(svg|mmd)$/.test(diagram)) {
    problems.push(complaint(`--diagram ${diagram}`, "Its ending names no format.", "end the file in .svg or .mmd"));
  }
  if (values.all && (values.stack || values.diagram || values.against)) {
    problems.push(
      complaint("--all", "It stands alone: --stack, --diagram and --against take one stack.", "leave one out"),
    );
  }
  if (problems.length > 0) throw new InputError("the command line", problems);

  return {
    all: values.all === true,
    config: (values.config ?? []).map(String),
    pack,
    json: values.json === true,
    ...(text(values.stack) && { stack: text(values.stack) as string }),
    ...(text(values["policy-config"]) && { policyConfig: text(values["policy-config"]) as string }),
    ...(text(values.markdown) && { markdown: text(values.markdown) as string }),
    ...(diagram && { diagram }),
    ...(text(values.against) && { against: text(values.against) as string }),
  };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function complaint(got: string, why: string, fix: string): Problem {
  return { code: "not-allowed", path: "options", got, why, fix };
}
