import { getCallerIdentity } from "@pulumi/aws/getCallerIdentity";
import { getPartition, type GetPartitionResult } from "@pulumi/aws/getPartition";
import { getRegion } from "@pulumi/aws/getRegion";
import { log, output, runtime, unknown, type Output, type Resource } from "@pulumi/pulumi";
import { providerReason } from "./provider-reason";

/**
 * The partition of the provider. If it cannot be read, a preview continues with unknown values and a warning, as the
 * preflight does; an update fails.
 */
export function partitionOf(parent: Resource): Output<GetPartitionResult> {
  return attempted("the partition", getPartition({}, { parent }));
}

/** The region of the provider; see {@link partitionOf}. */
export function regionOf(parent: Resource): Output<string> {
  return attempted("the region", getRegion({}, { parent })).region;
}

/** The id of the account of the provider; see {@link partitionOf}. */
export function accountIdOf(parent: Resource): Output<string> {
  return attempted("the account id", getCallerIdentity({}, { parent })).accountId;
}

const warned = new Set<string>();

/** Each reason is reported once. */
function attempted<T extends object>(what: string, reading: Promise<T>): Output<T> {
  const known = reading.catch((error: unknown): T => {
    if (!runtime.isDryRun()) throw error;
    const reason = providerReason(error);
    const message = `Cannot read ${what}: ${reason}. The preview shows values that contain it as unknown.`;
    // Messages are sent one after the other, and one of a resource waits for it, which can wait for this value.
    if (!warned.has(message)) void log.warn(message);
    warned.add(message);
    return unknown as T;
  });
  return output(known) as unknown as Output<T>;
}
