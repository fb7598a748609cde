import { Reader } from "../../components/core/reader/reader";
import { isRecord, withoutUndefined } from "../../components/core/reader/records";
import { parsed, savedPlanOf, wrongFile, type ComparablePlan } from "../diff/comparable-plan";
import type { Finding } from "../../policies/engine/judge";

/** What identifies a finding in two plans. */
export type FindingFacts = Pick<Finding, "rule" | "level" | "verdict" | "urn" | "message">;

/** The plan of a stack in the base. */
export interface BasePlan extends ComparablePlan {
  /** Absent in a preview by the engine. */
  readonly findings?: readonly FindingFacts[];
}

/** A stack that cannot be planned. */
export interface FailedStack {
  readonly stack: string;
  readonly error: string;
}

/** The plans of the base of a pull request. */
export interface Base {
  /** Why the base has no plans; empty if there is no base. */
  readonly error?: string;
  readonly plans: readonly BasePlan[];
  readonly failed: readonly FailedStack[];
}

/**
 * Reads the plans that `plan --all --json` wrote, also of an older version. `{"error": "TEXT"}` stands for a base that has no
 * plans, with an empty text for no base at all, and in the list, with `stack`, for a stack that could not be planned.
 *
 * @param file its name, for messages
 * @throws InputError when the text is not such a document.
 */
export function readBase(text: string, file: string): Base {
  const document = parsed(text, file);
  const error = new Reader(document).text("error").value;
  if (error !== undefined) return { error, plans: [], failed: [] };
  if (!Array.isArray(document) && !isRecord(document)) {
    throw wrongFile(file, document, "Must be a list of plans.", "save the base with plan --all --json > FILE.json");
  }
  const entries = [document].flat().map((entry: unknown, index) => entryOf(entry, `${file} [${index}]`));
  return {
    plans: entries.filter((entry) => "resources" in entry),
    failed: entries.filter((entry) => "error" in entry),
  };
}

function entryOf(entry: unknown, path: string): BasePlan | FailedStack {
  const content = new Reader(entry);
  const [stack, error] = [content.text("stack").value, content.text("error").value];
  if (stack !== undefined && error !== undefined) return { stack, error };
  const { name = "", ...plan } = savedPlanOf(entry, path);
  return { name, ...plan, ...withoutUndefined({ findings: findingsOf(entry) }) };
}

function findingsOf(document: unknown): readonly FindingFacts[] | undefined {
  const policies = isRecord(document) ? document["policies"] : undefined;
  return Array.isArray(policies) ? policies.filter(isFinding) : undefined;
}

function isFinding(value: unknown): value is FindingFacts {
  const texts = ["rule", "level", "verdict", "urn", "message"];
  return isRecord(value) && texts.every((key) => typeof value[key] === "string");
}
