import type { Reader } from "../../../components/core/reader/reader";
import { openPaths, Undetermined, type Truth } from "../../../components/core/reader/truth";
import { asksForAbsence, asksForZero, countsGpus, mayAsk, type Recorded } from "./promql";

/** What alerts ask, where recording rules may have given the number of GPUs another name. */
export interface Questions {
  readonly asksForZero: (rule: Reader) => Truth;
  readonly asksForAbsence: (rule: Reader) => Truth;
}

/** How often a recording rule may stand on another. */
const deepest = 5;

/** Reads expressions in the light of all recording rules of a stack. */
export function questions(rules: readonly Reader[]): Questions {
  const recording = rules.filter((rule) => rule.text("record").isAbsent !== true);
  const recorded = namesOf(recording);
  const open = new Undetermined(recording.flatMap((rule) => openNames(rule, recorded)));
  const asked = (rule: Reader, asks: typeof asksForZero): Truth =>
    rule.text("expr").is((expression) => {
      if (asks(expression, recorded)) return true;
      return open.paths.length > 0 && mayAsk(expression) && open;
    });
  return {
    asksForZero: (rule) => asked(rule, asksForZero),
    asksForAbsence: (rule) => asked(rule, asksForAbsence),
  };
}

function namesOf(recording: readonly Reader[]): Recorded {
  const names = new Set<string>();
  for (let pass = 0; pass < deepest; pass++) {
    const before = names.size;
    for (const rule of recording) {
      const name = rule.text("record").value;
      if (name !== undefined && rule.text("expr").is((expression) => countsGpus(expression, names)) === true)
        names.add(name);
    }
    if (names.size === before) break;
  }
  return names;
}

/** The paths whose values would tell whether a recording rule names the GPUs, and how. */
function openNames(rule: Reader, recorded: Recorded): readonly string[] {
  const counts = rule.text("expr").is((expression) => countsGpus(expression, recorded));
  return counts === false ? [] : [...openPaths(counts), ...openPaths(rule.text("record").isAbsent)];
}
