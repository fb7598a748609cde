import { knownCauseIds, knownCauses } from "../../triage/conclusions/known-causes";

/** The texts of one version of a program. */
export interface Release {
  /** As in `seen` of a conclusion, e.g. `vLLM`. */
  readonly program: string;
  readonly version: string;
  readonly texts: readonly string[];
}

/** A comment, or a literal with its prefix. */
const token =
  /#[^\n]*|(?<![a-z0-9_])[rbuf]{0,2}("""[^]*?"""|'''[^]*?'''|"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*')/gi;
/** A value in a text: a field in braces, or of the operator %. Double braces are braces. */
const value = /\{\{|\}\}|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|%[-\d.]*[sdrfx]/g;

/** The texts that Python source can print: literals that stand side by side are one, and each value in them is a 1. */
export function textsOf(source: string): string[] {
  const texts: string[] = [];
  let end = Infinity;
  for (const match of source.matchAll(token)) {
    const [all, quoted] = match;
    if (quoted === undefined) continue;
    const between = source.slice(end, match.index).replace(/#[^\n]*/g, "");
    const isJoined = end <= match.index && /^[\s\\]*$/.test(between);
    texts.push((isJoined ? (texts.pop() ?? "") : "") + valueOf(quoted));
    end = match.index + all.length;
  }
  return texts.filter((text) => text.includes(" ") || /(?:Error|Cause)/.test(text));
}

function valueOf(quoted: string): string {
  const marks = /^(?:"""|''')/.test(quoted) ? 3 : 1;
  const text = quoted
    .slice(marks, -marks)
    .replace(/\\(["'])/g, "$1")
    .replace(/\\n/g, "\n");
  return text.replace(value, (found) => (/^(?:\{\{|\}\})$/.test(found) ? found.charAt(0) : "1"));
}

/** Each conclusion that names one of the programs in `seen`, and the releases that have a text which shows it. */
export function rowsOf(releases: readonly Release[]) {
  return knownCauseIds.flatMap((id) => {
    const { pattern, inSource = pattern, seen = "" } = knownCauses[id];
    const ofPrograms = releases.filter(({ program }) => seen.includes(`${program} `));
    if (ofPrograms.length === 0) return [];
    const found = ofPrograms.filter(({ texts }) => texts.some((text) => inSource.test(text)));
    return [{ id, found, missing: ofPrograms.filter((one) => !found.includes(one)) }];
  });
}

/** What `npm run patterns` prints, and whether a pattern matches no release. */
export function patternReport(releases: readonly Release[]): { readonly text: string; readonly isComplete: boolean } {
  const rows = rowsOf(releases);
  const lines = rows.map(({ id, found, missing }) =>
    [id, `  found in: ${namesOf(found)}`, ...(missing.length > 0 ? [`  not in: ${namesOf(missing)}`] : [])].join("\n"),
  );
  const gone = rows.filter(({ found }) => found.length === 0).map(({ id }) => id);
  const end =
    gone.length === 0
      ? "Every pattern matches a text of at least one version."
      : `No version has a text for: ${gone.join(", ")}. Read the new text and change the pattern in triage/conclusions.`;
  return { text: `${[...lines, end].join("\n")}\n`, isComplete: gone.length === 0 };
}

function namesOf(releases: readonly Release[]): string {
  return releases.map(({ program, version }) => `${program} ${version}`).join(", ") || "none";
}
