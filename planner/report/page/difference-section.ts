import type { PlanDifference } from "../../diff/diff";
import { costLines, diffLines, summaryText, type DiffLine } from "../diff";
import { html } from "./markup";
import type { Section } from "./section";

const classes: Readonly<Record<DiffLine["sign"], string>> = { "-": "removed", "+": "added", "~": "changed", " ": "" };

/** What differs from another plan. */
export function differenceSection(difference: PlanDifference, prefix: string): Section {
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
