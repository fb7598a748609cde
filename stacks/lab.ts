import type { GpuEnvironment } from "../components";

/** Something about a lab that is switched on and off while it runs. */
export interface Switch {
  /** What turning it on does, e.g. `NCCL blocked`. */
  readonly name: string;
  /** `key=value` texts laid over the stack's configuration, as `pulumi config set --path` reads them. */
  readonly config: readonly string[];
  /**
   * All that turning it on changes in the cloud, a line for each object: `create`, `delete` or `update`, the kind and the
   * logical name, and for an update the inputs that change. Turning it off does the reverse.
   */
  readonly changes: readonly string[];
}

/** A lab: what it asks, and what it adds to the environment it runs in. */
export interface Lab {
  /** The question a learner answers with it. */
  readonly question: string;
  /** What happens, and is to be seen. */
  readonly expect: string;
  /** What can be switched on and off while the lab runs, its fault first. */
  readonly switches: readonly Switch[];
  /** The resources beside the environment; none for the environment itself. */
  readonly add?: (environment: GpuEnvironment) => void;
}
