import { onTestFinished, vi } from "vitest";
import type { Properties } from "../../../components/core/wire";
import type { CloudObject } from "../../../simulation/cloud/model";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";
import { Resources, type CreatedObject } from "../../../simulation/provider/resources/resources";

export type Create = (type: string, inputs: Properties, provider?: Properties) => Promise<CloudObject>;

/** Intercepts the creates of a cloud until the interceptor is restored or the test ends. */
export function interceptCreates(
  cloud: SimulatedCloud,
  intercept: (create: Create) => Create,
): { restore: () => void } {
  const create: Create = (...request) => original(...request);
  const original = cloud.create.bind(cloud);
  const spy = vi.spyOn(cloud, "create").mockImplementation(intercept(create));
  const restore = () => spy.mockRestore();
  onTestFinished(restore);
  return { restore };
}

/**
 * Blocks the create of a type before or after the object is created, and resolves `reached` when it blocks.
 *
 * @param isMeant chooses among the creates of the type
 */
export function stopAt(
  cloud: SimulatedCloud,
  type: string,
  moment: "before" | "after",
  isMeant: (inputs: Properties) => boolean = () => true,
) {
  let arrived: (object: CloudObject | undefined) => void;
  const reached = new Promise<CloudObject | undefined>((resolve) => (arrived = resolve));
  const { restore } = interceptCreates(cloud, (create) => async (requested, inputs, provider) => {
    if (requested !== type || !isMeant(inputs)) return create(requested, inputs, provider);
    arrived(moment === "after" ? await create(requested, inputs, provider) : undefined);
    return new Promise<never>(() => undefined);
  });
  return { reached, restore };
}

/** The creates that were blocked. */
export interface Blocked {
  /** Their URNs. */
  readonly urns: ReadonlySet<string>;
  /** Resolves when the first one is blocked. */
  readonly first: Promise<void>;
  /** Resolves when no request has come for a while: what is left waits for the blocked creates. */
  quiet(): Promise<void>;
  restore(): void;
}

export type Moment = "before" | "after";

/**
 * Blocks all creates other than those of `passing`, before or after the object is created.
 *
 * @param momentOf the moment by URN
 * @param passing URNs
 */
export function stopCreates(momentOf: (urn: string) => Moment, passing: ReadonlySet<string>): Blocked {
  const original = Object.getOwnPropertyDescriptor(Resources.prototype, "create")?.value as Resources["create"];
  const urns = new Set<string>();
  let arrived: () => void;
  let latest = Date.now();
  const first = new Promise<void>((resolve) => (arrived = resolve));
  const spy = vi.spyOn(Resources.prototype, "create").mockImplementation(async function (this: Resources, ...args) {
    const [{ urn }, , preview] = args;
    latest = Date.now();
    const isStopped = !preview && !passing.has(urn);
    const created = isStopped && momentOf(urn) === "before" ? undefined : await original.apply(this, args);
    latest = Date.now();
    if (!isStopped) return created as CreatedObject;
    urns.add(urn);
    arrived();
    return new Promise<never>(() => undefined);
  });
  const quiet = async () => {
    while (Date.now() - latest < quietMs) await new Promise((resolve) => setTimeout(resolve, 100));
  };
  const restore = () => spy.mockRestore();
  onTestFinished(restore);
  return { urns, first, quiet, restore };
}

const quietMs = 1500;

/** Blocks the delete of a type before or after the object is deleted, and resolves `reached` when it blocks. */
export function stopAtDelete(cloud: SimulatedCloud, type: string, moment: "before" | "after") {
  let arrived: () => void;
  const reached = new Promise<void>((resolve) => (arrived = resolve));
  const original = cloud.delete.bind(cloud);
  const spy = vi.spyOn(cloud, "delete").mockImplementation(async (requested, id, provider) => {
    if (requested !== type) return original(requested, id, provider);
    if (moment === "after") await original(requested, id, provider);
    arrived();
    return new Promise<never>(() => undefined);
  });
  const restore = () => spy.mockRestore();
  onTestFinished(restore);
  return { reached, restore };
}
