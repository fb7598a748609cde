import type { Properties } from "../../../components/core/wire";

export interface Made {
  readonly id: string;
  readonly properties: Properties;
}

/** An object as it is now. */
export interface Found extends Made {
  readonly inputs: Properties;
}

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
