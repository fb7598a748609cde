import type { UnsuccessfulItem } from "@aws-sdk/client-ec2";
import { request, type Aws, type Input, type Loaders } from "../../aws/clients";
import { shellText } from "../../components/core/text";
import type { Step } from "./found";

/** IAM and others throttle many requests at once. */
const atOnce = 5;

/** Runs requests for objects, a few at the same time. */
export async function inTurn<T, U>(all: readonly T[], read: (one: T) => Promise<U> | U): Promise<U[]> {
  const found: U[] = [];
  for (let at = 0; at < all.length; at += atOnce)
    found.push(...(await Promise.all(all.slice(at, at + atOnce).map(read))));
  return found;
}

/** The items in lists of at most `size`. */
export function batchesOf<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));
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

/**
 * A request that removes an object or a part of it. Its command of the AWS CLI follows from it.
 *
 * @param name as the AWS CLI and the SDK name it, e.g. `ec2:DeleteVpc`
 */
export function step<Name extends keyof Loaders, Command extends string>(
  aws: Aws,
  name: `${Name}:${Command}`,
  input: Input<Name, Command>,
): Step {
  const [service = "", command = ""] = name.split(":");
  const options = Object.entries(input).map(
    ([key, value]) => `--${dashed(key)} ${shellText([value].flat().map(String))}`,
  );
  return {
    cli: `${service} ${dashed(command)} ${options.join(" ")}`,
    action: removalAction(name),
    run: async () => failIfRejected((await request(aws, name, input)) as Rejection),
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
