import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { countOf } from "../../../components/core/text";
import type { PlanDifference } from "../../diff/diff";
import { darkStyle } from "../../draw/palette";
import type { Plan } from "../../plan";
import { html, verbatim, type Content, type Markup } from "./markup";
import { planArticle } from "./plan-article";

/** The content of a page: plans, or one plan and its difference from another. */
interface PageContent {
  readonly plans: readonly Plan[];
  readonly difference?: PlanDifference;
}

/**
 * Plans as one HTML page that needs no network: its content security policy permits only the style sheet and the script
 * in the page itself. Equal plans give equal pages.
 *
 * @throws Error of Graphviz.
 */
export async function renderPage({ plans, difference }: PageContent): Promise<string> {
  const articles: Markup[] = [];
  for (const [at, plan] of plans.entries()) articles.push(await planArticle(plan, idOf(at), difference));
  const style = `${asset("plan-page.css")}${darkStyle(".picture ")}`;
  const script = asset("plan-page.js");
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy(style, script)}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>${titleOf(plans)}</title>
        ${verbatim(`<style>${style}</style>`)}
      </head>
      <body>
        <a class="skip" href="#content">Skip to the plan</a>
        ${topBar(plans)}
        <main id="content">${articles}</main>
        ${verbatim(`<script>${script}</script>`)}
      </body>
    </html> `;
  return page.source;
}

function idOf(at: number): string {
  return `plan-${at}`;
}

function titleOf(plans: readonly Plan[]): string {
  const [first] = plans;
  if (plans.length === 1) return `Plan of ${first?.recording.stack}`;
  return `Plans of ${countOf(plans.length, "stack")}${first ? ` of ${first.recording.project}` : ""}`;
}

/** The tool, and with several plans a link to each; the script shows one of them at a time. */
function topBar(plans: readonly Plan[]): Markup {
  const links = plans.map(({ recording }, at) => html`<li><a href="#${idOf(at)}">${recording.stack}</a></li>`);
  const stacks: Content =
    plans.length < 2
      ? undefined
      : html`<nav class="stacks" aria-label="Stacks">
          <ul>
            ${links}
          </ul>
        </nav>`;
  return html`<header class="top">
    <p class="brand">eks-gpu-lab <span>offline plan</span></p>
    ${stacks}
  </header>`;
}

/** Source files of the style sheet and the script. The build copies them next to the bundle. */
function asset(name: string): string {
  return readFileSync(join(__dirname, "assets", name), "utf8");
}

/** Forbids every request, and every script and style except these. */
function policy(style: string, script: string): string {
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const none = ["default-src", "base-uri", "form-action"].map((directive) => `${directive} 'none'`);
  return [...none, `style-src ${hash(style)}`, `script-src ${hash(script)}`].join("; ");
}
