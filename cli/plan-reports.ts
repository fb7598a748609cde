import type { PlanDifference } from "../planner/diff/diff";
import { mermaidOf } from "../planner/draw/mermaid";
import { pictureOf } from "../planner/draw/picture";
import { svgOf } from "../planner/draw/svg";
import type { Plan } from "../planner/plan";
import { renderDiffMarkdown, renderDiffText } from "../planner/report/diff";
import { renderJson } from "../planner/report/json";
import { renderMarkdown } from "../planner/report/markdown";
import { renderPage } from "../planner/report/page/page";
import { renderText } from "../planner/report/text";
import type { Console } from "./command";
import { writeFileOf } from "./files";
import type { PlanOptions } from "./plan-options";
import { textStyle } from "./terminal";

/** The result of the command: plans, or the difference of one plan from another. */
interface Result {
  readonly plans: readonly Plan[];
  readonly difference?: PlanDifference;
}

/** Writes the reports that the options name. Standard output gets the text unless they name another one for it. */
export async function writeReports(result: Result, options: PlanOptions, console: Console): Promise<void> {
  const { diagram, markdown: markdownFile, html, json, all } = options;
  const [first] = result.plans;
  if (diagram && first) await deliver("--diagram", diagram, await draw(first, diagram), console);
  if (markdownFile !== undefined) await deliver("--markdown", markdownFile, markdown(result), console);
  if (html !== undefined) await deliver("--html", html, await renderPage(result), console);
  if (json) console.write(`${JSON.stringify(jsonOf(result, all), null, 2)}\n`);
  else if (markdownFile !== "-") console.write(text(result, console));
}

/** Draws a plan in the format of the file's extension. */
async function draw({ recording, region }: Plan, file: string): Promise<string> {
  const picture = pictureOf(recording, region);
  return file.endsWith(".svg") ? await svgOf(picture) : mermaidOf(picture);
}

function jsonOf({ plans, difference }: Result, all: boolean): unknown {
  if (difference) return difference;
  return all ? plans.map(renderJson) : plans.map(renderJson)[0];
}

function markdown({ plans, difference }: Result): string {
  return difference ? renderDiffMarkdown(difference) : plans.map(renderMarkdown).join("\n");
}

function text({ plans, difference }: Result, console: Console): string {
  const style = textStyle(console);
  return difference ? renderDiffText(difference, style) : plans.map((plan) => renderText(plan, style)).join("\n");
}

async function deliver(option: string, file: string, content: string, console: Console): Promise<void> {
  if (file === "-") return console.write(content);
  await writeFileOf(option, file, content, console.cwd);
}
