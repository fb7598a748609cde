import { hoursPerMonth, type CostLine } from "../../../components/cost/cost-line";
import type { CostReport } from "../../cost/cost";
import {
  amountText,
  moneyText,
  perHour,
  perMonth,
  priceDatesText,
  sumText,
  unknownItems,
  usageText,
  warningLines,
} from "../cost-text";
import { html, type Content, type Markup, type Section } from "./markup";

/** One item, at rest and with all GPU nodes. It can be in one of both only. */
interface Row {
  readonly line: CostLine;
  readonly atRest?: CostLine;
  readonly inUse?: CostLine;
}

/** The cost of each item at rest and in use, as a table with bars, and what has no price. */
export function costSection(cost: CostReport, prefix: string): Section {
  return { id: `${prefix}-cost`, title: "Cost", content: [table(cost), ...remarks(cost)] };
}

function table(cost: CostReport): Content {
  const rows = rowsOf(cost);
  if (rows.length === 0) return html`<p>Nothing in this plan has a cost per hour.</p>`;
  const hasUse = cost.gpuGroups.length > 0;
  const most = Math.max(0, ...rows.map(({ line }) => line.usdPerHour ?? 0));
  const use = (content: Content) => (hasUse ? content : undefined);
  return html`<div class="scroll" role="region" aria-label="Cost by item" tabindex="0">
      <table class="cost">
        <thead>
          <tr>
            <td></td>
            <th scope="colgroup" colspan="2"><span class="key rest"></span>At rest</th>
            ${use(html`<th scope="colgroup" colspan="2"><span class="key use"></span>In use</th>`)}
          </tr>
          <tr>
            <th scope="col">USD</th>
            ${unitHeads}${use(unitHeads)}
          </tr>
        </thead>
        <tbody>
          ${rows.map((row) => rowMarkup(row, most, hasUse))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Total</th>
            ${totalCells(cost.atRest.usdPerHour, cost.atRest.complete)}${use(totalCells(cost.sessionHour.usd, cost.sessionHour.complete))}
          </tr>
        </tfoot>
      </table>
    </div>
    <p class="hint">
      ${use("In use: every GPU node group at its maximum size. ")}A month has ${hoursPerMonth} hours.
    </p>`;
}

const unitHeads = html`<th scope="col" class="number">per hour</th>
  <th scope="col" class="number month">per month</th>`;

/** The items of a session include those at rest, except a group that runs more nodes than its maximum. */
function rowsOf({ atRest, sessionHour }: CostReport): Row[] {
  const keyOf = ({ item, unit, note }: CostLine) => JSON.stringify([item, unit, note]);
  const resting = new Map(atRest.lines.map((line) => [keyOf(line), line]));
  const running = new Map(sessionHour.lines.map((line) => [keyOf(line), line]));
  return [...new Map([...running, ...resting]).keys()].flatMap((key): Row[] => {
    const [rest, use] = [resting.get(key), running.get(key)];
    const line = use ?? rest;
    return line ? [{ line, ...(rest && { atRest: rest }), ...(use && { inUse: use }) }] : [];
  });
}

function rowMarkup({ line, atRest, inUse }: Row, most: number, hasUse: boolean): Markup {
  const [resting, running] = [atRest, hasUse ? inUse : undefined].map((one) => one && amountText(one));
  const use = running === undefined || running === resting ? [] : [`in use ${running}`];
  const quantity = [...(resting === undefined ? [] : [resting]), ...use].join(", ");
  return html`<tr>
    <th scope="row">
      <span class="item">${line.item}</span>
      <span class="muted">${quantity}</span>
      ${line.note === undefined ? undefined : html`<span class="note">${line.note}</span>`}${bar(atRest?.usdPerHour ?? 0, inUse?.usdPerHour ?? 0, most)}
    </th>
    ${moneyCells(atRest)}${hasUse ? moneyCells(inUse) : undefined}
  </tr>`;
}

/** The share of the most expensive item: what it costs at rest, then what a session adds. */
function bar(atRest: number, inUse: number, most: number): Content {
  if (most === 0) return undefined;
  const percent = (value: number) => Number(((100 * value) / most).toFixed(2));
  const added = Math.max(0, inUse - atRest);
  return html`<svg class="bar" aria-hidden="true" width="100%" height="8">
    <rect class="track" width="100%" height="8" rx="4" />
    <rect class="use" width="${percent(atRest + added)}%" height="8" rx="4" />
    <rect class="rest" width="${percent(atRest)}%" height="8" rx="4" />
  </svg>`;
}

function moneyCells(line: CostLine | undefined): Markup {
  if (!line)
    return html`<td class="number muted">0</td>
      <td class="number month muted">0</td>`;
  return html`<td class="number">${moneyText(line, 1, perHour)}</td>
    <td class="number month">${moneyText(line, hoursPerMonth, perMonth)}</td>`;
}

function totalCells(usdPerHour: number, complete: boolean): Markup {
  const month = sumText(usdPerHour * hoursPerMonth, complete, perMonth);
  return html`<td class="number">${sumText(usdPerHour, complete, perHour)}</td>
    <td class="number month">${month}</td>`;
}

function remarks(cost: CostReport): Content[] {
  const { usageBased, sources, priceTable } = cost;
  return [
    list("Without a known price", unknownItems(cost)),
    list("Usage-based charges, in USD", usageBased.map(usageText)),
    ...warningLines(priceTable.warning).map((line) => html`<p class="hint">${line}</p>`),
    sources.length === 0
      ? undefined
      : html`<details class="more">
          <summary>${priceDatesText(cost)}</summary>
          <ul>
            ${sources.map((source) => html`<li>${source}</li>`)}
          </ul>
        </details>`,
  ];
}

function list(title: string, items: readonly string[]): Content {
  if (items.length === 0) return undefined;
  return html`<h3>${title}</h3>
    <ul class="columns">
      ${items.map((item) => html`<li>${item}</li>`)}
    </ul>`;
}
