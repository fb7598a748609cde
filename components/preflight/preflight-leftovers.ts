import { price } from "../cost/prices";
import type { PreflightFacts, SecondObjects } from "./preflight-facts";

/** A warning for each section with several node groups. */
export function secondGroupWarnings(_: unknown, { secondGroups = [] }: PreflightFacts): string[] {
  return secondGroups.map(({ section, names }) => {
    const text = `the cluster has ${names.length} node groups of it: ${names.join(", ")}`;
    return secondText(section, text, "it, and its nodes cost money.");
  });
}

/** One of several is left over, and only the state says which. */
function secondText(name: string, several: string, cost: string): string {
  return (
    `${name}: ${several}. Unless this update deletes one, an interrupted update has left ${cost} Run npx eks-gpu-lab ` +
    "leftovers: it names the one that the state does not know, and the commands that adopt or remove it."
  );
}

/** A warning for each object that the state does not know, or may not know. */
export function leftoverWarnings(
  _: unknown,
  { leftovers = [], secondObjects = [], region = "" }: PreflightFacts,
): string[] {
  return [
    ...secondObjects.map((one) => secondObjectsWarning(one, region)),
    ...leftovers.map(({ kind, id, logicalName, usdPerDay, command }) => {
      const of = logicalName === undefined ? "" : ` of ${logicalName}`;
      return `${kind} ${id}${of}: the state of the stack does not know it. ${costText(usdPerDay)} If no update runs:\n${command}`;
    }),
  ];
}

const hoursPerDay = 24;

function secondObjectsWarning({ kind, name, ids }: SecondObjects, region: string): string {
  const hourly = kind === "launch template" ? 0 : price(region, "public-ipv4")?.usd;
  const usd = hourly === undefined ? undefined : hourly * hoursPerDay;
  return secondText(name, `the stack has ${ids.length} of this ${kind}: ${ids.join(", ")}`, `it. ${costText(usd)}`);
}

function costText(usdPerDay: number | undefined): string {
  if (usdPerDay === undefined) return "Its cost is not known.";
  return usdPerDay === 0 ? "It costs nothing." : `It costs ${usdPerDay.toFixed(2)} USD per day.`;
}
