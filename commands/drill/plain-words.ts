import { conclusionIds, conclusionsOf, layerOf, type ConclusionId } from "../../triage/conclusions";
import { scenarioFor } from "./scenarios/scenarios";

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
