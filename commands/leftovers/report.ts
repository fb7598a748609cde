import { priceTableDate } from "../../components/cost/prices";
import { aligned, countOf, indented, pageOf, wrapped } from "../../components/core/text";
import { textPage, type TextOptions, type TextPage } from "../../components/core/text-page";
import { section, unreadSection, withNull } from "../core/terminal";
import { adoptionsOf } from "./adopt";
import { adoptionCommand, awsCommands, findCommands, runningNotes } from "./commands";
import { leftOf, type Leftover, type Listing } from "./leftover";
import { ownerTexts } from "./ownership";
import type { StateResource } from "../stack/state";
import { countText, keyOf, removable, type Removal } from "./remove";
import { idTag } from "../../components/core/stack-tags";

/** A listing as text. Commands are not wrapped, so that they can be copied. */
export function renderListing(listing: Listing, stack: string | undefined, options: TextOptions): string {
  const page = textPage(options);
  return pageOf([
    wrapped(page.colors.bold(titleOf(listing)), page.width),
    tableLines(leftOf(listing), page),
    runningLines(listing, page),
    ...adoptionSections(listing, stack, page),
    commandLines(listing, page),
    keepLines(listing, page),
    unreadSection(notRead, listing.unread, page),
    noteLines(listing, page),
  ]);
}

function titleOf(listing: Listing): string {
  const { ids, stack, clusters, account, region, state } = listing;
  const [id] = ids;
  const of =
    stack !== undefined
      ? `the stack ${stack}`
      : id === undefined
        ? `the cluster ${clusters.join(" or ")}`
        : `the environment ${id}`;
  const states =
    state === undefined
      ? ""
      : state.isEmpty
        ? "; its state is empty"
        : `; its state has ${countOf(state.ids.size, "resource")}`;
  const left = leftOf(listing);
  const title = left.some(({ isInUse }) => isInUse === true) ? "In AWS" : "Left over";
  const what = left.length === 0 ? "Nothing is left over" : `${title}: ${countText(left)}`;
  return `${what} of ${of} in ${region} of the account ${account}${states}`;
}

function tableLines(leftovers: readonly Leftover[], { width }: TextPage): string[] {
  if (leftovers.length === 0) return [];
  const header = ["kind", "since", "USD per day", "ID, name and state"];
  const rows = leftovers.map((one) => [one.kind, one.since?.slice(0, 10) ?? "", usdText(one), describe(one)]);
  const columns = [{}, {}, { align: "right" as const }, { flexible: true, whole: true }];
  return [...indented(aligned([header, ...rows], columns, width - 2)), "", ...wrapped(totalText(leftovers), width)];
}

function describe({ id, detail = "", logicalName, rate, second, within, evidence, tags }: Leftover): string {
  const { Name: name, owner } = tags;
  const named = name === undefined ? id : `${id} "${name}"`;
  return [
    detail === "" ? named : `${named} (${detail})`,
    ...(logicalName === undefined ? [] : [`of ${logicalName}`]),
    ...(second === undefined ? [] : [`a second one: the state has ${second}`]),
    ...(within === undefined ? [] : [`goes with ${within}`]),
    ...(rate.note === undefined ? [] : [rate.note]),
    `owner: ${ownerTexts[evidence]}${owner === undefined ? "" : `; tag owner: ${owner}`}`,
  ].join("; ");
}

function usdText({ rate: { perDay } }: Leftover): string {
  return perDay === undefined ? "unknown" : perDay === 0 ? "0" : perDay.toFixed(2);
}

/** The sum of the known prices, and whether one is unknown. */
function costPerDay(leftovers: readonly Leftover[]): { readonly usdPerDay: number; readonly complete: boolean } {
  return {
    usdPerDay: leftovers.reduce((sum, { rate }) => sum + (rate.perDay ?? 0), 0),
    complete: leftovers.every(({ rate }) => rate.perDay !== undefined),
  };
}

function totalText(leftovers: readonly Leftover[]): string {
  const { usdPerDay, complete } = costPerDay(leftovers);
  const unknown = complete ? "" : ", plus objects whose price is unknown";
  return `Total: ${usdPerDay.toFixed(2)} USD per day without traffic${unknown}; prices of ${priceTableDate}`;
}

/** An update can go on after the adoption, so it comes before the removal. */
function adoptionSections(listing: Listing, stack = "NAME", { colors, width }: TextPage): string[][] {
  const command = adoptionCommand(listing, stack);
  if (command === undefined) return [];
  const { adopt, drop, unknown } = adoptionsOf(listing);
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [title, ...indented(lines.flatMap((line) => wrapped(line, width - 4)))];
  const named = ({ name, type }: StateResource) => `${name} (${type})`;
  return [
    [
      colors.bold("Interrupted creates, or an update that is still running"),
      ...indented([
        ...list(
          "AWS has these; --adopt puts them into the state:",
          adopt.map(({ resource, id }) => `${named(resource)} as ${id}`),
        ),
        ...list("AWS has none of these, or an update repeats them; --adopt drops them:", drop.map(named)),
        ...list(
          "This tool cannot find objects of these types. Check them first, because --adopt also drops them:",
          unknown.map((one) => `${named(one)}; its cost is not known`),
        ),
        ...indented(unknown.flatMap((one) => findCommands(one, listing))),
        ...wrapped("If no update is running:", width - 2),
        `  pulumi cancel --yes --stack ${stack}`,
        `  ${command}`,
        `  pulumi up --refresh --stack ${stack}`,
      ]),
    ],
  ];
}

