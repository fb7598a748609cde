import { nearest } from "../../components/core/suggest";
import { conclusionIds, conclusionsOf, layerOf, type ConclusionId } from "../../triage/conclusions";
import { scenarioFor } from "./scenarios/scenarios";

/** What a session asks. */
export interface Quiz {
  readonly answers: readonly ConclusionId[];
  readonly right: readonly ConclusionId[];
  /** What triage finds, too, but as a consequence. */
  readonly consequences: readonly ConclusionId[];
  readonly hints: readonly string[];
}

/** How far a session has come. */
export interface Progress {
  readonly hints: number;
  readonly tries: readonly { readonly answer: ConclusionId; readonly right: boolean }[];
  readonly result?: "solved" | "given-up";
}

export const notStarted: Progress = { hints: 0, tries: [] };

interface Turn {
  readonly progress: Progress;
  /** The messages for the learner, a paragraph each. */
  readonly reply: readonly string[];
}

export const usage =
  "Answer with a number, an id or plain words. h: a hint, l: the list of answers, q: give up and see the answer.";

/** The list of answers, in plain words. */
export function answerLines({ answers }: Quiz): string[] {
  return answers.map((id, at) => `${at + 1}  ${id}: ${meaningOf(id)}`);
}

/** Takes one line of the learner's input. */
export function take(line: string, quiz: Quiz, progress: Progress): Turn {
  const text = line.trim();
  const word = text.toLowerCase();
  const keep = (...reply: string[]): Turn => ({ progress, reply });
  if (word === "") return keep(usage);
  if (["h", "hint"].includes(word)) return hint(quiz, progress);
  if (["l", "list", "?", "help"].includes(word)) return keep(...answerLines(quiz), usage);
  if (["q", "quit", "exit"].includes(word)) return { progress: { ...progress, result: "given-up" }, reply: [] };
  const found = answersFor(text, quiz);
  const [answer] = found;
  if (answer === undefined) return keep(notUnderstood(word, quiz));
  if (found.length > most) return keep(`${word} matches ${found.length} conclusions. Be more specific.`);
  if (found.length > 1) return keep(`${word} can be ${found.join(" or ")}. Which one?`);
  return judge(answer, quiz, progress);
}

/** As many candidates are shown. */
const most = 8;

function hint({ hints }: Quiz, progress: Progress): Turn {
  const next = hints[progress.hints];
  if (next === undefined) return { progress, reply: [`There are only ${hints.length} hints. q shows the answer.`] };
  const shown = progress.hints + 1;
  return { progress: { ...progress, hints: shown }, reply: [`Hint ${shown} of ${hints.length}: ${next}`] };
}

/**
 * The answers that a line can mean: a number of the list, the id of a conclusion with or without hyphens, a part of an
 * id in the list, or plain words.
 */
function answersFor(line: string, { answers }: Quiz): readonly ConclusionId[] {
  if (/^\d+$/.test(line)) return answers.slice(Number(line) - 1, Number(line)).filter(() => line !== "0");
  const word = line.toLowerCase().replace(/[\s_]+/g, "-");
  const exact = conclusionIds.filter((id) => id === word);
  if (exact.length > 0) return exact;
  const parts = answers.filter((id) => id.includes(word));
  return parts.length > 0 ? parts : meantBy(line, answers);
}

function notUnderstood(word: string, { answers }: Quiz): string {
  if (/^\d+$/.test(word)) return `There is no answer ${word}. Use a number from 1 to ${answers.length}.`;
  const guess = nearest(word, [...answers, ...conclusionIds]);
  return `${word} is not a conclusion of triage.${guess === undefined ? ` ${usage}` : ` Did you mean ${guess}?`}`;
}

function judge(answer: ConclusionId, quiz: Quiz, progress: Progress): Turn {
  const right = quiz.right.includes(answer);
  const tries = [...progress.tries, { answer, right }];
  if (right) return { progress: { ...progress, tries, result: "solved" }, reply: [] };
  return { progress: { ...progress, tries }, reply: [feedback(answer, quiz)] };
}

