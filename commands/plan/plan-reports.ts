import type { PlanDifference } from "../../planner/diff/diff";
import { mermaidOf } from "../../planner/draw/mermaid";
import { pictureOf } from "../../planner/draw/picture";
import { svgOf } from "../../planner/draw/svg";
import type { Plan } from "../../planner/plan";
import { renderDiffMarkdown, renderDiffText } from "../../planner/report/diff";
import { renderJson } from "../../planner/report/json";
import { renderMarkdown } from "../../planner/report/markdown";
import { renderPage } from "../../planner/report/page/page";
import { renderText } from "../../planner/report/text";
import type { StackPlan } from "../../planner/review/review";
import type { Console } from "../core/command";
import { writeFileOf } from "../core/files";
import type { PlanOptions } from "./plan-options";
import { jsonText, textStyle } from "../core/terminal";

/** The result of the command: plans, or the difference of one plan from another. */
interface Result {
  readonly plans: readonly StackPlan[];
  readonly difference?: PlanDifference;
}

/** Writes the reports that the options name. Standard output gets the text unless they name another one for it. */
export async function writeReports(result: Result, options: PlanOptions, console: Console): Promise<void> {
  const { diagram, markdown: markdownFile, html, json, all, stack: stacks } = options;
  const plans = planned(result);
  const [first] = plans;
  if (diagram && first) await deliver("--diagram", diagram, await draw(first, diagram), console);
  if (markdownFile !== undefined) await deliver("--markdown", markdownFile, markdown(result), console);
  if (html !== undefined) await deliver("--html", html, await renderPage({ ...result, plans }), console);
  if (json) console.write(jsonText(jsonOf(result, all || stacks.length > 1)));
  else if (markdownFile !== "-") console.write(text(result, console));
}

/** Draws a plan in the format of the file's extension. */
async function draw({ recording, region }: Plan, file: string): Promise<string> {
  const picture = pictureOf(recording, region);
  return file.endsWith(".svg") ? await svgOf(picture) : mermaidOf(picture);
}

/** The plans without the stacks that cannot be planned, which standard error reports. */
function planned({ plans }: Result): Plan[] {
  return plans.flatMap((one) => ("plan" in one ? [one.plan] : []));
}

function jsonOf({ plans, difference }: Result, isList: boolean): unknown {
  if (difference) return difference;
  const documents = plans.map((one) => ("plan" in one ? renderJson(one.plan) : one));
  return isList ? documents : documents[0];
}

function markdown(result: Result): string {
  return result.difference ? renderDiffMarkdown(result.difference) : planned(result).map(renderMarkdown).join("\n");
}

function text(result: Result, console: Console): string {
  const style = textStyle(console);
  return result.difference
    ? renderDiffText(result.difference, style)
    : planned(result)
        .map((plan) => renderText(plan, style))
        .join("\n");
}

async function deliver(option: string, file: string, content: string, console: Console): Promise<void> {
  if (file === "-") return console.write(content);
  await writeFileOf(option, file, content, console.cwd);
}
