import type { GpuEnvironment } from "../components";

/** A lab: what it asks, and what it adds to the environment it runs in. */
export interface Lab {
  /** The question a learner answers with it. */
  readonly question: string;
  /** What happens, and is to be seen. */
  readonly expect: string;
  /** The resources beside the environment; none for the environment itself. */
  readonly add?: (environment: GpuEnvironment) => void;
}
