import { relative } from "node:path";
import { defaultStack, openProject, planStack } from "../../planner/plan-stack";
import type { Plan } from "../../planner/plan";
import type { CostLine } from "../../components/cost/cost-line";
import { groupedFindings, messagesOf } from "../../planner/report/findings";
import { served } from "../../policies/engine/serve";
import { packs } from "../../policies/packs";
import { InputError } from "../../components/core/problems";

/**
 * Plans a program, and describes the result for a reader: the region, the number of resources by type, what has a price and
 * what has none, the findings by rule, and the messages. Prices, the number of rules and the wording of failed rules change for
 * other reasons, and are not part of it.
 */
export async function digestOf(dir: string, config: readonly string[]): Promise<string> {
  try {
    const opened = await openProject(dir);
    return digest(await planStack(opened, defaultStack(opened.project), config, served(packs.lab)));
  } catch (error) {
    // The compiler names files relative to the working directory of the test.
    const message = (error as Error).message.replaceAll(`${relative(process.cwd(), dir)}/`, "");
    return `\nfails\n${indented(InputError.is(error) ? message.split("\n") : message.split("\n", 1))}`;
  }
}

function digest({ recording, cost, findings, region }: Plan): string {
  const messages = messagesOf({ recording } as Plan).filter(({ message }) => !message.includes("has no stack file"));
  const { lines } = cost.atRest;
  const sections = {
    resources: [...counted(recording.resources.map(({ type }) => type))],
    priced: lines.filter(({ usdPerHour }) => usdPerHour !== undefined).map(costItem),
    "without a price": lines.filter(({ usdPerHour }) => usdPerHour === undefined).map(costItem),
    "billed by usage": cost.usageBased.map(({ item }) => item),
    findings: groupedFindings(findings).map(
      ({ kind, rule, names, message }) =>
        `${kind} ${rule}: ${names.join(", ")}${kind === "unknown" ? ` (${(message.split("\n")[0] ?? "").replace(/by \d+ rules/, "by N rules")})` : ""}`,
    ),
    messages: messages.map(({ severity, message }) => `${severity}: ${message}`),
  };
  const parts = Object.entries(sections).filter(([, rows]) => rows.length > 0);
  const head = `\nplanned${region === "" ? "" : ` in ${region}`}`;
  return [head, ...parts.map(([title, rows]) => `${title}\n${indented(rows)}`)].join("\n");
}

/** The number of each value, in alphabetical order of the values. */
function counted(values: readonly string[]): string[] {
  const unique = [...new Set(values)].sort();
  return unique.map((value) => `${values.filter((one) => one === value).length} ${value}`);
}

function costItem({ item, quantity, unit, usdPerHour, note }: CostLine): string {
  const why = usdPerHour === undefined && note !== undefined ? ` (${note})` : "";
  return `${item}${quantity === undefined ? "" : `, ${quantity} ${unit}`}${why}`;
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join("\n");
}
