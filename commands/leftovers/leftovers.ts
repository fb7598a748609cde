import { InputError } from "../../components/core/problems";
import { awsClients, type Aws } from "../../aws/clients";
import { adoptionsOf, withAdoptions } from "./adopt";
import { adoptionCommand, findCommands } from "./commands";
import { findLeftovers } from "./list";
import { leftOf, type Leftover, type Listing, type Target } from "./leftover";
import { countText, keyOf, removable, removeLeftovers } from "./remove";
import { documentOf, renderListing, renderRemoval } from "./report";
import { exitStatus, type Console } from "../core/command";
import { optionProblem } from "../core/command-line";
import { wrongOption } from "../core/files";
import { gpuPodsOf } from "../gpu/nodes";
import { askingAws, interruptibleCommand, type BeforeChange } from "../core/interruptible";
import { accountOfId, leftoversCommand, regionOfId } from "./leftovers-options";
import { Lines, jsonText, progressOn, stepsOn, textStyle } from "../core/terminal";
import { changeState, readStack } from "../stack/stack-state";
import { requireRegion, requireAccount } from "../stack/account";

type LeftoversOptions = ReturnType<typeof leftoversCommand.read>;

/** A cluster or a node group takes up to 15 minutes to be gone. */
type Timing = Pick<Parameters<typeof removeLeftovers>[2], "intervalMs" | "waitMs">;

/** `eks-gpu-lab leftovers`: lists what is left in AWS, and removes it. */
export async function runLeftovers(
  args: readonly string[],
  console: Console,
  timing: Timing = { intervalMs: 15_000, waitMs: 30 * 60_000 },
): Promise<number> {
  const options = leftoversCommand.read(args);
  return interruptibleCommand(console, "Nothing was removed.", async (signal, beforeChange) => {
    const progress = progressOn(console);
    const { target: at, name } = await beforeChange(targetOf(options, console));
    return askingAws(console, `region ${at.region}`, async () => {
      progress(`reading ${at.region}`);
      const { aws, listing } = await beforeChange(readListing(at, name));
      progress("");
      if (options.adopt) return adopt(listing, options, console, name);
      return options.delete
        ? remove(aws, listing, { options, console, timing, name, signal, beforeChange })
        : show(listing, options, console, name);
    });
  });
}

/** @throws AwsError; InputError if the state or the id belongs to another account than the credentials */
async function readListing(at: Place["target"], name: string) {
  const stack = at.stack === undefined ? undefined : name;
  const account = await requireAccount(at, { stack, account: at.state?.account });
  const target = { ...at, account };
  const other = at.state ? undefined : at.ids.find((id) => accountOfId(id) !== account);
  if (other !== undefined) throw otherAccount(other, account);
  const aws = awsClients({ ...target, page: "docs/recovery.md" });
  return { aws, listing: await findLeftovers(aws, target) };
}

function otherAccount(id: string, account: string) {
  const why = `The environment is in the account ${accountOfId(id)}, but the credentials belong to the account ${account}.`;
  return wrongOption("--id", id, why, `set AWS_PROFILE to a profile of the account ${accountOfId(id)}`);
}

interface Place {
  readonly target: Omit<Target, "account">;
  /** The name of the stack; without one, the id or the name of the cluster. */
  readonly name: string;
}

/** The stack, the environment or the cluster of the command line. */
async function targetOf(options: LeftoversOptions, console: Console): Promise<Place> {
  const { stack, id, cluster } = options;
  if (id !== undefined) {
    const region = await requireRegion({ option: regionOfId(id) });
    return { target: { region, ids: [id], clusters: [], gpuPods: gpuPodsOf }, name: id };
  }
  if (cluster !== undefined) {
    const region = await requireRegion({ option: options.region });
    return { target: { region, ids: [], clusters: [cluster] }, name: cluster };
  }
  const progress = progressOn(console);
  progress("reading the state of the stack");
  const found = await readStack(stack, console.cwd);
  progress("");
  const region = await requireRegion({ option: options.region, stack: found.region, profile: found.profile });
  if (found.region !== undefined && found.region !== region) {
    console.warn(`The stack is in ${found.region}; this command searches ${region}.\n`);
  }
  const { tag, state, name, clusters, profile } = found;
  const at = { region, stack: tag, state, ids: [...state.environments.keys()], profile };
  return { target: { ...at, clusters, gpuPods: gpuPodsOf }, name };
}

function show(listing: Listing, { json }: LeftoversOptions, console: Console, name: string): number {
  const stack = stackOf(listing, name);
  console.write(json ? jsonText(documentOf(listing, stack)) : renderListing(listing, stack, textStyle(console)));
  return statusOf(listing);
}

function stackOf({ stack }: Listing, name: string): string | undefined {
  return stack === undefined ? undefined : name;
}

/** A key whose deletion is pending is free, and AWS deletes it. */
function statusOf(listing: Listing): number {
  const { unread, unfinished } = listing;
  const isClean = leftOf(listing).every(({ isEnding }) => isEnding === true) && unread.length + unfinished.length === 0;
  return isClean ? exitStatus.ok : exitStatus.rejected;
}

