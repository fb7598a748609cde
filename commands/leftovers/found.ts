import type { Cluster } from "@aws-sdk/client-eks";
import { AwsError } from "../../aws/aws-error";
import { price } from "../../components/cost/prices";

/** One request that removes an object or a part of it, and the command of the AWS CLI that sends the same request. */
export interface Step {
  /** The command without `aws` and `--region`, e.g. `ec2 delete-vpc --vpc-id vpc-1`. */
  readonly cli: string;
  /** The IAM action, e.g. `ec2:DeleteVpc`. */
  readonly action: string;
  readonly run: () => Promise<unknown>;
}

/** Waits until a removed object is gone. */
interface Wait {
  /** As {@link Step.cli}. */
  readonly cli: string;
  /** An error of AWS for what does not exist ends the wait, too. */
  readonly isOver: () => Promise<boolean>;
}

/** What an object costs. */
export interface Rate {
  /** USD; undefined if the price is not known. */
  readonly perDay: number | undefined;
  readonly note?: string;
}

/** An object in AWS that may be left over. */
export interface Found {
  readonly id: string;
  /** Its ID in a Pulumi state. @default id */
  readonly pulumiId?: string | undefined;
  /** Size, type or state, in a few words. */
  readonly detail?: string | undefined;
  /** Of a cluster: see {@link isRunning}. */
  readonly isRunning?: boolean | undefined;
  /** Time of its creation, in ISO 8601; not every API has it. */
  readonly since?: string | undefined;
  readonly tags: Readonly<Record<string, string>>;
  /** Whether it was made from a copy of another object. */
  readonly isRestored?: boolean | undefined;
  /** The cluster to which it belongs, although it may have no tag of it. */
  readonly cluster?: string | undefined;
  /** Whether that cluster's own description names the object. */
  readonly isOfCluster?: boolean | undefined;
  readonly vpc?: string | undefined;
  /** The object whose removal removes this one, as its {@link id}, `kind ID` or one of its {@link aliases}. */
  readonly within?: string | undefined;
  /** Other names by which AWS refers to it. */
  readonly aliases?: readonly string[] | undefined;
  /** The network interfaces that AWS removes with it. */
  readonly interfaces?: readonly string[] | undefined;
  /** What it needs, in addition to {@link vpc} and {@link within}: IDs. */
  readonly uses?: readonly (string | undefined)[];
  /** What needs it: IDs, or `kind ID`. */
  readonly usedBy?: readonly (string | undefined)[];
  /** Whether it is only read because it uses other objects: AWS removes it with {@link within}. */
  readonly isHidden?: boolean | undefined;
  readonly rate: Rate;
  /** Whether AWS deletes it later without a further request. */
  readonly isEnding?: boolean | undefined;
  /** In the order in which they work. */
  readonly steps: readonly Step[];
  readonly wait?: Wait | undefined;
}

/** An object, and the kind that found it. */
export type FoundObject = Found & { readonly kind: string };

export interface Search {
  readonly region: string;
  /** The ids of the environments whose objects are removed: those of the state, or the one that the user names. */
  readonly ids: readonly string[];
  /** The value of the stack tag. */
  readonly stack?: string;
  /** The clusters of the stack: several if its name has changed. Without a stack, the one that is searched. */
  readonly clusters: readonly string[];
  /** VPCs whose content is searched. */
  readonly vpcs: readonly string[];
  /** All clusters of the region, read once. */
  readonly existing: () => Promise<readonly Cluster[]>;
  /** Reports that a kind was not searched completely. */
  readonly note: (text: string) => void;
}

/** An object without a price. */
export const free: Rate = { perDay: 0 };

/** Tags of the SDK, as a record. */
export function tagsOf(
  list: readonly { readonly Key?: string | undefined; readonly Value?: string | undefined }[] | undefined,
): Record<string, string> {
  return Object.fromEntries((list ?? []).map(({ Key, Value }) => [Key ?? "", Value ?? ""]));
}

/** The name at the end of an ARN, or the name itself. */
export function lastPart(arn: string | undefined): string | undefined {
  return arn?.split("/").at(-1);
}

/** Whether a cluster in this status is, or will be, in use. */
export function isRunning(status: string | undefined): boolean {
  return status !== "DELETING" && status !== "FAILED";
}

const hoursPerDay = 24;
/** The hours of the month that AWS bills. */
const hoursPerMonth = 730;

/** What an item of the price table costs that is billed by the hour. */
export function hourly(region: string, item: string, count = 1, note?: string): Rate {
  const usd = price(region, item)?.usd;
  return { perDay: usd === undefined ? undefined : usd * (count * hoursPerDay), note };
}

/** What an item of the price table costs that is billed by the month. */
export function monthly(region: string, item: string, count = 1): Rate {
  return hourly(region, item, count / hoursPerMonth);
}

/** An object that costs money, but has no price in the price table. */
export function unpriced(note: string): Rate {
  return { perDay: undefined, note };
}

/** A kind, or an object of the state, that could not be read. */
export interface Unread {
  readonly what: string;
  readonly action: string;
  readonly why: string;
  readonly fix: string;
}

/**
 * Without credentials or without the region, nothing can be read, except that a global service has an endpoint of its own.
 *
 * @throws the error of these
 */
export function unreadOf(what: string, error: unknown, isGlobal = false): Unread {
  const fatal: readonly AwsError["kind"][] = isGlobal ? [] : ["identity", "region", "network"];
  if (!(error instanceof AwsError) || fatal.includes(error.kind)) throw error;
  const { action, why, fix } = error;
  return { what, action, why, fix };
}
