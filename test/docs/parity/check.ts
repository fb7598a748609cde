import { isDeepStrictEqual } from "node:util";
import type { RecordedResource, Recording } from "../../../planner/record/record";
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
  const { verdict, here = [], remote = [], absent = [], why = [], differs = [], count = 0 } = row;
  const problems = claimsProblems(row, plans);
  const stands = here.length + remote.length > 0;
  if (verdict === "none" ? stands || absent.length === 0 : !stands) problems.push(`nothing stands for "${verdict}"`);
  if (verdict !== "same" && why.length === 0) problems.push("the difference has no reason");
  if (here.length === 0) return verdict === "same" ? [...problems, "a plan cannot show that it is the same"] : problems;

  const found = here.flatMap((selection) => selected(selection, planOf(plans, row.config)).map((a) => a.resource));
  const alike = found.filter((resource) => isKind(row, resource));
  const unequal = unequalArguments(row, alike);
  const reported = differs.filter((argument) => !isProse(row.arguments?.[argument]));
  if (!isDeepStrictEqual([...unequal.keys()].sort(), [...reported].sort())) {
    const differences = [...unequal.values()].join("; ");
    problems.push(`it tells of ${reported.join(", ") || "no difference"}; there is ${differences || "none"}`);
  }
  const counted = alike.length === count && found.length === count && remote.length === 0;
  const same = counted && differs.length === 0;
  return same === (verdict === "same") ? problems : [...problems, `it says ${verdict}, and the plan does not`];
}

/** Arguments that the plan's resources of the same kind do not have, with what they have; all, where there are none. */
function unequalArguments(
  { arguments: given = {}, each = {} }: ParityRow,
  alike: readonly RecordedResource[],
): Map<string, string> {
  const common = Object.entries(given).filter(([, value]) => !isProse(value));
  const values = [
    ...common.map(([argument, value]) => [argument, alike.map(() => value)] as const),
    ...Object.entries(each),
  ];
  const unequal = values.flatMap(([argument, list]) => {
    const fits = alike.length > 0 && alike.length === list.length;
    if (!fits) return [[argument, `${argument} for ${alike.length} resources`] as const];
    const problems = alike.flatMap((resource, index) => {
      const [property, value] = pulumiProperty(argument, list[index]);
      return propertyProblems(resource, { [property]: value });
    });
    return problems.length === 0 ? [] : [[argument, problems.join(", ")] as const];
  });
  return new Map(unequal);
}

function isProse(value: unknown): boolean {
  return typeof value === "object" && value !== null && "says" in value;
}

/** Pulumi's name and form of a Terraform argument, where it is not merely written in another case. */
function pulumiProperty(argument: string, value: unknown): readonly [string, unknown] {
  switch (argument) {
    case "protocol":
      return ["ipProtocol", value];
    case "cidr_blocks":
      return ["cidrIpv4", Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value];
    case "route":
      return ["routes", value];
    case "taint":
      return ["taints", [value]];
    case "repository":
      return ["repositoryOpts", { repo: value }];
    case "wait":
      return ["skipAwait", value !== true];
    default:
      return [camelCase(argument), withCamelCase(value)];
  }
}

/** Keys of blocks in Pulumi's case; an argument that is not set is not there. */
function withCamelCase(value: unknown): unknown {
  if (value === null) return undefined;
  if (typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [camelCase(key), withCamelCase(inner)]));
}

/** `aws_route_table` is `aws:ec2/routeTable:RouteTable`; a rule of a security group has two resource types today. */
function isKind({ terraform }: ParityRow, { type }: RecordedResource): boolean {
  const kind = (type.split(":")[2] ?? "").replace(/(?<!^)[A-Z]/g, "_$&").toLowerCase();
  return terraform.endsWith(`_${kind.replace(/_(in|e)gress_rule$/, "_rule")}`);
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