function feedback(answer: ConclusionId, { consequences }: Quiz): string {
  if (consequences.includes(answer)) {
    return `Not yet. ${answer} is true (${meaningOf(answer)}), but it is a consequence. What causes it?`;
  }
  const sign = scenarioFor(answer)?.sign;
  return `No, it is not ${answer}. ${sign === undefined ? `That means: ${meaningOf(answer)}` : `In that case, ${sign}`}. Try again.`;
}

/** What a conclusion means, as docs/triage.md lists it. */
export function meaningOf(id: ConclusionId): string {
  return conclusionsOf(layerOf(id)).find(([own]) => own === id)?.[1] ?? "";
}

/** Words that say nothing about a failure. */
const fillers = new Set(
  "a an and are at be because by com does for has have i in is it its of on or that the this to was with".split(" "),
);

/** Words of one line mean the same. */
const synonyms = [
  "off disabled false deactivated",
  "missing absent gone deleted removed lacks exist exists",
  "use used busy taken occupied allocated held holds",
  "broken fault faulty unhealthy failed fails bad",
  "crash crashes crashing exiting loop restarts restarting",
  "wrong mismatch differs different",
  "full space",
  "cordoned unschedulable schedulingdisabled",
  "toleration untolerated",
  "no not none zero without",
  "enough insufficient little",
  "pvc claim",
  "pending unbound",
  "affinity selector",
].map((line) => line.split(" "));

/** The conclusions that plain words describe best. More than one are alike. */
export function meantBy(line: string, answers: readonly ConclusionId[]): readonly ConclusionId[] {
  const quoted = conclusionIds.filter((id) => meaningOf(id).toLowerCase() === line.toLowerCase());
  if (quoted.length > 0) return quoted;
  const isKnown = (word: string) => conclusionIds.some((id) => wordsOf(textOf(id)).some((known) => means(word, known)));
  const given = wordsOf(line).filter((word) => !fillers.has(word) && !/^\d+$/.test(word) && isKnown(word));
  const scores = new Map(conclusionIds.map((id) => [id, score(given, id, answers.includes(id))]));
  const best = Math.max(...scores.values());
  return best === 0 ? [] : conclusionIds.filter((id) => scores.get(id) === best);
}

/**
 * 0 unless most of the words match. A listed answer wins among alike ones. Words of the id and of the scenario count more than
 * those of the meaning, and these more than synonyms.
 */
function score(given: readonly string[], id: ConclusionId, isListed: boolean): number {
  const matching = (known: string, test: typeof means) => {
    const words = wordsOf(known);
    return given.filter((word) => words.some((one) => test(word, one))).length;
  };
  const all = textOf(id);
  const found = matching(all, means);
  const own = matching(namesOf(id), means);
  return 2 * found > given.length
    ? found * 10_000 + (isListed && given.length > 1 ? 5_000 : 0) + own * 100 + matching(all, isSame)
    : 0;
}

/** The id, and what learners call it. */
const namesOf = (id: ConclusionId) => `${id} ${scenarioFor(id)?.words ?? ""}`;
const textOf = (id: ConclusionId) => `${namesOf(id)} ${meaningOf(id)}`;

const isSame = (word: string, known: string) => stem(word) === stem(known);
const means = (word: string, known: string) =>
  isSame(word, known) || synonyms.some((group) => group.includes(word) && group.includes(known));

/** Without the endings of plurals and verbs: `cordoned` is `cordon`. */
function stem(word: string): string {
  return word.length < 5 ? word.replace(/s$/, "") : word.replace(/(?:ing|ed|es|s|e)$/, "");
}

function wordsOf(text: string): string[] {
  const apart = text.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return apart.match(/[a-z0-9]+/g) ?? [];
}
