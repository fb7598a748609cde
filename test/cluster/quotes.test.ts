import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { recordedMessages } from "./support/messages";

/** The files of the documentation. */
const inDocs = readdirSync("docs", { recursive: true, encoding: "utf8" }).map((file) => `docs/${file}`);
const pages = ["README.md", ...inDocs].filter((file) => file.endsWith(".md") || file.endsWith(".svg"));

/**
 * What kubelets, container runtimes and clients say; no control plane does.
 * @see https://github.com/kubernetes/kubernetes/blob/v1.35.4/pkg/volume/hostpath/host_path.go
 * @see https://github.com/kubernetes/kubernetes/blob/v1.35.4/pkg/kubelet/lifecycle/predicate.go
 * @see https://github.com/kubernetes/kubernetes/blob/v1.35.4/pkg/kubelet/images/types.go
 * @see https://github.com/kubernetes/apimachinery/blob/v0.35.4/pkg/util/wait/error.go
 */
const fromOthers = [
  'FailedMount: MountVolume.SetUp failed for volume "a" : hostPath type check failed: /run/a.sock is not a socket file',
  "UnexpectedAdmissionError",
  "ImagePullBackOff",
  "ErrImagePull",
  "CrashLoopBackOff",
  "timed out waiting for the condition",
];
/** Karpenter's messages have words of many pages. */
const ofKubernetes = Object.entries(recordedMessages()).filter(([name]) => !/^(?:karpenter|no-node-comes) /.test(name));
const messages = [...ofKubernetes.map(([, message]) => message), ...fromOthers];

/** Numbers become `#`, so that clusters of any size compare. */
const formOf = (text: string) => text.replace(/\d+/g, "#").replace(/\s+/g, " ").trim();

/** The parts of a quote that must be there as they are: single reasons, and what is around `…`. Pages may leave some out. */
function partsOf(quote: string): string[] {
  const sentences = formOf(quote).split(/\.\s|, preemption: |: (?=#\/# nodes)|…/);
  const reasons = sentences.flatMap((sentence) => sentence.replace(/^#\/# nodes are available: /, "").split(/, (?=#)/));
  return reasons.map((reason) => reason.replace(/^# |[.\s]+$/g, "").trim()).filter((reason) => reason !== "");
}

const entities: Readonly<Record<string, string>> = { "&#39;": "'", "&apos;": "'", "&quot;": '"', "&amp;": "&" };

/** What a command of this tool prints. Other tests compare it with the page. */
const isTranscript = (block: string) => /^(Drill with seed|GPU node group) /.test(block);

/** What a page shows as it is: in code, in a code block or in a picture. */
function literalsIn(file: string): string[] {
  const text = readFileSync(file, "utf8").replace(/&(#39|apos|quot|amp);/g, (entity) => entities[entity] ?? entity);
  if (file.endsWith(".svg")) return [...text.matchAll(/>([^<>]+)</g)].map(([, drawn = ""]) => drawn);
  const blocks = [...text.matchAll(/^```(\w*)\n([^]*?)^```/gm)].flatMap(([, language, block = ""]) =>
    language === "text" && !isTranscript(block) ? [block] : [],
  );
  const prose = text.replace(/^```\w*\n[^]*?^```/gm, "");
  return [...blocks, ...[...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code)];
}

/** Two words that follow each other, of which at least one is long. Names in quotation marks are not words. */
function pairsIn(text: string): string[] {
  const words =
    formOf(text.replace(/"[^"]*"/g, '""'))
      .toLowerCase()
      .match(/[a-z][a-z./']*/g) ?? [];
  return words.slice(1).flatMap((word, index) => {
    const pair = [words[index] ?? "", word];
    return pair.every(({ length }) => length > 2) && pair.some(({ length }) => length > 4) ? [pair.join(" ")] : [];
  });
}

const knownPairs = new Set(messages.flatMap(pairsIn));
const reasons = new Set(messages.flatMap((message) => /^[A-Z]\w+(?=$|:)/.exec(message) ?? []));

/** Whether a text is from Kubernetes, judged by its words. */
function isQuote(text: string): boolean {
  if (/^(kubectl|npx|pulumi|\$)/.test(text)) return false;
  if (/^[A-Z]\w+$/.test(text)) return /^(Failed|Err)[A-Z]|(Exceeded|BackOff|AdmissionError|Preempted)$/.test(text);
  return text.includes(" ") && pairsIn(text).some((pair) => knownPairs.has(pair));
}

const isWord = (character: string) => /[\w(]/.test(character);

/** Whether Kubernetes says this, with whole words. */
function isKnown(part: string): boolean {
  if (reasons.has(part)) return true;
  return messages.map(formOf).some((message) => {
    const at = message.indexOf(part);
    return at >= 0 && !isWord(message[at - 1] ?? " ") && !isWord(message[at + part.length] ?? " ");
  });
}

/** The parts of quotes that Kubernetes does not say like this, with their page. */
function wrongQuotes(file: string, literals: readonly string[]): string[] {
  const parts = literals.filter(isQuote).flatMap(partsOf);
  return parts.filter((part) => !isKnown(part)).map((part) => `${file}: ${part}`);
}

test("messages are recorded", () => {
  expect(reasons).toEqual(new Set([...reasons, "FailedScheduling", "DeadlineExceeded", "ProgressDeadlineExceeded"]));
  expect(isKnown("Insufficient nvidia.com/gpu")).toBe(true);
});

test.each([
  ["a form of older releases", "had untolerated taint"],
  ["other words", "0/4 nodes are available: 2 nodes had untolerated taints."],
  ["another reason", "DeadlinesExceeded"],
])("a quote in %s is found", (_, quote) => {
  expect(wrongQuotes("page", [quote])).not.toEqual([]);
});

test("what pages quote from Kubernetes has the form of its messages", () => {
  const quotes = pages.flatMap((file) => literalsIn(file).filter(isQuote));
  expect(quotes.length).toBeGreaterThan(15);
  expect(pages.flatMap((file) => wrongQuotes(file, literalsIn(file)))).toEqual([]);
});
