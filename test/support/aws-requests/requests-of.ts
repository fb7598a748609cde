import { hasUnknown, type Properties } from "../../../components/core/wire";
import { deepMerge } from "../../../components/core/reader/records";
import { askModels, type AwsRequest, type PolicyText, type Shape } from "../aws-models";
import { completed, converted, memberFor, NoMemberError } from "./convert";
import type { ApiRequest, PlannedResource, Row } from "./row";
import { rows } from "./table";

/** The problems of a resource of a plan. */
export interface ResourceProblems {
  /** Type and name. */
  readonly resource: string;
  readonly problems: readonly string[];
}

/** What was checked, and what was found. */
export interface Checked {
  readonly requests: number;
  readonly operations: readonly string[];
  readonly policies: number;
  /** Patterns of the models that cannot be read. */
  readonly unread: readonly string[];
  readonly found: readonly ResourceProblems[];
}

interface Made {
  readonly resource: PlannedResource;
  readonly requests: readonly AwsRequest[];
  readonly policies: readonly PolicyText[];
  readonly problems: readonly string[];
}

/** Checks the requests and policies with which the provider creates resources on AWS. */
export function checkResources(resources: readonly PlannedResource[]): Checked {
  const shapes = shapesOf(rows);
  const made = resources.map((resource) => requestsOf(resource, shapes));
  const requests = made.flatMap((each) => each.requests);
  const policies = made.flatMap((each) => each.policies);
  const answer = askModels({ requests, policies });
  const ofRequest = new Map(requests.map((request, at) => [request, answer.requests[at] ?? []]));
  const ofPolicy = new Map(policies.map((policy, at) => [policy, answer.policies[at] ?? []]));
  const found = made.map((each) => ({
    resource: `${each.resource.type} ${each.resource.name}`,
    problems: [
      ...each.problems,
      ...each.requests.flatMap((one) => (ofRequest.get(one) ?? []).map((problem) => `${one.operation}${problem}`)),
      ...each.policies.flatMap((one) => (ofPolicy.get(one) ?? []).map((problem) => `${one.use} policy: ${problem}`)),
    ],
  }));
  return {
    requests: requests.length,
    operations: [...new Set(requests.map(({ service, operation }) => `${service}:${operation}`))].sort(),
    policies: policies.length,
    unread: answer.unread,
    found: found.filter(({ problems }) => problems.length > 0),
  };
}

type Shapes = ReadonlyMap<string, Shape>;

const keyOf = ({ service, operation }: Pick<ApiRequest, "service" | "operation">) => `${service}:${operation}`;

let known: Shapes | undefined;

function shapesOf(table: Readonly<Record<string, Row>>): Shapes {
  if (known) return known;
  const operations = Object.values(table).flatMap(({ requests }) => requests);
  const asked = operations.map(({ service, operation }) => ({ service, operation }));
  const { shapes } = askModels({ shapes: asked });
  known = new Map(asked.map((each, at) => [keyOf(each), shapes[at] as Shape]));
  return known;
}

function requestsOf(resource: PlannedResource, shapes: Shapes): Made {
  const row = rows[resource.type];
  const nothing = { resource, requests: [], policies: [] };
  if (!row) return { ...nothing, problems: ["the type has no row in test/support/aws-requests/table.ts"] };
  if (hasUnknown(resource.inputs)) return { ...nothing, problems: ["a value is unknown, so it cannot be checked"] };
  const isFunction = /:get\w+$/.test(resource.type);
  const inputs = isFunction ? resource.inputs : completed(resource.inputs);
  const problems = unusedInputs(row, inputs).map((key) => `${key} is in no request`);
  const requests = row.requests.flatMap((request) => {
    if (request.when?.(inputs) === false) return [];
    const { service, operation, isPascalCase = false } = request;
    try {
      const params = paramsOf(request, { resource: { ...resource, inputs }, row, shape: shapes.get(keyOf(request)) });
      return [{ service, operation, params, isPascalCase }];
    } catch (error) {
      if (!(error instanceof NoMemberError)) throw error;
      problems.push(`${operation}: ${error.message}`);
      return [];
    }
  });
  return { resource, requests, policies: policiesOf(row, inputs), problems };
}

function policiesOf({ policies = {} }: Row, inputs: Properties): PolicyText[] {
  return Object.entries(policies).flatMap(([key, use]) => {
    const text = inputs[key];
    return typeof text === "string" ? [{ use, text }] : [];
  });
}

interface Context {
  readonly resource: PlannedResource;
  readonly row: Row;
  readonly shape: Shape | undefined;
}

function paramsOf(request: ApiRequest, { resource, row, shape }: Context): object {
  const { below, members = {}, computed = [] } = request;
  const ownShape = below === undefined ? shape : shape?.members?.[below];
  if (!shape?.members || !ownShape?.members) throw new Error(`${request.operation} has no members`);
  const root: Properties = {};
  const inner: Properties = {};
  for (const key of keysIn(request, row, resource.inputs)) {
    const names = { at: key, members };
    const value = resource.inputs[key];
    const fromRoot = members[key]?.startsWith("/") ? members[key].slice(1) : undefined;
    const name = fromRoot ?? members[key] ?? memberFor(key, Object.keys(ownShape.members));
    const owner = fromRoot === undefined ? ownShape.members : shape.members;
    const target = name === undefined ? undefined : owner[name];
    if (name === undefined || !target) {
      throw new NoMemberError(`${key} is no member: ${Object.keys(owner).join(", ")}`);
    }
    (fromRoot === undefined ? inner : root)[name] = converted(value, target, names);
  }
  const own = below === undefined ? inner : { [below]: inner };
  const made = computed.map(({ params }) => params(resource.inputs, resource) as Properties);
  return [own, ...made].reduce<Properties>((all, part) => deepMerge(all, part), root);
}

/** The inputs that a request converts. */
function keysIn(request: ApiRequest, { requests, notSent = {} }: Row, inputs: Properties): string[] {
  const computed = (request.computed ?? []).flatMap(({ from }) => from);
  const elsewhere = requests.filter((other) => other !== request).flatMap(takenBy);
  const taken = request.only ?? Object.keys(inputs).filter((key) => !elsewhere.includes(key) && !(key in notSent));
  return taken.filter((key) => inputs[key] !== undefined && !computed.includes(key));
}

/** The inputs that no request has, if each request of the row names its own. */
function unusedInputs({ requests, notSent = {} }: Row, inputs: Properties): string[] {
  if (requests.some(({ only }) => only === undefined)) return [];
  const used = requests.flatMap(takenBy);
  return Object.keys(inputs).filter((key) => !used.includes(key) && !(key in notSent));
}

/** The inputs that only this request has. */
function takenBy({ only, computed = [] }: ApiRequest): readonly string[] {
  return only === undefined ? [] : [...only, ...computed.flatMap(({ from }) => from)];
}
