import type { Found } from "./resources";

/** A request that changed nothing, with the words of the provider. */
export class Refused extends Error {}

/** A request that made or changed an object that is not ready. */
export class Unfinished extends Error {
  constructor(
    readonly object: Found,
    readonly reason: string,
  ) {
    super(reason);
  }
}
