import { posix } from "node:path";
import markdownIt from "markdown-it";
import { anchorOf } from "../../tools/site/links";
import { koreanOf } from "../../tools/site/pages";

// Compares a page with its translation into Korean, block by block.

type Token = ReturnType<markdownIt["parse"]>[number];

/** The texts of the English pages and of their translations, by file. */
export type Pages = ReadonlyMap<string, string>;

/** A piece of a page that has a counterpart in the translation. */
interface Block {
  readonly place: string;
  /** What it is, with what must be the same in both pages. */
  readonly kind: string;
  /** The content of headings, paragraphs and cells. */
  readonly inline: readonly Token[];
}

const md = markdownIt({ html: true });
const one = "one|an? (?:second|minute|hour)";
const numberWords = ["zero", one, "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** What differs between a page and its translation, with the lines of both. A different structure ends the comparison. */
export function differences(file: string, pages: Pages): string[] {
  const [english, korean] = [file, koreanOf(file)].map((name) => blocksOf(name, pages.get(name) ?? "")) as [
    Block[],
    Block[],
  ];
  const found: string[] = [];
  for (let index = 0; index < Math.max(english.length, korean.length); index++) {
    const [here, there] = [english[index], korean[index]];
    if (here?.kind !== there?.kind) return [...found, `${shown(here, file)}, but ${shown(there, koreanOf(file))}`];
    if (here && there) {
      const facts = inlineDifferences(file, here.inline, there.inline, pages);
      found.push(...facts.map((fact) => `${here.place} and ${there.place}: ${fact}`));
    }
  }
  return found;
}

function shown(block: Block | undefined, file: string): string {
  return block ? `${block.place} has ${block.kind}` : `${file} ends`;
}

function blocksOf(file: string, text: string): Block[] {
  let line = 1;
  return md.parse(text, {}).map((token) => {
    if (token.map && token.nesting >= 0) line = token.map[0] + 1;
    return { place: `${file}:${line}`, kind: kindOf(token), inline: token.children ?? [] };
  });
}

function kindOf({ type, tag, info, content, attrs }: Token): string {
  if (type === "fence") return `the code block \`\`\`${info}\n${content}\`\`\``;
  if (type === "html_block") return `the HTML ${content.replace(/>[^<]+</g, "><").trim()}`;
  // Attributes are the alignment of a cell and the first number of a list.
  const details = (attrs ?? []).map((pair) => pair.join("="));
  return [type.replaceAll("_", " "), ...(/^h\d$/.test(tag) ? [tag] : []), ...details].join(" ");
}

function inlineDifferences(file: string, here: readonly Token[], there: readonly Token[], pages: Pages): string[] {
  const korean = koreanOf(file);
  const wanted = here.map((token) => expectedTarget(file, token, pages));
  const compared = [
    sameList("inline code", codesOf(here), codesOf(there)),
    sameList("links and pictures", wanted, there.map(targetOf).map(withFile(korean))),
    sameList("marks", marksOf(here), marksOf(there)),
    numberDifference(textOf(here), textOf(there)),
    textOf(here) === textOf(there) && /(?:[a-z]+ ){3}/i.test(textOf(here)) ? "the text is not translated" : "",
  ];
  return compared.filter((difference) => difference !== "");
}

function sameList(what: string, english: readonly string[], korean: readonly string[]): string {
  const [here, there] = [english, korean].map((list) => list.filter((item) => item !== "").sort());
  const list = (items: readonly string[] = []) => items.join(", ") || "none";
  return String(here) === String(there) ? "" : `${what}: expected ${list(here)}; got ${list(there)}`;
}

function codesOf(tokens: readonly Token[]): string[] {
  return tokens.map(({ type, content }) => (type === "code_inline" ? content : ""));
}

function marksOf(tokens: readonly Token[]): string[] {
  return tokens.map(({ type }) => (/^(?:strong|em|s)_open$/.test(type) ? type.replace("_open", "") : ""));
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map(({ type, content }) => (type === "text" ? content : " ")).join("");
}

/** Numbers in digits. Korean may write those in digits that English writes as a word. */
function numberDifference(english: string, korean: string): string {
  const [here, there] = [english, korean].map((text) => new Set(text.match(/\d+(?:[.,:]\d+)*/g) ?? []));
  const words = numberWords.flatMap((word, value) =>
    new RegExp(`\\b(?:${word})\\b`, "i").test(english) ? [`${value}`] : [],
  );
  const missing = [...(here ?? [])].filter((number) => !there?.has(number));
  const added = [...(there ?? [])].filter((number) => !here?.has(number) && !words.includes(number));
  return [
    ...missing.map((number) => `the number ${number} is missing`),
    ...added.map((number) => `the number ${number} is not in English`),
  ].join(", ");
}

function targetOf({ type, attrs }: Token): string {
  const wanted = { link_open: "href", image: "src" }[type];
  return (attrs ?? []).find(([name]) => name === wanted)?.[1] ?? "";
}

/** A link from a file as a path from the project's root. */
function withFile(from: string): (href: string) => string {
  return (href) => {
    const [path = "", anchor] = decodeURI(href).split("#");
    if (href === "" || /^[a-z]+:/.test(href)) return href;
    const file = path === "" ? from : posix.normalize(posix.join(posix.dirname(from), path));
    return anchor === undefined ? file : `${file}#${anchor}`;
  };
}

/** Where the translation of a link leads: to the translated page and heading, if there is one. */
function expectedTarget(from: string, token: Token, pages: Pages): string {
  const target = withFile(from)(targetOf(token));
  const [file = "", anchor] = target.split("#");
  if (file === koreanOf(from)) return from;
  const [english, korean] = [pages.get(file), pages.get(koreanOf(file))].map((text) => headingsOf(text ?? ""));
  if (!pages.has(koreanOf(file))) return target;
  return anchor === undefined ? koreanOf(file) : `${koreanOf(file)}#${korean?.[english?.indexOf(anchor) ?? -1]}`;
}

/** The anchors of the headings. */
function headingsOf(text: string): string[] {
  const tokens = md.parse(text, {});
  return tokens.flatMap(({ type }, index) =>
    type === "heading_open" ? [anchorOf(tokens[index + 1]?.content ?? "")] : [],
  );
}
