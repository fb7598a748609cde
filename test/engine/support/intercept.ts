import { onTestFinished, vi } from "vitest";
import type { Properties } from "../../../components/core/wire";
import type { CloudObject } from "../../../simulation/cloud/model";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";

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
