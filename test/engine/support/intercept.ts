import { onTestFinished, vi } from "vitest";
import type { Properties } from "../../../components/core/wire";
import type { CloudObject } from "../../../simulation/cloud/model";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";

export type Create = (type: string, inputs: Properties, provider?: Properties) => Promise<CloudObject>;

/** Puts a function between the providers and the creates of a cloud, until it is taken away or the test ends. */
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

/** Stops for ever at the create of a type, before or after it is made, and tells when it is there. */
export function stopAt(cloud: SimulatedCloud, type: string, moment: "asked" | "made") {
  let arrived: (object: CloudObject | undefined) => void;
  const reached = new Promise<CloudObject | undefined>((resolve) => (arrived = resolve));
  const { restore } = interceptCreates(cloud, (create) => async (request, inputs, provider) => {
    if (request !== type) return create(request, inputs, provider);
    arrived(moment === "made" ? await create(request, inputs, provider) : undefined);
    return new Promise<never>(() => undefined);
  });
  return { reached, restore };
}

/** Stops for ever at the delete of a type, before or after it is gone, and tells when it has come to that. */
export function stopAtDelete(cloud: SimulatedCloud, type: string, moment: "asked" | "gone") {
  let arrived: () => void;
  const reached = new Promise<void>((resolve) => (arrived = resolve));
  const original = cloud.delete.bind(cloud);
  const spy = vi.spyOn(cloud, "delete").mockImplementation(async (request, id, provider) => {
    if (request !== type) return original(request, id, provider);
    if (moment === "gone") await original(request, id, provider);
    arrived();
    return new Promise<never>(() => undefined);
  });
  const restore = () => spy.mockRestore();
  onTestFinished(restore);
  return { reached, restore };
}
