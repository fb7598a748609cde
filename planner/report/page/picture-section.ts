import { countOf } from "../../../components/core/text";
import { partsOf, placementOf, type PicturePart } from "../../draw/parts";
import { pictureOf } from "../../draw/picture";
import { svgOf } from "../../draw/svg";
import { statesOf, secretMark, type PreviewState } from "../../facts/preview-state";
import { type ResourceIndex, shortType } from "../../facts/resource-index";
import type { Plan } from "../../plan";
import { html, verbatim, escaped, type Markup, type Section } from "./markup";
import { parsedOrString } from "../../../components/core/json-text";
import { isUnknown, unknownSentinels } from "../../../components/core/reader/truth";

/** Resources that a box of the picture stands for. */
interface Group {
  readonly id: string;
  /** Such as `Subnet`. */
  readonly kind: string;
  readonly name: string;
  readonly boxes: readonly string[];
  readonly resources: readonly ListedResource[];
}

/**
 * The picture, whose boxes are links, and below it the resources of each box. The links work without a script: a browser
 * opens a disclosure when it follows a link into it.
 *
 * @param prefix makes the ids unique in a page with several plans
 */
export async function pictureSection(plan: Plan, index: ResourceIndex, prefix: string): Promise<Section> {
  const picture = pictureOf(plan.recording, plan.region);
  const groups = groupsOf(plan, index, partsOf(picture), prefix);
  const links = groups.flatMap((group) => group.boxes.map((box) => [box, `#${group.id}`] as const));
  const svg = links.length === 0 ? undefined : await svgOf(picture, new Map(links));
  const drawing = svg === undefined ? undefined : drawingMarkup(svg);
  const content = html`${drawing}
    <div class="boxes">${groups.map((group) => groupMarkup(group, `${prefix}-boxes`))}</div>`;
  return { id: `${prefix}-resources`, title: "Resources", content };
}

/** A narrower picture needs no room to scroll. The page's style sheet has the same width. */
const wideFrom = 46 * 16;

function drawingMarkup(svg: string): Markup {
  const [, points = 0] = /<svg [^>]*width="(\d+)pt"/.exec(svg) ?? [];
  const isWide = (Number(points) * 4) / 3 > wideFrom;
  return html`<p class="hint">Select a box to see its resources and their inputs.</p>
    <div
      class="${isWide ? "picture wide" : "picture"}"
      role="region"
      aria-label="Picture of the environment"
      tabindex="0"
    >
      ${verbatim(svg)}
    </div>`;
}

function groupsOf(plan: Plan, index: ResourceIndex, parts: readonly PicturePart[], prefix: string): Group[] {
  const placement = placementOf(parts, index);
  const resources = statesOf(plan.recording).map((state) => ({ ...state, name: index.byUrn(state.urn)?.name ?? "" }));
  const inPart = (part?: PicturePart) => resources.filter(({ urn }) => placement.get(urn) === part);
  const rest = inPart();
  const others: Group = {
    id: `${prefix}-box-other`,
    kind: parts.length === 0 ? "All resources" : "Not in the picture",
    name: "",
    boxes: [],
    resources: rest,
  };
  const drawn = parts.map(({ kind, name, boxes }, at): Group => {
    return { id: `${prefix}-box-${at}`, kind: titleCase(kind), name, boxes, resources: inPart(parts[at]) };
  });
  return rest.length === 0 ? drawn : [...drawn, others];
}

function titleCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Only one group of a plan is open at a time. */
function groupMarkup({ id, kind, name, resources }: Group, groupName: string): Markup {
  return html`<details class="box" name="${groupName}">
    <summary>
      <span class="kind">${kind}</span> <span class="name">${name}</span>
      <span class="count">${countOf(resources.length, "resource")}</span>
    </summary>
    <div id="${id}">${resourceList(resources)}</div>
  </details>`;
}

/** A resource of a list, with its logical name. */
interface ListedResource extends PreviewState {
  readonly name: string;
}

/** Resources, each with its inputs behind a disclosure. Secrets are masked before: see `statesOf`. */
function resourceList(resources: readonly ListedResource[]): Markup {
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