interface Run {
  readonly options: LeftoversOptions;
  readonly console: Console;
  readonly timing: Timing;
  readonly name: string;
  readonly signal: AbortSignal;
  readonly beforeChange: BeforeChange;
}

/** Removes what the user confirmed. */
async function remove(aws: Aws, listing: Listing, run: Run): Promise<number> {
  const { options, console, timing, name, signal, beforeChange } = run;
  const stack = stackOf(listing, name);
  refuseWhilePending(listing, name);
  const count = removable(listing).length;
  if (count === 0) {
    console.warn("Nothing was removed.\n");
    return show(listing, options, console, name);
  }
  const text = renderListing(listing, stack, textStyle(console));
  if (options.json) console.warn(text);
  else console.write(`${text}\n`);
  if (!(await beforeChange(isTyped(listing, run)))) {
    console.warn("Nothing was removed: the name does not match.\n");
    return exitStatus.wrongInput;
  }
  await beforeChange(refuseIfChanged(listing, options, console, name));
  // The account may have changed while the user read the list, and one answer of AWS may have been late.
  const again = await beforeChange(findLeftovers(aws, listing));
  const confirmed = new Set(removable(listing).map(keyOf));
  const isConfirmed = (one: Leftover) => confirmed.has(keyOf(one));
  const removal = await removeLeftovers(aws, again, { ...timing, signal, progress: stepsOn(console), isConfirmed });
  progressOn(console)("");
  const style = textStyle(console);
  console.write(options.json ? jsonText(documentOf(listing, stack, removal)) : renderRemoval(removal, style));
  return removal.failures.length > 0 ? exitStatus.rejected : statusOf(removal.remaining);
}

/** Changes the state: Pulumi refuses while an update runs, because that locks the stack. */
async function adopt(listing: Listing, { stack, json }: LeftoversOptions, console: Console, name: string) {
  const found = adoptionsOf(listing);
  const count = found.adopt.length + found.drop.length + found.unknown.length;
  if (count > 0) {
    const copy = await changeState(stack, name, console.cwd, (document) => withAdoptions(document, found));
    console.warn(`Copy of the old state: ${copy}\n`);
  }
  if (json) console.write(jsonText(documentOf(listing, name)));
  else {
    const lines = [
      ...found.adopt.map(({ resource, id }) => `adopted: ${resource.name} as ${id}`),
      ...found.drop.map((resource) => `dropped: ${resource.name}`),
      ...found.unknown.flatMap((resource) => {
        const line = `dropped, but may exist: ${resource.name} (${resource.type}); its cost is not known`;
        return [line, ...findCommands(resource, listing).map((command) => `  ${command}`)];
      }),
      count > 0 ? `Next: pulumi up --refresh --stack ${name}` : "The state has no interrupted create.",
    ];
    console.write(`${lines.join("\n")}\n`);
  }
  return found.unknown.length > 0 ? exitStatus.rejected : exitStatus.ok;
}

/** Objects of an update that still runs look as if they were left over. */
function refuseWhilePending(listing: Listing, name: string): void {
  if ((listing.state?.pending.length ?? 0) === 0) return;
  const why =
    "The state has interrupted creates: an update was killed, or is still running. The objects that it creates are not left over.";
  const fix = `if no update is running, use pulumi cancel --yes --stack ${name}, then: ${adoptionCommand(listing, name) ?? ""}`;
  throw new InputError(`stack ${name}`, [optionProblem("--delete", true, why, fix)]);
}

/** An update may have begun since the state was read: what it creates is not left over. */
async function refuseIfChanged(listing: Listing, { stack }: LeftoversOptions, { cwd }: Console, name: string) {
  if (!listing.state) return;
  const { state } = await readStack(stack, cwd);
  refuseWhilePending({ ...listing, state }, name);
  if (removable(listing).every(({ id, pulumiId = id }) => !state.ids.has(pulumiId))) return;
  const why = "An update has changed the state since it was read.";
  throw new InputError(`stack ${name}`, [optionProblem("--delete", true, why, "run the command again")]);
}

/** To confirm, the user types the name of the stack, or the id. */
async function isTyped(listing: Listing, { options, console, signal, name }: Run): Promise<boolean> {
  if (options.confirm !== undefined) {
    if (options.confirm === name) return true;
    const why = `Must be ${name}, the ${options.id === undefined ? "name of the stack" : "id of the environment"}.`;
    throw wrongOption("--confirm", options.confirm, why, "check the list, and use this name");
  }
  const input = console.input ?? process.stdin;
  if (console.terminal.isTTY !== true || (input as { readonly isTTY?: boolean }).isTTY !== true) {
    const why = "Asks for the name of the stack or the id, which needs a terminal.";
    throw wrongOption("--delete", true, why, `add --confirm ${name}`);
  }
  console.warn(`Type ${name} to remove ${countText(removable(listing))}: `);
  const lines = new Lines(input);
  try {
    return (await lines.next(signal))?.trim() === name;
  } finally {
    lines.close();
  }
}
