import type { RecordedResource, Recording } from "../../../planner/record";
import { absenceProblems, planOf, propertyProblems, selected, selectionProblems, type Plans } from "./plans";
import type { Claims, ParityRow, RemoteChild } from "./rows";

/** A row as its problems name it. */
export function title({ terraform, what }: { readonly terraform?: string; readonly what?: string }): string {
  return [terraform, what].filter((part) => part !== undefined).join(", ");
}

/** Where the plan differs from what a row claims. */
export function claimsProblems({ config, here = [], remote = [], absent = [] }: Claims, plans: Plans): string[] {
  const plan = planOf(plans, config);
  return [
    ...here.flatMap((selection) => selectionProblems(selection, plan)),
    ...remote.flatMap((child) => remoteProblems(child, plan)),
    ...absent.flatMap((absence) => absenceProblems(absence, plan)),
  ];
}

/** The same for a row that compares, and whether its verdict is right. */
export function parityRowProblems(row: ParityRow, plans: Plans): string[] {
  const { verdict, here = [], remote = [], absent = [], why = [] } = row;
  const problems = claimsProblems(row, plans);
  const stands = here.length + remote.length > 0;
  if (verdict === "none" ? stands || absent.length === 0 : !stands) problems.push(`nothing stands for "${verdict}"`);
  if (verdict !== "same" && why.length === 0) problems.push("the difference has no reason");
  if (verdict === "none") return problems;

  const found = here.flatMap((selection) => selected(selection, planOf(plans, row.config)).map((a) => a.resource));
  const differences = differencesOf(row, found);
  if (verdict === "same") return [...problems, ...differences];
  return differences.length > 0 ? problems : [...problems, "it says different, and the plan has the same"];
}

/** What keeps the plan's resources from being the original's. */
function differencesOf(row: ParityRow, found: readonly RecordedResource[]): string[] {
  const { count = 0, remote = [] } = row;
  return [
    ...(found.length === count ? [] : [`the original has ${count}, the plan ${found.length}`]),
    ...remote.map(({ name }) => `a plan shows too little of ${name} to call it the same`),
    ...argumentProblems(row, found),
    ...kindProblems(row, found),
  ];
}

/** Arguments of the original that the plan's resources do not have. */
function argumentProblems(
  { arguments: given = {}, each = {} }: ParityRow,
  found: readonly RecordedResource[],
): string[] {
  const wrongLength = Object.entries(each)
    .filter(([, values]) => values.length !== found.length)
    .map(([argument, values]) => `${argument} has ${values.length} values for ${found.length} resources`);
  const unequal = found.flatMap((resource, index) => {
    const own = Object.entries(each).map(([argument, values]) => [argument, values[index]] as const);
    const expected = [...Object.entries(given), ...own].map(([argument, value]) => pulumiProperty(argument, value));
    return propertyProblems(resource, Object.fromEntries(expected));
  });
  return [...wrongLength, ...unequal];
}

/** Pulumi's name of a Terraform argument. Today's resources for rules of security groups take one block each. */
function pulumiProperty(argument: string, value: unknown): readonly [string, unknown] {
  if (argument === "protocol") return ["ipProtocol", value];
  if (argument === "cidr_blocks" && Array.isArray(value) && value.length === 1) return ["cidrIpv4", value[0]];
  if (argument === "route") return ["routes", value];
  return [camelCase(argument), value];
}

/** `aws_route_table` is `aws:ec2/routeTable:RouteTable`; a rule has two resource types today. */
function kindProblems({ terraform }: ParityRow, found: readonly RecordedResource[]): string[] {
  const snakeCase = (text: string) => text.replace(/(?<!^)[A-Z]/g, "_$&").toLowerCase();
  const kind = ({ type }: RecordedResource) =>
    snakeCase(type.split(":")[2] ?? "").replace(/_(in|e)gress_rule$/, "_rule");
  return found
    .filter((resource) => !terraform.endsWith(`_${kind(resource)}`))
    .map((resource) => `${terraform} is no ${resource.type}`);
}

export function camelCase(text: string): string {
  return text.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function remoteProblems({ type, name, of, values }: RemoteChild, plan: Recording): string[] {
  const parents = plan.resources.filter((resource) => resource.remote && resource.name === of);
  return [
    ...(parents.length === 1 ? [] : [`the plan has no remote component ${of}`]),
    ...parents.flatMap((parent) => propertyProblems(parent, values)),
    ...plan.resources.filter((r) => r.type === type && r.name === name).map(() => `${name} is in the plan itself`),
  ];
}
