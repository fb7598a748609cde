import { hoursPerMonth } from "../../../components/cost/cost-line";
import type { PlanDifference } from "../../diff/diff";
import { indexOf, type ResourceIndex } from "../../facts/resource-index";
import { mandatoryFailures, placeText, type Plan } from "../../plan";
import { perHour, perMonth, sumText } from "../cost-text";
import { nextCommand, verdictText, messagesOf } from "../findings";
import { countsText } from "../tree";
import { costSection } from "./cost-section";
import { html, sectionMarkup, factList, type Content, type Markup, type Section, wholeOptions } from "./markup";
import { pictureSection } from "./picture-section";
import { policySection } from "./policy-section";
import { costLines, diffLines, summaryText, type DiffLine } from "../diff";
import { factGroupsOf } from "../gpu-facts";

/** One plan of the page. @param prefix its id, with which all ids in it start */
export async function planArticle(plan: Plan, prefix: string, difference?: PlanDifference): Promise<Markup> {
  const index = indexOf(plan.recording);
  const facts = factGroupsOf(plan, index).map((group, at): Section => {
    return { id: `${prefix}-facts-${at}`, title: `${group.kind} ${group.name}`, content: factList(group.facts) };
  });
  const before = [
    ...(difference ? [differenceSection(difference, prefix)] : []),
    ...messageSections(plan, prefix),
    await pictureSection(plan, index, prefix),
    costSection(plan.cost, prefix),
    policySection(plan, prefix),
  ];
  return html`<article id="${prefix}" aria-labelledby="${prefix}-title">
    ${header(plan, index, prefix)} ${navigation([...before, ...facts])} ${before.map(sectionMarkup)}
    <div class="pair">${facts.map(sectionMarkup)}</div>
  </article>`;
}

function header(plan: Plan, index: ResourceIndex, prefix: string): Markup {
  const { project, stack } = plan.recording;
  const accepted = mandatoryFailures(plan).length === 0;
  const { why, command } = nextCommand(plan);
  return html`<header class="hero">
    <p class="eyebrow">${project}${placeText(plan)}</p>
    <h1 id="${prefix}-title">
      ${stack} <span class="verdict ${accepted ? "accepted" : "rejected"}">${accepted ? "Accepted" : "Rejected"}</span>
    </h1>
    <p class="lead">${verdictText(plan)}</p>
    <p class="next">${why}: <code>${wholeOptions(command)}</code></p>
    ${tiles(plan, index)}
  </header>`;
}

function tiles({ cost }: Plan, index: ResourceIndex): Markup {
  const sum = (usdPerHour: number, complete: boolean) => ({
    value: html`${sumText(usdPerHour, complete, perHour)} <small>USD per hour</small>`,
    note: `${sumText(usdPerHour * hoursPerMonth, complete, perMonth)} USD per month`,
  });
  const rest = sum(cost.atRest.usdPerHour, cost.atRest.complete);
  const use = sum(cost.sessionHour.usd, cost.sessionHour.complete);
  return html`<dl class="tiles">
    ${tile("Cost at rest", rest.value, rest.note, "rest")}
    ${cost.gpuGroups.length === 0 ? undefined : tile("With all GPU nodes", use.value, use.note, "use")}
    ${tile("To create", html`${index.recording.resources.length}`, countsText(index), "")}
  </dl>`;
}

function tile(name: string, value: Content, note: string, kind: string): Markup {
  return html`<div class="tile ${kind}">
    <dt>${name}</dt>
    <dd class="value">${value}</dd>
    <dd class="muted">${note}</dd>
  </div>`;
}

function navigation(sections: readonly Section[]): Markup {
  const links = sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`);
  return html`<nav class="contents" aria-label="Sections of the plan">
    <ul>
      ${links}
    </ul>
  </nav>`;
}

const classes: Readonly<Record<DiffLine["sign"], string>> = { "-": "removed", "+": "added", "~": "changed", " ": "" };

/** What differs from another plan. */
function differenceSection(difference: PlanDifference, prefix: string): Section {
  const lines = diffLines(difference).map(({ sign, text }) => {
    return html`<span class="line ${classes[sign]}">${sign} ${text} </span>`;
  });
  // The section on cost has the warning that prices are old.
  const costs = costLines(difference);
  const content = html`<p><strong>${summaryText(difference)}</strong></p>
    ${costs.map((line) => html`<p>${line}</p>`)}
    ${lines.length === 0 ? undefined : html`<pre class="difference" role="region" aria-label="Changed resources" tabindex="0">${lines}</pre>`}`;
  return { id: `${prefix}-difference`, title: "Difference", content };
}

function messageSections(plan: Plan, prefix: string): Section[] {
  const messages = messagesOf(plan);
  if (messages.length === 0) return [];
  const content = html`<ul class="messages">
    ${messages.map(
      ({ severity, message }) => html`<li class="${severity}"><strong>${severity}</strong> ${message}</li>`,
    )}
  </ul>`;
  return [{ id: `${prefix}-messages`, title: "Messages", content }];
}
