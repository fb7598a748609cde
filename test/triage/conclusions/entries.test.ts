import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { conclusionIds, meaningOf } from "../../../triage/conclusions";
import { knownCauseIds } from "../../../triage/conclusions/known-causes";
import { poolReasonIds } from "../../../triage/conclusions/scale-ups";

function texts(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  return files.map((file) => readFileSync(join(folder, file), "utf8"));
}

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name = ""]) => name);
}

/** The ids that the checks name, put together of `mig-config` and `-failed`, or take from a table of messages. */
function returnedIds(): ReadonlySet<string> {
  const named = [...texts("triage/checks"), ...texts("triage/snapshot/logs")].flatMap((text) =>
    namesIn(text, /"([a-z][a-z-]+)"/g),
  );
  const states = ["mig-config", "operand-config", "driver-upgrade"].filter((word) => named.includes(word));
  const ofRejections = namesIn(readFileSync("triage/conclusions/rejected-pods.ts", "utf8"), /\bid: "([a-z-]+)"/g);
  return new Set([
    ...named,
    ...poolReasonIds,
    ...states.flatMap((one) => [`${one}-failed`, `${one}-pending`]),
    ...ofRejections,
  ]);
}

const returned = returnedIds();
const known: readonly string[] = knownCauseIds;

describe("a check returns every conclusion, or a message shows it", () => {
  test.for(conclusionIds.filter((id) => !known.includes(id)))("%s", (id) => {
    expect(returned.has(id)).toBe(true);
  });

  test("an id that no check returns would be found", () => {
    expect([returned.has("gpu-limit-missing"), returned.has("gpu-limit-present")]).toEqual([true, false]);
  });
});

test("every conclusion has a meaning of one clause", () => {
  for (const id of conclusionIds) expect([id, meaningOf(id)]).toEqual([id, expect.stringMatching(/^\S.{8,}[^.]$/)]);
});
