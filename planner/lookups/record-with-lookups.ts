import { InputError } from "../../components/core/problems";
import { runErrorMark } from "../../components/core/outputs";
import { countOf } from "../../components/core/text";
import { offlineCloud, type KnownLookups, type OfflineCloud } from "../record/offline-cloud";
import type { Recording } from "../record/record";
import type { RecordedResource } from "../record/recorded-resource";
import { agreement } from "./agreement";
import type { Answers } from "./answers";
import type { Variant } from "./placeholders";

/**
 * Records a program with a cloud. If it awaits a lookup whose result is unknown, it runs twice with other placeholders, and what
 * differs is unknown.
 *
 * @throws any error of the program; one that a placeholder may have caused names the functions
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
  const agreed = agreement(recording, (await silently(() => run(1))).recording);
  return { recording: agreed.recording, notes: lookupNotes(cloud, agreed.leftOut, known.answers) };
}

/** Sentences on lookups, for the reader of a plan. */
function lookupNotes(
  { unanswered }: OfflineCloud,
  leftOut: readonly RecordedResource[],
  answers: Answers | undefined,
): string[] {
  const [example] = leftOut;
  return [
    ...(unanswered.size === 0
      ? []
      : [
          `Unknown offline: the results of ${[...unanswered].join(", ")}. To plan with certain results, use --answers FILE.`,
        ]),
    ...(example === undefined
      ? []
      : [
          `Left out, because only some results of these lookups create it: ${example.type} ${example.name}${moreThan(leftOut)}.`,
        ]),
    ...(answers?.unused ?? []).map((token) => `The program did not call ${token} as --answers states it.`),
  ];
}

function moreThan({ length }: readonly unknown[]): string {
  return length === 1 ? "" : ` and ${countOf(length - 1, "more resource")}`;
}

/** Names the lookups that an error of the program may come from. */
function withLookups(error: unknown, { unanswered, guessed }: OfflineCloud): unknown {
  const tokens = [...(guessed.size > 0 ? guessed : unanswered)];
  const isOther = InputError.is(error) || (error as Record<string, unknown> | undefined)?.[runErrorMark] === true;
  if (!(error instanceof Error) || isOther || tokens.length === 0) return error;
  const { message, stack } = error;
  const which = `The results of ${tokens.join(", ")} are unknown offline, and the program got placeholders.`;
  const note = `${which} If the error comes from one, give the result with --answers FILE.`;
  error.message = `${message}\n${note}`;
  if (stack !== undefined) error.stack = `${stack}\n${note}`;
  return error;
}

/** Runs the program a second time without its output. */
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
