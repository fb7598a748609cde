import { dirname, relative, resolve, sep } from "node:path";
import { pageIn } from "../../policies/engine/define-pack";
import { unseenRule } from "../../policies/engine/judge";
import { isUrl } from "../../planner/manifests/manifest";
import { findUp, stackFileOf, type Project } from "../../planner/program/project";
import { isChanged, reviewOf, readBase, type Review, type StackPlan, type Base } from "../../planner/review/review";
import { addressOf, type PageOf } from "../../planner/report/findings";
import { renderJunit } from "../../planner/report/junit";
import { mostCharacters } from "../../planner/report/markdown-syntax";
import { renderReviewJson } from "../../planner/report/json";
import { renderReviewMarkdown } from "../../planner/report/review-markdown";
import { renderReviewText } from "../../planner/report/review-text";
import { renderSarif } from "../../planner/report/sarif";
import type { Console } from "../core/command";
import { readFileOf, writeFileOf } from "../core/files";
import { version } from "../../package.json";
import type { PlanOptions } from "./plan-options";
import { jsonText, textStyle } from "../core/terminal";

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
  if (summary !== undefined) await writeFileOf("--summary", summary, render(mostOfSummary), console.cwd);
  if (markdown === "-") console.write(render(mostOfComment));
  else if (markdown !== undefined) await writeFileOf("--markdown", markdown, render(mostOfComment), console.cwd);
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
  { cwd }: Console,
): Promise<void> {
  if (junit !== undefined) await writeFileOf("--junit", junit, renderJunit(review), cwd);
  if (sarif === undefined) return;
  const log = renderSarif(review, {
    version: version,
    titleOf: (rule) => reported?.titles[rule],
    pageOf: addressIn(rulePages),
    fileOf: (stack, file) => {
      if (!reported) return "Pulumi.yaml";
      const { project } = reported;
      const path = file === undefined || isUrl(file) ? stackFileOf(project, stack) : resolve(project.workingDir, file);
      return inRepository(path, cwd);
    },
  });
  await writeFileOf("--sarif", sarif, jsonText(log), cwd);
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
