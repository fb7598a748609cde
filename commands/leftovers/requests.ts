import type { UnsuccessfulItem } from "@aws-sdk/client-ec2";
import { withoutUndefined } from "../../components/core/reader/records";
import { allPages } from "../../aws/clients";
import { shellText } from "../../components/core/text";
import type { Aws, Loaders } from "../../aws/clients";
import type { Step } from "./found";

/** The token of a page, under the name that its service gives it. */
export interface Page {
  readonly NextToken?: string;
  readonly nextToken?: string;
  readonly Marker?: string;
}

/** An answer with a list under this name. */
export type Answer<List extends string> = { readonly [Name in List]?: readonly unknown[] | undefined };
type Item<All> = NonNullable<All> extends readonly (infer Each)[] ? Each : never;

/** All items of a list, from all of its pages. */
export async function itemsOf<Client, List extends string, Given extends Answer<List>>(
  client: () => Promise<Client>,
  list: List,
  request: (client: Client, page: Page) => Promise<Given>,
): Promise<Item<Given[List]>[]> {
  const ready = await client();
  let page: Page = {};
  return allPages(async () => {
    const answer = await request(ready, page);
    page = pageAfter(answer);
    return {
      items: answer[list] as Item<Given[List]>[] | undefined,
      next: page.NextToken ?? page.nextToken ?? page.Marker,
    };
  });
}

function pageAfter(answer: Page & { readonly NextMarker?: string }): Page {
  const { NextToken, nextToken, NextMarker, Marker = NextMarker } = answer;
  return withoutUndefined({ NextToken, nextToken, Marker });
}

/** IAM and others throttle many requests at once. */
const atOnce = 5;

/** Runs requests for objects, a few at the same time. */
export async function inTurn<T, U>(all: readonly T[], read: (one: T) => Promise<U> | U): Promise<U[]> {
  const found: U[] = [];
  for (let at = 0; at < all.length; at += atOnce)
    found.push(...(await Promise.all(all.slice(at, at + atOnce).map(read))));
  return found;
}

/** A reading that several kinds share. Each listing has its own clients, and reads it once. */
export function sharedReading<Args extends readonly string[], T>(read: (aws: Aws, ...args: Args) => Promise<T>) {
  const readings = new WeakMap<Aws, Map<string, Promise<T>>>();
  return (aws: Aws, ...args: Args): Promise<T> => {
    const key = args.join(" ");
    const known = readings.get(aws) ?? new Map<string, Promise<T>>();
    const reading = known.get(key) ?? read(aws, ...args);
    readings.set(aws, known.set(key, reading));
    return reading;
  };
}

type Client<Service extends keyof Loaders> = Awaited<ReturnType<Loaders[Service]>>;
type Input<Service extends keyof Loaders, Command extends string> = Client<Service>[keyof Client<Service> &
  Uncapitalize<Command>] extends (input: infer T, ...more: never[]) => unknown
  ? T
  : never;

/**
 * A request that removes an object or a part of it. Its command of the AWS CLI follows from it.
 *
 * @param name as the AWS CLI and the SDK name it, e.g. `ec2:DeleteVpc`
 */
export function step<Service extends keyof Loaders, Command extends string>(
  aws: Aws,
  name: `${Service}:${Command}`,
  input: Input<Service, Command> & object,
): Step {
  const [service, command] = name.split(":") as [Service, Command];
  const method = `${command.charAt(0).toLowerCase()}${command.slice(1)}` as Uncapitalize<Command>;
  const options = Object.entries(input).map(
    ([key, value]) => `--${dashed(key)} ${shellText([value].flat().map(String))}`,
  );
  return {
    cli: `${service} ${dashed(command)} ${options.join(" ")}`,
    action: removalAction(name),
    run: async () => {
      const client = (await aws[service]()) as unknown as Record<typeof method, (input: object) => Promise<Rejection>>;
      failIfRejected(await client[method](input));
    },
  };
}

/** `OpenIDConnect` as `open-id-connect`. */
function dashed(name: string): string {
  return name.replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "-").toLowerCase();
}

/** The IAM action of a request of {@link step}. */
export function removalAction(name: string): string {
  return name === "budgets:DeleteBudget"
    ? "budgets:ModifyBudget"
    : name.replace(/^elb(?:v2)?:/, "elasticloadbalancing:");
}

interface Rejection {
  readonly Unsuccessful?: readonly UnsuccessfulItem[] | undefined;
}

/** Requests for several objects answer 200 and name those that AWS did not delete. */
function failIfRejected({ Unsuccessful: [first] = [] }: Rejection): void {
  const { Code: name = "Rejected", Message: message = "" } = first?.Error ?? {};
  if (first) throw Object.assign(new Error(message), { name, $metadata: { httpStatusCode: 400 } });
}
