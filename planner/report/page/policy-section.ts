import { countOf } from "../../../components/core/text";
import { unseenRule } from "../../../policies/engine/judge";
import type { Plan } from "../../plan";
import { addressOf, groupedFindings, type FindingGroup } from "../findings";
import { html, type Content, type Markup, type Section, wholeOptions } from "./markup";

type Kind = FindingGroup["kind"];

const kinds: readonly { readonly kind: Kind; readonly label: string; readonly sign: string }[] = [
  { kind: "fail", label: "failed", sign: "✕" },
  { kind: "advisory", label: "advisory", sign: "!" },
  { kind: "unknown", label: "unknown before the update", sign: "?" },
];

/** How many rules failed, advise or are unknown, their findings, and the rules without one. */
export function policySection(plan: Plan, prefix: string): Section {
  const groups = groupedFindings(plan.findings);
  const { name, version, rules, titles = {} } = plan.pack;
  const counts = ruleCounts(groups);
  const ofRules = [...ruleCounts(groups.filter(({ rule }) => rule !== unseenRule)).values()];
  const without = rules - ofRules.reduce((sum, count) => sum + count, 0);
  const content = html`<p>Policy pack <strong>${name}</strong> ${version}, ${countOf(rules, "rule")}</p>
    <ul class="counts">
      <li class="pass"><strong>${without}</strong> without a finding</li>
      ${kinds.map(({ kind, label }) => html`<li class="${counts.has(kind) ? kind : ""}"><strong>${counts.get(kind) ?? 0}</strong> ${label}</li>`)}
    </ul>
    ${
      groups.length === 0
        ? undefined
        : html`<ul class="findings">
            ${groups.map(findingMarkup)}
          </ul>`
    }
    ${quietRules(titles, groups)}`;
  return { id: `${prefix}-policies`, title: "Policies", content };
}

function quietRules(titles: Readonly<Record<string, string>>, groups: readonly FindingGroup[]): Content {
  const found = new Set(groups.map(({ rule }) => rule));
  const quiet = Object.entries(titles).filter(([rule]) => !found.has(rule));
  if (quiet.length === 0) return undefined;
  return html`<details class="more">
    <summary>Rules without a finding</summary>
    <ul>
      ${quiet.map(([rule, title]) => html`<li><code>${rule}</code> ${title}</li>`)}
    </ul>
  </details>`;
}

/** The number of rules by their most important finding. */
function ruleCounts(groups: readonly FindingGroup[]): ReadonlyMap<Kind, number> {
  const ranked = [...groups].sort((a, b) => rank(b.kind) - rank(a.kind));
  const kindOf = new Map(ranked.map(({ rule, kind }) => [rule, kind]));
  const counts = new Map<Kind, number>();
  for (const kind of kindOf.values()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

function rank(kind: Kind): number {
  return kinds.findIndex((one) => one.kind === kind);
}

function findingMarkup(group: FindingGroup): Markup {
  const { kind, level, severity, names, message } = group;
  const sign = kinds[rank(kind)]?.sign;
  const tag = kind === "unknown" ? `unknown, ${level}` : level;
  return html`<li class="finding ${kind}">
    <div class="sign" aria-hidden="true">${sign}</div>
    <div>
      <h3>${ruleName(group)} <span class="tag">${tag}</span> <span class="tag">${severity}</span></h3>
      <p class="muted">${names.join(", ")}</p>
      ${message.split("\n").map(messageLine)}
    </div>
  </li>`;
}

/** The name of a rule, with a link to its page if that has an address. */
function ruleName(group: FindingGroup): Markup {
  const name = html`<code>${group.rule}</code>`;
  const address = addressOf(group);
  return address === undefined
    ? html`${name} <span class="muted">${group.page}</span>`
    : html`<a href="${address}">${name}</a>`;
}

function messageLine(line: string): Content {
  const [, fix] = /^\s*fix:\s*(.*)$/.exec(line) ?? [];
  return fix === undefined
    ? html`<p>${line.trim()}</p>`
    : html`<p class="fix"><strong>Fix</strong> ${wholeOptions(fix)}</p>`;
}
