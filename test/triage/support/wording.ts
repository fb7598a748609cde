import { expect } from "vitest";
import type { Conclusion } from "../../../triage/conclusions";

/**
 * Collects the texts that the cases of a test file produce, for one snapshot at the end of the file. Rewording a sentence
 * changes that snapshot only. Run the whole file: a filter by test name leaves cases out.
 */
export class Wording {
  private readonly cases = new Map<string, string[]>();

  /** Adds the text of a conclusion, or any other text, for the current test. */
  add(text: Conclusion | string): void {
    const key = typeof text === "string" ? text : [text.what, ...text.next.map(({ why }) => `- ${why}`)].join("\n");
    const name = expect.getState().currentTestName?.replaceAll(" > ", ": ") ?? "";
    this.cases.set(key, [...new Set([...(this.cases.get(key) ?? []), name])]);
  }

  /** Each text with the cases that produce it. */
  toString(): string {
    return [...this.cases].map(([text, names]) => [...names.map((name) => `[${name}]`), text].join("\n")).join("\n\n");
  }
}
