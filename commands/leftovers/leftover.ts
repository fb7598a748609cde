import type { Cluster } from "@aws-sdk/client-eks";
import type { Found, Search, Unread } from "./found";
import type { Evidence } from "./ownership";
import type { Adoption, StackState, StateResource } from "../stack/state";

/** What is searched for: an environment, a stack or a cluster. */
export interface Target extends Pick<Search, "region" | "ids" | "stack" | "clusters"> {
  /** The account of the credentials. */
  readonly account: string;
  /** The profile with these credentials. @default the user's ordinary credentials */
  readonly profile?: string;
  /** Undefined without a stack. */
  readonly state?: StackState;
  /** Interfaces of what an earlier reading found to be removable: AWS removes them some time after it. */
  readonly ending?: readonly string[];
  /** Why the pods of a cluster may hold GPUs; undefined if none does. @default never asked */
  readonly gpuPods?: (cluster: Cluster) => Promise<string | undefined>;
}

/** An object in AWS that the state does not know. */
export interface Leftover extends Found {
  readonly kind: string;
  /** What says to whom it belongs. */
  readonly evidence: Evidence;
  /** The logical name of the resource that created it. */
  readonly logicalName?: string;
  /** Why it must stay; undefined if it can be removed. */
  readonly keep?: string;
  /** Whether it must stay because a cluster that runs uses it. */
  readonly isInUse?: boolean;
  /** Whether the commands that remove it are shown. @default true */
  readonly hasCommands?: boolean;
  /** The interrupted create of the state that it finishes. */
  readonly adopts?: StateResource;
  /** The ID of the object that the state has in its place. */
  readonly second?: string;
}

export interface Listing extends Target {
  /** In the order in which they are removed. */
  readonly leftovers: readonly Leftover[];
  /** Interrupted creates whose objects were found by their inputs, because they have no tags. */
  readonly identified: readonly Adoption[];
  /** Interrupted creates without an object in AWS; unknown if their kind could not be read. */
  readonly unfinished: readonly { readonly resource: StateResource; readonly exists: false | "unknown" }[];
  readonly unread: readonly Unread[];
  /** What was not searched completely, and what another environment has. */
  readonly notes: readonly string[];
}

/** What counts as left over: what a cluster that runs uses does not. */
export function leftOf({ stack, leftovers }: Pick<Listing, "stack" | "leftovers">): readonly Leftover[] {
  return stack === undefined ? leftovers : leftovers.filter(({ isInUse }) => isInUse !== true);
}
