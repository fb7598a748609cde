/** Escaped HTML. Only `html` and `verbatim` make it, so that no text of a program becomes markup. */
export class Markup {
  constructor(readonly source: string) {}
}

/** What a template may contain: markup stays, text is escaped, `undefined` is nothing. */
export type Content = Markup | string | number | undefined | readonly Content[];

/** A template of HTML. Each value is escaped unless it is markup. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return new Markup(strings.map((part, index) => part + sourceOf(values[index])).join(""));
}

/** Markup of this project, such as a style sheet or a picture. */
export function verbatim(source: string): Markup {
  return new Markup(source);
}

/** Text in HTML, and in quoted attributes. Control characters, which HTML does not allow, become spaces. */
export function escaped(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, " ").replace(/[&<>"'`]/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** Text in which an option such as `--stack` stays on one line. */
export function wholeOptions(text: string): Markup {
  return new Markup(escaped(text).replace(/(?<![\w-])--?[a-z][\w-]*/g, '<span class="flag">$&</span>'));
}

function sourceOf(content: Content): string {
  if (content === undefined) return "";
  if (content instanceof Markup) return content.source;
  if (typeof content === "object") return content.map(sourceOf).join("");
  return escaped(String(content));
}

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
