import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { recordedMessages } from "./support/messages";

/** The files of the documentation that quote the scheduler. */
const pages = readdirSync("docs", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".md") || file.endsWith(".svg"))
  .map((file) => `docs/${file}`);

/** Numbers become `#`, so that clusters of any size compare. */
const formOf = (text: string) => text.replace(/\d+/g, "#").replace(/\s+/g, " ").trim();

/** The sentences of a message. Pages may leave some out. */
function sentencesOf(message: string): string[] {
  return formOf(message)
    .split(/\.\s|, preemption: /)
    .map((sentence) => sentence.replace(/[.\s]+$/, ""));
}

/** What single nodes lack, e.g. `Insufficient cpu`. */
function reasonsOf(sentence: string): string[] {
  const [, list = ""] = /nodes are available: (.*)$/.exec(sentence) ?? [];
  return list.split(/, (?=#)/).map((reason) => reason.replace(/^# /, ""));
}

const entities: Readonly<Record<string, string>> = { "&#39;": "'", "&apos;": "'", "&quot;": '"', "&amp;": "&" };

/** The quotes of a page: in code, in a code block or in a picture. */
function quotesIn(file: string): string[] {
  const text = readFileSync(file, "utf8").replace(/&(#39|apos|quot|amp);/g, (entity) => entities[entity] ?? entity);
  const quoted = [...text.matchAll(/```text\n([^]*?)```|`([^`\n]+)`|>([^<>]*nodes are available[^<>]*)</g)];
  return quoted
    .map(([, block, code, drawn]) => block ?? code ?? drawn ?? "")
    .filter((one) => /\d\/\d+ nodes are/.test(one));
}

const recorded = Object.values(recordedMessages()).flatMap(sentencesOf).flatMap(reasonsOf);

test("messages are recorded", () => {
  expect(recorded).toEqual(expect.arrayContaining(["Insufficient nvidia.com/gpu", "node(s) had untolerated taint(s)"]));
});

test("what pages quote from the scheduler has the form of its messages", () => {
  const quotes = pages.flatMap((file) => quotesIn(file).flatMap(sentencesOf).flatMap(reasonsOf));
  expect(quotes.length).toBeGreaterThan(5);
  expect(quotes.filter((reason) => !recorded.includes(reason))).toEqual([]);
});
