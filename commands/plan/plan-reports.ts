import type { PlanDifference } from "../../planner/diff/diff";
import { mermaidOf } from "../../planner/draw/mermaid";
import { pictureOf } from "../../planner/draw/picture";
import { svgOf } from "../../planner/draw/svg";
import type { Plan } from "../../planner/plan";
import { renderDiffMarkdown, renderDiffText } from "../../planner/report/diff";
import { renderJson, renderReviewJson } from "../../planner/report/json";
import { renderMarkdown } from "../../planner/report/markdown";
import { renderPage } from "../../planner/report/page/page";
import { renderText } from "../../planner/report/text";
import { isChanged, readBase, reviewOf, type Base, type Review, type StackPlan } from "../../planner/review/review";
import type { Console } from "../core/command";
import { readFileOf, writeFileOf } from "../core/files";
import type { PlanOptions } from "./plan-options";
import { jsonText, textStyle } from "../core/terminal";
import { dirname, relative, resolve, sep } from "node:path";
import { pageIn } from "../../policies/engine/define-pack";
import { unseenRule } from "../../policies/engine/judge";
import { isUrl } from "../../planner/manifests/manifest";
import { findUp, stackFileOf, type Project } from "../../planner/program/project";
import { addressOf, type PageOf } from "../../planner/report/findings";
import { renderJunit } from "../../planner/report/junit";
import { mostCharacters } from "../../planner/report/markdown-syntax";
import { renderReviewMarkdown } from "../../planner/report/review-markdown";
import { renderReviewText } from "../../planner/report/review-text";
import { renderSarif } from "../../planner/report/sarif";
import { version } from "../../package.json";

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
  await writeFileOf(option, file, content, console);
}

/** The most characters of a comment. The rest of GitHub's limit is for what a caller puts around it. */
const mostOfComment = mostCharacters - 1_000;

/** The step summary of GitHub has at most 1 MiB, and a UTF-16 unit has at most 3 bytes. */
const mostOfSummary = Math.floor(2 ** 20 / 3) - 1_000;

/** Reads the file of `--base`. */
export async function baseOf({ base, stack: stacks }: PlanOptions, cwd: string): Promise<Base | undefined> {
  if (base === undefined) return undefined;
  const whole = readBase(await readFileOf("--base", base, cwd), base);
  return stacks.length === 0 ? whole : { ...whole, plans: whole.plans.filter(({ name }) => stacks.includes(name)) };
}

/** The review of the stacks that the options select. */
export function selectedReview(
  head: readonly StackPlan[],
  base: Base | undefined,
  options: Pick<PlanOptions, "changed">,
): Review {
  const review = reviewOf(head, base);
  if (!options.changed) return review;
  const unjudged = review.stacks.filter((stack) => !isChanged(stack)).map(({ stack }) => stack);
  return { ...review, stacks: review.stacks.filter(isChanged), unjudged };
}

/** Writes the comment, the summary, and the document or the text of a review. */
export async function writeReview(review: Review, options: PlanOptions, console: Console): Promise<void> {
  const { markdown, summary, json, rulePages } = options;
  const render = (most: number) => renderReviewMarkdown(review, { most, pageOf: addressIn(rulePages) });
  if (summary !== undefined) await writeFileOf("--summary", summary, render(mostOfSummary), console);
  if (markdown === "-") console.write(render(mostOfComment));
  else if (markdown !== undefined) await writeFileOf("--markdown", markdown, render(mostOfComment), console);
  if (json) console.write(jsonText(renderReviewJson(review)));
  else if (markdown !== "-") console.write(renderReviewText(review, textStyle(console)));
}

/** Facts about the project of a plan; absent if it cannot be opened. */
export interface ReportedProject {
  readonly project: Project;
  /** What each rule of the pack requires. */
  readonly titles: Readonly<Record<string, string>>;
}

/** Writes the files of `--sarif` and `--junit`. */
export async function writeFindings(
  review: Review,
  reported: ReportedProject | undefined,
  { sarif, junit, rulePages }: PlanOptions,
  console: Console,
): Promise<void> {
  if (junit !== undefined) await writeFileOf("--junit", junit, renderJunit(review), console);
  if (sarif === undefined) return;
  const log = renderSarif(review, {
    version: version,
    titleOf: (rule) => reported?.titles[rule],
    pageOf: addressIn(rulePages),
    fileOf: (stack, file) => {
      if (!reported) return "Pulumi.yaml";
      const { project } = reported;
      const path = file === undefined || isUrl(file) ? stackFileOf(project, stack) : resolve(project.workingDir, file);
      return inRepository(path, console.cwd);
    },
  });
  await writeFileOf("--sarif", sarif, jsonText(log), console);
}

/** The page of a rule in a folder; without one, the page of its pack, if it has an address. */
function addressIn(folder: string | undefined): PageOf {
  if (folder === undefined) return addressOf;
  return ({ rule }) => (rule === unseenRule ? undefined : pageIn(folder, rule));
}

/** A path from the root of the Git repository, or from the working directory outside of one. */
function inRepository(file: string, cwd: string): string {
  const git = findUp(dirname(file), ".git");
  return relative(git === undefined ? cwd : dirname(git), file)
    .split(sep)
    .join("/");
}
