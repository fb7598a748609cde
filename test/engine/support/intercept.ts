import { onTestFinished, vi } from "vitest";
import type { Properties } from "../../../components/core/wire";
import type { WorldObject } from "../../../simulation/world/kind";
import type { World } from "../../../simulation/world/world";

export type Create = (type: string, inputs: Properties, provider?: Properties) => Promise<WorldObject>;

/** Puts a function between the providers and the creates of a world, until it is taken away or the test ends. */
export function interceptCreates(world: World, intercept: (create: Create) => Create): { restore: () => void } {
  const create: Create = (...request) => original(...request);
  const original = world.create.bind(world);
  const spy = vi.spyOn(world, "create").mockImplementation(intercept(create));
  const restore = () => spy.mockRestore();
  onTestFinished(restore);
  return { restore };
}

/** Stops for ever at the create of a type, before or after it is made, and tells when it is there. */
export function stopAt(world: World, type: string, moment: "asked" | "made") {
  let arrived: (object: WorldObject | undefined) => void;
  const reached = new Promise<WorldObject | undefined>((resolve) => (arrived = resolve));
  const { restore } = interceptCreates(world, (create) => async (asked, inputs, provider) => {
    if (asked !== type) return create(asked, inputs, provider);
    arrived(moment === "made" ? await create(asked, inputs, provider) : undefined);
    return new Promise<never>(() => undefined);
  });
  return { reached, restore };
}

/** Stops for ever at the delete of a type, before or after it is gone, and tells when it has come to that. */
export function stopAtDelete(world: World, type: string, moment: "asked" | "gone") {
  let arrived: () => void;
  const reached = new Promise<void>((resolve) => (arrived = resolve));
  const original = world.delete.bind(world);
  const spy = vi.spyOn(world, "delete").mockImplementation(async (asked, id, provider) => {
    if (asked !== type) return original(asked, id, provider);
    if (moment === "gone") await original(asked, id, provider);
    arrived();
    return new Promise<never>(() => undefined);
  });
  const restore = () => spy.mockRestore();
  onTestFinished(restore);
  return { reached, restore };
}
