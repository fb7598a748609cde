import { InputError } from "../../components/core/problems";
import { runErrorMark } from "../../components/core/outputs";
import { isRecord } from "../../components/core/reader/records";
import { countOf } from "../../components/core/text";
import { unknownSentinel } from "../../components/core/wire";
import { offlineCloud, type KnownLookups, type OfflineCloud } from "../record/offline-cloud";
import type { Recording } from "../record/record";
import type { RecordedResource } from "../record/recorded-resource";
import type { Answers } from "./answers";
import { asFirst, type Variant } from "./placeholders";

/**
 * Records a program with a cloud. If it awaits a lookup whose result is unknown, it runs three times with other placeholders, and
 * what differs is unknown. If only the second run fails, all values are. The last one, with the shortest lists, may fail.
 *
 * @throws any error of the first run; one that a placeholder may have caused names the functions
 */
export async function recordWithLookups(
  record: (cloud: OfflineCloud) => Promise<Recording>,
  { region, ...known }: KnownLookups & { readonly region: string },
): Promise<{ readonly recording: Recording; readonly notes: readonly string[] }> {
  const run = async (variant: Variant) => {
    const cloud = offlineCloud(region, { ...known, variant });
    const recording = await record(cloud).catch((error: unknown) => {
      throw withLookups(error, cloud);
    });
    return { recording, cloud };
  };
  const { recording, cloud } = await run(0);
  if (cloud.guessed.size === 0) return { recording, notes: lookupNotes(cloud, [], known.answers) };
  const second = await silently(() => run(1)).catch((error: unknown) => ({ error, recording: valueless(recording) }));
  const shortest = await silently(() => run(2)).catch(() => ({ recording }));
  const agreed = agreement(recording, second.recording, shortest.recording);
  const notes = lookupNotes(cloud, agreed.leftOut, known.answers);
  return { recording: agreed.recording, notes: "error" in second ? [...notes, failureNote(second.error)] : notes };
}

/** In place of a second run that failed: no value is certain. */
function valueless(recording: Recording): Recording {
  return { ...recording, resources: recording.resources.map((one) => ({ ...one, inputs: {} })), outputs: {} };
}

function failureNote(error: unknown): string {
  const [reason = ""] = String(error instanceof Error ? error.message : error).split("\n");
  return `With other results of these lookups, the program fails, so all its values are unknown: ${reason}`;
}

/** Sentences on lookups, for the reader of a plan. */
function lookupNotes(
  { unanswered, stacks }: OfflineCloud,
  leftOut: readonly RecordedResource[],
  answers: Answers | undefined,
): string[] {
  const tokens = [...unanswered].join(", ");
  const unknown = `Unknown offline: the results of ${tokens}. To plan with certain results, use --answers FILE.`;
  const ofStacks = `Unknown offline: the outputs of ${[...stacks].join(", ")}. To plan with them, use --answers FILE.`;
  const more = leftOut.length > 1 ? ` and ${countOf(leftOut.length - 1, "more resource")}` : "";
  return [
    ...(tokens === "" ? [] : [unknown]),
    ...(stacks.size === 0 ? [] : [ofStacks]),
    ...leftOut
      .slice(0, 1)
      .map(
        ({ type, name }) => `Left out, because only some results of these lookups create it: ${type} ${name}${more}.`,
      ),
    ...(answers?.unused ?? []).map((token) => `The program did not call ${token} as --answers states.`),
  ];
}

/** Names the lookups and the other stacks that an error of the program may come from. */
function withLookups(error: unknown, { unanswered, guessed, stacks }: OfflineCloud): unknown {
  const tokens = [...(guessed.size > 0 ? guessed : unanswered)];
  const isOther = InputError.is(error) || (error as Record<string, unknown> | undefined)?.[runErrorMark] === true;
  if (!(error instanceof Error) || isOther) return error;
  const which = `The results of ${tokens.join(", ")} are unknown offline, and the program got placeholders.`;
  const ofStacks = `The outputs of ${[...stacks].join(", ")} are unknown offline: await gives undefined for each.`;
  const notes = [
    ...(tokens.length > 0 ? [`${which} If a placeholder causes the error, state the result with --answers FILE.`] : []),
    ...(stacks.size > 0
      ? [`${ofStacks} If such a value causes the error, use getOutput, a default, or --answers FILE.`]
      : []),
  ];
  if (notes.length === 0) return error;
  const { message, stack } = error;
  const note = notes.join("\n");
  error.message = `${message}\n${note}`;
  if (stack !== undefined) error.stack = `${stack}\n${note}`;
  return error;
}

/** Runs the program again without its output. */
async function silently<T>(run: () => Promise<T>): Promise<T> {
  const { log, info, warn, error, debug } = console;
  const quiet = () => undefined;
  Object.assign(console, { log: quiet, info: quiet, warn: quiet, error: quiet, debug: quiet });
  try {
    return await run();
  } finally {
    Object.assign(console, { log, info, warn, error, debug });
  }
}

/**
 * A recording with the parts that the runs of a program agree on. A value that differs comes from a placeholder, so it is
 * unknown. A resource that a run lacks may not exist: it is left out.
 */
function agreement(
  first: Recording,
  second: Recording,
  shortest: Recording,
): { recording: Recording; leftOut: readonly RecordedResource[] } {
  const certain = new Set(paired(first.resources, shortest.resources).keys());
  const pairs = paired(
    first.resources.filter((resource) => certain.has(resource)),
    second.resources,
  );
  const resources = [...pairs].map(([one, other]) => ({
    ...one,
    inputs: agreed(one.inputs, other.inputs) as RecordedResource["inputs"],
  }));
  const outputs = agreed(first.outputs, second.outputs) as Recording["outputs"];
  return {
    recording: { ...first, resources, outputs },
    leftOut: first.resources.filter((resource) => !pairs.has(resource)),
  };
}

/** Resources of equal URNs, also where a name contains a placeholder. */
function paired(first: readonly RecordedResource[], second: readonly RecordedResource[]) {
  const urns = [asFirst, (urn: string) => urn];
  const byUrn = new Map(urns.flatMap((name) => second.map((resource) => [name(resource.urn), resource] as const)));
  const pairs = first.map((resource) => [resource, byUrn.get(resource.urn)] as const);
  return new Map(pairs.filter((pair): pair is [RecordedResource, RecordedResource] => pair[1] !== undefined));
}

function agreed(one: unknown, other: unknown): unknown {
  if (one === other) return one;
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
    return one.map((item, index) => agreed(item, (other as unknown[])[index]));
  }
  if (!isRecord(one) || !isRecord(other)) return unknownSentinel;
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(keys.map((key) => [key, agreed(one[key], other[key])]));
}