function commandLines(listing: Listing, page: TextPage): string[] {
  const commands = removable(listing).flatMap((one) => awsCommands(one, listing));
  return section("Commands that remove them, in this order", commands, page);
}

function runningLines(listing: Listing, { colors, width }: TextPage): string[] {
  return runningNotes(listing).flatMap((text) => wrapped(text, width).map(colors.yellow));
}

/** Objects with the same reason are counted, unless there are commands for each. */
function keepLines(listing: Listing, page: TextPage): string[] {
  const { colors, width } = page;
  const kept = listing.leftovers.filter(({ keep }) => keep !== undefined);
  const reasons = [...new Set(kept.map(({ keep = "" }) => keep))];
  const lines = reasons.flatMap((why) => {
    const own = kept.filter(({ keep }) => keep === why);
    const [first] = own;
    const names = own.length === 1 && first ? `${first.kind} ${first.id}` : countText(own);
    return [
      ...wrapped(`${names}: ${why}`, width - 2, { whole: true }).map(colors.yellow),
      ...indented(own.flatMap((one) => awsCommands(one, listing))),
    ];
  });
  return section("Not removed by --delete", lines, page);
}

function noteLines({ notes }: Listing, page: TextPage): string[] {
  const lines = notes.flatMap((note) => wrapped(note, page.width - 2, { whole: true }));
  return section("Notes", lines, page);
}

const notRead = "Not read, so there may be more";

export function renderRemoval({ removed, failures, remaining }: Removal, options: TextOptions): string {
  const page = textPage(options);
  const { colors, width } = page;
  const failed = failures.flatMap(({ leftover: { kind, id }, cli, why, fix }) => [
    ...wrapped(`${kind} ${id}: ${why}`, width - 2, { whole: true }).map(colors.red),
    ...indented([`command: aws ${cli}`, ...wrapped(`fix: ${fix}`, width - 4)]),
  ]);
  const left = leftOf(remaining).filter(({ isEnding }) => isEnding !== true);
  const { usdPerDay, complete } = costPerDay(left);
  const end =
    left.length === 0
      ? failures.length === 0
        ? "Nothing is left over."
        : "Nothing else is left over."
      : `Left: ${countText(left)}; ${usdPerDay.toFixed(2)} USD per day${complete ? "" : ", plus objects whose price is unknown"}.`;
  const isNew = (one: Leftover) => failures.every(({ leftover }) => keyOf(leftover) !== keyOf(one));
  const again = countText(removable({ leftovers: left }).filter(isNew));
  return pageOf([
    wrapped(`Removed: ${countText(removed) || "nothing"}.`, width),
    section("Not removed", failed, page),
    unreadSection(notRead, remaining.unread, page),
    noteLines(remaining, page),
    wrapped(end, width),
    again === "" ? [] : wrapped(`To remove ${again}, run the command again.`, width),
  ]);
}

/** The JSON document. Keys are added, never renamed. */
export function documentOf(
  listing: Listing,
  stack: string | undefined,
  removal?: Removal,
): Readonly<Record<string, unknown>> {
  const { region, account, clusters, state, leftovers, unread } = listing;
  const { adopt, drop, unknown } = adoptionsOf(listing);
  return {
    ...{ kind: "Leftovers", version: 1, account, region, stack: listing.stack ?? null, cluster: clusters[0] ?? null },
    ids: listing.ids,
    state: state ? { resources: state.ids.size, pendingCreates: state.pending.length } : null,
    leftovers: leftovers.map((one) => leftoverDocument(one, listing)),
    cost: costPerDay(leftOf(listing)),
    interrupted: {
      adopt: adopt.map(({ resource, id }) => ({ urn: resource.urn, id })),
      drop: drop.map(({ urn }) => urn),
      unknown: unknown.map(({ urn }) => urn),
      unknownObjects: unknown.map((one) => ({ urn: one.urn, commands: findCommands(one, listing) })),
      command: adoptionCommand(listing, stack ?? "NAME") ?? null,
    },
    unread,
    notes: [...runningNotes(listing), ...listing.notes],
    ...(removal && {
      removal: {
        removed: removal.removed.map(({ kind, id }) => ({ kind, id })),
        failures: removal.failures.map(({ leftover: { kind, id }, ...rest }) => ({ kind, id, ...rest })),
        remaining: removal.remaining.leftovers.map((one) => leftoverDocument(one, listing)),
      },
    }),
  };
}

function leftoverDocument(one: Leftover, at: Listing): Readonly<Record<string, unknown>> {
  const { kind, id, rate, adopts, isEnding, isInUse, evidence } = one;
  const { [idTag]: owner, Name: name } = one.tags;
  const { detail, since, logicalName, second: idInState, keep, cluster, within: removedWith } = one;
  return {
    ...{ kind, id, ...withNull({ name, owner }), evidence, ...withNull({ detail, since, logicalName }) },
    ...withNull({ usdPerDay: rate.perDay, note: rate.note, removedWith, idInState, keep, adopt: adopts?.urn }),
    ...{ isEnding: isEnding === true, ...withNull({ cluster }), isInUse: isInUse === true },
    commands: awsCommands(one, at),
  };
}
