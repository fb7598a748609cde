import { html, type Content, type Markup } from "./markup";

/** A part of a page with a heading, which the navigation links to. */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly content: Content;
}

export function sectionMarkup({ id, title, content }: Section): Markup {
  return html`<section class="card" id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    ${content}
  </section>`;
}

/** Names and values. */
export function factList(facts: readonly (readonly [name: string, value: string])[]): Markup {
  return html`<dl class="facts">
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}
