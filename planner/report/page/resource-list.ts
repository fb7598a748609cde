import { parsedOrString } from "../../../components/core/json-text";
import { isUnknown, unknownSentinels } from "../../../components/core/reader/truth";
import { secretMark, type PreviewState } from "../../facts/preview-state";
import { shortType } from "../../facts/resource-index";
import { escaped, html, verbatim, type Markup } from "./markup";

/** A resource of a list, with its logical name. */
export interface ListedResource extends PreviewState {
  readonly name: string;
}

/** Resources, each with its inputs behind a disclosure. Secrets are masked before: see `statesOf`. */
export function resourceList(resources: readonly ListedResource[]): Markup {
  return html`<ul class="resources">
    ${resources.map((one) => html`<li>${resourceMarkup(one)}</li>`)}
  </ul>`;
}

function resourceMarkup({ type, name, inputs = {} }: ListedResource): Markup {
  const entries = Object.entries(inputs);
  const summary = html`<span class="type">${shortType(type)}</span> <span class="name">${name}</span>`;
  const rows = entries.map(
    ([key, value]) =>
      html`<div>
        <dt>${key}</dt>
        <dd>${inputMarkup(value)}</dd>
      </div>`,
  );
  return html`<details class="resource">
    <summary>${summary}</summary>
    <p class="token"><code>${type}</code></p>
    ${entries.length === 0 ? html`<p class="muted">No inputs.</p>` : html`<dl class="inputs">${rows}</dl>`}
  </details>`;
}

const unknownMarkup = html`<span class="later">known after the update</span>`;
const secretMarkup = html`<span class="secret">secret</span>`;

function inputMarkup(value: unknown): Markup {
  if (isUnknown(value)) return unknownMarkup;
  if (value === secretMark) return secretMarkup;
  const content = typeof value === "string" ? parsedOrString(value) : value;
  if (typeof content === "object" && content !== null)
    return html`<pre>${marked(JSON.stringify(content, null, 2))}</pre>`;
  const text = String(value);
  return text.includes("\n") ? html`<pre>${marked(text)}</pre>` : html`<code>${marked(text)}</code>`;
}

/** Text in which unknown values and secrets are marked. */
function marked(text: string): Markup {
  const sentinels = Object.values(unknownSentinels).flatMap((one) => [`"${one}"`, one]);
  const unknown = sentinels.reduce((rest, one) => rest.replaceAll(escaped(one), unknownMarkup.source), escaped(text));
  return verbatim(unknown.replaceAll(escaped(`"${secretMark}"`), secretMarkup.source));
}
